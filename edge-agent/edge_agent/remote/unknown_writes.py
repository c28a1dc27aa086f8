"""Writes whose effect is not known: resolved by the next good read of their point, over restarts.

The value wanted counts at once, another one 2 s after the write. A point that nobody reads is read every
15 s, for 24 h. The result goes out again with what was read and when; a newer write to the point ends that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from edge_agent.errors import AgentError, StoreFull
from edge_agent.model import PointKey, Quality, Sample
from edge_agent.remote.execution import Execution, cut
from edge_agent.store.base import CommandJournal
from edge_contract.payloads import Command, CommandAction, CommandResult, Outcome

log = logging.getLogger(__name__)

LOOK_S = 1.0
OTHER_AFTER_MS = 2_000
"""A device that acts late still shows its old value for a moment; the wanted one counts at once."""
READ_AFTER_MS = 15_000
"""Nobody else read the point for so long: it is asked, and again after as long."""
READ_TIMEOUT_S = 10.0
GIVE_UP_MS = 24 * 3600 * 1000
MAX_OPEN = 256
"""Beyond it the oldest stay unknown."""

Newest = Callable[[PointKey], Sample | None]


@dataclass
class _Open:
    """A write whose outcome is unknown. read_ms: when the point was last read for it."""

    command: Command
    result: CommandResult
    read_ms: int

    @property
    def key(self) -> PointKey:
        return PointKey(self.command.slave or "", self.command.point or "")


class UnknownWrites:
    """newest: what was last read of a point, stored or not. on_resolved: called after each settlement."""

    def __init__(
        self, execution: Execution, journal: CommandJournal, newest: Newest, on_resolved: Callable[[], None]
    ) -> None:
        self._execution = execution
        self._journal = journal
        self._newest = newest
        self._on_resolved = on_resolved
        self._clock = execution.clock
        self._open: dict[str, _Open] = {}
        self._wake = asyncio.Event()

    def add(self, command: Command, result: CommandResult) -> None:
        """Look for what became of this write."""
        if command.action is not CommandAction.WRITE or result.outcome is not Outcome.UNKNOWN:
            return
        if len(self._open) >= MAX_OPEN:
            oldest = next(iter(self._open))
            log.warning("too many writes are unsettled; command %s stays unknown", oldest)
            del self._open[oldest]
        self._open[result.id] = _Open(command, result, result.t_ms)
        self._wake.set()

    async def run(self) -> None:
        """Until cancelled, once a second while something is open; also what an earlier run left open."""
        for command, result in await self._journal.unsettled(MAX_OPEN):
            if result.id not in self._open:
                self.add(command, result)
        while True:
            if not self._open:
                self._wake.clear()
                await self._wake.wait()
            try:
                await self.look()
            except StoreFull as error:
                log.error("what became of a write cannot be recorded now: %s", error)
            await self._clock.sleep(LOOK_S)

    async def look(self) -> None:
        """Resolve what can be resolved now."""
        for one in list(self._open.values()):
            now = self._clock.now_ms()
            point = self._execution.points.get(one.key)
            overtaken = self._execution.written_ms.get(one.key, 0) > one.result.t_ms
            if point is None or point.rw == "writeonly" or overtaken or now - one.result.t_ms > GIVE_UP_MS:
                await self._leave(one)
                continue
            sample = self._newest(one.key)
            if sample is not None and await self._resolved_by(one, sample):
                continue
            if now - one.read_ms >= READ_AFTER_MS:
                one.read_ms = now
                sample = await self._read(one.key)
                if sample is not None:
                    await self._resolved_by(one, sample)

    async def _read(self, key: PointKey) -> Sample | None:
        try:
            return await self._execution.bus.read(key, READ_TIMEOUT_S)
        except AgentError as error:
            log.debug("%s cannot be read to settle a write: %s", key, error)
            return None

    async def _resolved_by(self, one: _Open, sample: Sample) -> bool:
        """Whether the sample says what became of the write."""
        if sample.quality is not Quality.GOOD or sample.value is None or sample.t_ms <= one.result.t_ms:
            return False
        if self._execution.written_ms.get(one.key, 0) > one.result.t_ms:
            return False
        point = self._execution.points[one.key]
        if self._execution.same_value(point, one.command.value, sample.value):
            outcome = Outcome.RESOLVED_WRITTEN
        elif sample.t_ms - one.result.t_ms >= OTHER_AFTER_MS:
            outcome = Outcome.RESOLVED_OTHER
        else:
            return False
        result = msgspec.structs.replace(
            one.result, outcome=outcome, value=cut(sample.value), quality=sample.quality, seen_ms=sample.t_ms
        )
        await self._journal.finish(result)
        self._open.pop(one.result.id, None)
        log.info("audit: command %s on %s: %s, %r was read", result.id, one.key, outcome.value, result.value)
        self._on_resolved()
        return True

    async def _leave(self, one: _Open) -> None:
        self._open.pop(one.result.id, None)
        await self._journal.leave_unsettled(one.result.id)
