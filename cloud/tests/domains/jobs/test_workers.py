"""The runner's workers: how many run at once, and how often those that are free look for work."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from cloud.domains.jobs import runner as runners
from cloud.domains.jobs.run import Run
from cloud.domains.jobs.states import JobQueue

from .test_jobs import JobServices, services

__all__ = ["services"]


async def test_one_free_worker_looks_and_four_work(
    services: JobServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four campaigns run at once; a fifth waits; workers that are free look as often as one of them would."""
    monkeypatch.setattr(runners, "LOOK_S", 0.05)
    running, most, go_on = 0, 0, asyncio.Event()
    looks = 0
    take = services.jobs.runner._take

    async def counted(queue: JobQueue) -> Any:
        nonlocal looks
        looks += queue is JobQueue.CAMPAIGN
        return await take(queue)

    async def campaign(run: Run) -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await go_on.wait()
        running -= 1

    monkeypatch.setattr(services.jobs.runner, "_take", counted)
    services.jobs.register("campaign", campaign, JobQueue.CAMPAIGN, needs="DeviceManage")
    await services.jobs.runner.start()
    await asyncio.sleep(0.5)
    assert 2 <= looks <= 11  # four would have looked up to 44 times
    asker = services.users["factory-x"]
    jobs = [await services.jobs.ask(asker, "campaign", "x", {}) for _ in range(5)]
    async with asyncio.timeout(10):
        while running < 4:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await asyncio.sleep(0.2)
    assert (running, most) == (4, 4)
    go_on.set()
    async with asyncio.timeout(10):
        while [(await services.state(job.id))[0] for job in jobs] != ["completed"] * 5:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await services.jobs.runner.stop()
