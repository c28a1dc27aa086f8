"""How many jobs of a queue run at once."""

from __future__ import annotations

from cloud.domains.jobs.states import AT_ONCE, JobQueue, JobState


def test_one_that_works_and_four_that_wait() -> None:
    assert AT_ONCE == {JobQueue.WORK: 1, JobQueue.CAMPAIGN: 4}
    assert [*JobState] == ["generating", "completed", "failed", "cancelled"]
