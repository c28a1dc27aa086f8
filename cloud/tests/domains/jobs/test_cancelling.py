"""Jobs that somebody cancels: while they wait, while they run, and too late."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.domains.jobs.run import Run
from cloud.domains.jobs.runner import PROGRESS_MS
from cloud.domains.jobs.states import JobQueue
from cloud.errors import Conflict, NotFound

from .test_jobs import JobServices, services

__all__ = ["services"]


async def test_cancel_before_and_while_it_runs(services: JobServices) -> None:
    asker = services.users["factory-x"]
    waiting = await services.jobs.ask(asker, "table", "x", {"n": 1})
    await services.jobs.delete(asker, waiting.id)
    assert await services.state(waiting.id) == ("cancelled", "")
    assert not await services.jobs.runner.step(JobQueue.WORK)

    async def long(run: Run) -> None:
        for done in range(3):
            services.clock.pass_s(PROGRESS_MS / 1000)
            await run.progress(done, 3)
            await services.jobs.delete(asker, run.job_id)
        raise AssertionError("it went on")

    services.jobs.register("long", long, needs="HisData")
    running = await services.jobs.ask(asker, "long", "x", {})
    await services.jobs.runner.step(JobQueue.WORK)
    assert await services.state(running.id) == ("cancelled", "")


async def test_whoever_was_told_that_it_ends_never_finds_it_completed(services: JobServices) -> None:
    """Also between two words of progress, and when the work is done already; afterwards it is refused."""
    asker = services.users["factory-x"]

    async def at_once(run: Run) -> None:
        await services.jobs.delete(asker, run.job_id)
        await run.progress(1, 1)
        raise AssertionError("it went on")

    async def last(run: Run) -> dict[str, Any]:
        await services.jobs.delete(asker, run.job_id)
        return {"rows": 1}

    async def late(run: Run) -> None:
        await run.forbid_cancelling()
        with pytest.raises(Conflict) as refused:
            await services.jobs.delete(asker, run.job_id)
        assert refused.value.reason == "job.too_late"
        with pytest.raises(NotFound):
            await services.jobs.delete(services.users["factory-y"], run.job_id)

    async def reopened(run: Run) -> None:
        await run.forbid_cancelling()
        await run.allow_cancelling()
        await services.jobs.delete(asker, run.job_id)
        await run.forbid_cancelling()
        raise AssertionError("it went on")

    ends = {at_once: ("cancelled", None), last: ("cancelled", {"rows": 1}), late: ("completed", None),
            reopened: ("cancelled", None)}  # fmt: skip
    for handler, end in ends.items():
        services.jobs.register(handler.__name__, handler, needs="HisData")
        job = await services.jobs.ask(asker, handler.__name__, "x", {})
        assert await services.jobs.runner.step(JobQueue.WORK)
        found = await services.jobs.detail(asker, job.id)
        assert (found.state, found.summary) == end
    await services.jobs.delete(asker, job.id)
