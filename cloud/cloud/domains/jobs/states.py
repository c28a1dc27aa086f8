"""States of a job, with the specification's names."""

from __future__ import annotations

from enum import StrEnum


class JobState(StrEnum):
    """generating: waits or runs. The others are final."""

    GENERATING = "generating"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class JobQueue(StrEnum):
    """work: takes a core, so one at a time. campaign: mostly waits for gateways, so several at a time."""

    WORK = "work"
    CAMPAIGN = "campaign"


AT_ONCE = {JobQueue.WORK: 1, JobQueue.CAMPAIGN: 4}
