"""Jobs that somebody cancels: while they wait, while they run, and too late."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.domains.jobs.run import Run
from cloud.domains.jobs.runner import PROGRESS_MS
from cloud.domains.jobs.states import Lane
from cloud.errors import Conflict, NotFound

from .test_jobs import Desk, desk

__all__ = ["desk"]


async def test_cancel_before_and_while_it_runs(desk: Desk) -> None:
    asker = desk.users["factory-x"]
    waiting = await desk.jobs.ask(asker, "table", "x", {"n": 1})
    await desk.jobs.delete(asker, waiting.id)
    assert await desk.state(waiting.id) == ("cancelled", "")
    assert not await desk.jobs.runner.step(Lane.WORK)

    async def long(run: Run) -> None:
        for done in range(3):
            desk.clock.pass_s(PROGRESS_MS / 1000)
            await run.progress(done, 3)
            await desk.jobs.delete(asker, run.job_id)
        raise AssertionError("it went on")

    desk.jobs.register("long", long, needs="HisData")
    running = await desk.jobs.ask(asker, "long", "x", {})
    await desk.jobs.runner.step(Lane.WORK)
    assert await desk.state(running.id) == ("cancelled", "")


async def test_whoever_was_told_that_it_ends_never_finds_it_completed(desk: Desk) -> None:
    """Also between two words of progress, and when the work is done already; afterwards it is refused."""
    asker = desk.users["factory-x"]

    async def at_once(run: Run) -> None:
        await desk.jobs.delete(asker, run.job_id)
        await run.progress(1, 1)
        raise AssertionError("it went on")

    async def last(run: Run) -> dict[str, Any]:
        await desk.jobs.delete(asker, run.job_id)
        return {"rows": 1}

    async def late(run: Run) -> None:
        await run.settle()
        with pytest.raises(Conflict) as refused:
            await desk.jobs.delete(asker, run.job_id)
        assert refused.value.reason == "job.too_late"
        with pytest.raises(NotFound):
            await desk.jobs.delete(desk.users["factory-y"], run.job_id)

    async def reopened(run: Run) -> None:
        await run.settle()
        await run.reopen()
        await desk.jobs.delete(asker, run.job_id)
        await run.settle()
        raise AssertionError("it went on")

    ends = {at_once: ("cancelled", None), last: ("cancelled", {"rows": 1}), late: ("completed", None),
            reopened: ("cancelled", None)}  # fmt: skip
    for handler, end in ends.items():
        desk.jobs.register(handler.__name__, handler, needs="HisData")
        job = await desk.jobs.ask(asker, handler.__name__, "x", {})
        assert await desk.jobs.runner.step(Lane.WORK)
        found = await desk.jobs.detail(asker, job.id)
        assert (found.state, found.summary) == end
    await desk.jobs.delete(asker, job.id)
