"""What runs: started in order, ended in reverse; what was collected is committed whatever ends it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from edge_agent.alarms.runner import RuleRunner
from edge_agent.collection.recorder import CollectionRecorder
from edge_agent.exchange.runner import ExchangeRunner
from edge_agent.forwarding.running import Forwarders
from edge_agent.remote.running_health import RunningHealth
from edge_agent.store.committer import Committer
from edge_agent.tasks.runner import TaskRunner

log = logging.getLogger(__name__)

DRAIN_S = 3.0
"""How long a stop waits for the cloud to hold the last batch; the rest is sent at the next start."""
STOP_STEP_S = 3.0
"""How long one part may take to stop."""

Work = Coroutine[Any, Any, None]


@dataclass(frozen=True)
class Parts:
    """What runs, by name in starting order, and what a stop has to do between."""

    tasks: dict[str, Callable[[], Work]]
    committer: Committer
    collection: CollectionRecorder
    rules: RuleRunner
    exchange: ExchangeRunner
    timed_tasks: TaskRunner
    forwarders: Forwarders
    health: RunningHealth
    goodbye: Callable[[], str]


async def supervise(parts: Parts, stop: asyncio.Event) -> None:
    """Run everything until stop is set; whatever ends it, what was collected is committed."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = {name: group.create_task(task(), name=name) for name, task in parts.tasks.items()}
            await stop.wait()
            await stop_in_order(tasks, parts)
    finally:
        await parts.rules.finish()
        await parts.exchange.finish()
        await parts.timed_tasks.finish()
        await parts.collection.finish(parts.goodbye())
        await parts.committer.flush()


async def stop_in_order(tasks: dict[str, asyncio.Task[None]], parts: Parts) -> None:
    """Collecting ends first, then what waits is committed and sent, then the link says goodbye."""
    last = next(reversed(parts.forwarders.tasks()), "")
    for name in reversed(tasks):
        if name == last:
            await parts.committer.flush()
            await parts.forwarders.drain(DRAIN_S)
        tasks[name].cancel()
        _, late = await asyncio.wait([tasks[name]], timeout=STOP_STEP_S)
        if late:
            log.warning("%s did not stop within %.0f s", name, STOP_STEP_S)
