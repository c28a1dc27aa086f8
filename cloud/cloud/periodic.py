"""The periodic jobs of all domains, each in a task of its own; in the full process alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import wraps

from cloud.core.clock import DeletionTime, every
from cloud.core.services import Services
from cloud.domains.base import Domain, Forgetting, Job


def begin(domains: Sequence[Domain], services: Services) -> list[asyncio.Task[None]]:
    """Start them all. In one process only: two would check presence twice and send messages twice."""
    time = services[DeletionTime]
    return [asyncio.create_task(every(job.interval_s, _work(job, time))) for job in jobs(domains, services)]


def jobs(domains: Sequence[Domain], services: Services) -> list[Job]:
    """Of all domains, in their order."""
    return [job for domain in domains for job in domain.periodic(services)]


def _work(job: Job, time: DeletionTime) -> Callable[[], Awaitable[None]]:
    if not isinstance(job, Forgetting):
        return job.work
    forget = job.work

    @wraps(forget)
    async def run() -> None:
        await forget(await time.read())

    return run
