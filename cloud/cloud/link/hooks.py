"""What the link asks of the domains. It knows no domain itself.

`admits` is asked for every message before anything else: brokers may let through what is not allowed
any more. What comes retained on any topic but `state` is ignored: mosquitto cannot forbid it. Transactions
and hooks are never cancelled in their middle (`core/shielded.py`, `HookRunner`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from cloud.timeseries.series_table import SeriesTable
from edge_contract.access import Principal
from edge_contract.deployment import ConfigurationReport, Receipt
from edge_contract.edge_rules import RuleEvents, RulesReport
from edge_contract.edge_tasks import TaskReport
from edge_contract.exchange_rules import ExchangeReport
from edge_contract.payloads import Catalog, CommandResult, Hello, Pulse, State, Welcome
from edge_contract.topics import Message
from edge_contract.trace import TraceReport
from edge_contract.upgrade import FirmwareReport

T = TypeVar("T")

HOOK_TIMEOUT_S = 30.0
"""A hook that takes longer has failed: its gateway's messages go on without it."""

Authenticate = Callable[[str, str], Awaitable[Principal | None]]
"""User name and password to the principal, None when they do not belong together."""


Hook = Coroutine[Any, Any, T]


@dataclass(frozen=True)
class LinkHooks:
    """Asynchronous callables, each waited for HOOK_TIMEOUT_S. An exception is logged and ends the message."""

    on_hello: Callable[[str, Hello], Hook[Welcome]]
    """The link publishes the welcome."""

    on_catalog: Callable[[str, Catalog], Hook[None]]

    on_state: Callable[[str, State], Hook[None]]

    on_pulse: Callable[[str, Pulse], Hook[None]]

    on_result: Callable[[str, CommandResult], Hook[None]]
    """The link acknowledges the result when this has returned; until then the gateway repeats it."""

    on_receipt: Callable[[str, Receipt], Hook[None]]
    """The link acknowledges a final receipt when this has returned."""

    on_configuration: Callable[[str, ConfigurationReport], Hook[None]]

    on_rules_report: Callable[[str, RulesReport], Hook[None]]

    on_rule_events: Callable[[str, RuleEvents], Hook[None]]
    """The link acknowledges the events when this has returned."""

    on_exchange_report: Callable[[str, ExchangeReport], Hook[None]]
    """The link acknowledges the report when this has returned."""

    on_task_report: Callable[[str, TaskReport], Hook[None]]
    """The link acknowledges the report when this has returned."""

    on_firmware: Callable[[str, FirmwareReport], Hook[None]]
    """The link acknowledges a final report when this has returned."""

    on_trace: Callable[[str, TraceReport], Hook[None]]

    on_tunnel: Callable[[str, bytes], None]
    """A frame of edge_contract.tunnel, not looked at. Called in order, at once; must not block or raise."""

    series_of: Callable[[str, str], Hook[dict[int, int] | None]]
    """Gateway and catalog hash to {point number: series}; None when the catalog is not known yet."""

    on_values: Callable[[str, SeriesTable], Hook[None]]
    """Gateway, and newest values of points that are not stored or are watched. Nothing of it is durable."""

    on_stored: Callable[[str, SeriesTable, bool], Hook[None]]
    """Gateway, what was durably written, and whether it came by the back-fill lane.

    At most once: a process that is killed between the write and this call does not repeat it.
    """

    admits: Callable[[str, Message], bool]
    """Whether a message of this gateway is taken at all; asked for each, on every broker.

    What is not taken is neither stored nor acknowledged to the gateway nor obeyed. Must not block or raise.
    """


class HookRunner:
    """Runs hooks in tasks of their own, because a hook that is cancelled may leave the database locked."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[Any]] = set()

    async def call(self, hook: Coroutine[Any, Any, T]) -> T:
        """Result of the hook, its exception, or TimeoutError; then it goes on unattended."""
        task = asyncio.create_task(hook)
        self._running.add(task)
        task.add_done_callback(self._ended)
        done, _ = await asyncio.wait({task}, timeout=HOOK_TIMEOUT_S)
        if not done:
            raise TimeoutError(f"not within {HOOK_TIMEOUT_S:g} s")
        return task.result()

    async def finish(self) -> None:
        """Wait for hooks that still run."""
        if self._running:
            await asyncio.wait(self._running, timeout=HOOK_TIMEOUT_S)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # taken here, so that one that nobody waits for is not reported twice
