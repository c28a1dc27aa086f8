"""Carries out what rules have written: as commands of the cloud are, each at most once (C-167)."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from edge_agent.alarms.events import Linkage, linkage_event
from edge_agent.errors import StoreFull
from edge_agent.store.base import RuleLog
from edge_agent.system.clock import Clock
from edge_contract.edge_rules import RuleWrite, RuleWriteResult
from edge_contract.payloads import Command, CommandAction, CommandResult, CommandState, Outcome

log = logging.getLogger(__name__)

MAX_WAITING = 1000
"""Linkages that wait in memory; more wait in the store, where most expire."""

RETRY_S = 1.0
"""Pause while the medium is full: what cannot be noted is not begun."""

EXPIRED, INTERRUPTED = "expired", "interrupted"

Execute = Callable[[Command, str], Awaitable[CommandResult]]
"""A command and who asks for it; never raises."""


class LinkageRunner:
    """put() never blocks; run() first answers what a crash interrupted. changed: something is to be sent."""

    def __init__(self, execute: Execute, stored: RuleLog, clock: Clock, changed: Callable[[], None]) -> None:
        self._execute = execute
        self._stored = stored
        self._clock = clock
        self._changed = changed
        self._queue: deque[tuple[int, Linkage, float]] = deque()
        self._wake = asyncio.Event()

    def put(self, noted: Sequence[tuple[int, Linkage]]) -> None:
        """Linkages that are stored, with their numbers. Their time runs on the monotonic clock from here."""
        now_ms, now_s = self._clock.now_ms(), self._clock.monotonic()
        for number, linkage in noted:
            until_s = now_s + (linkage.expires_ms - now_ms) / 1000
            is_queued = any(number == queued for queued, _, _ in self._queue)
            if not is_queued and len(self._queue) < MAX_WAITING:
                self._queue.append((number, linkage, until_s))
        self._wake.set()

    async def run(self) -> None:
        """One after the other, until cancelled."""
        while True:
            if not self._queue:
                await self._recover()
            while not self._queue:
                self._wake.clear()
                await self._wake.wait()
            number, linkage, until_s = self._queue[0]
            try:
                await self._carry_out(number, linkage, until_s)
            except StoreFull as error:
                log.error("a linkage waits until it can be noted: %s", error)
                await self._clock.sleep(RETRY_S)
                continue
            self._queue.popleft()

    async def _recover(self) -> None:
        """What was begun is not begun again; what was not is carried out, unless it has expired."""
        for stored in await self._stored.linkages():
            linkage = msgspec.json.decode(stored.linkage, type=Linkage)
            if stored.begun:
                detail = "the gateway stopped while executing"
                results = self._none_known(linkage, INTERRUPTED)
                await self._end(stored.number, linkage, INTERRUPTED, detail, results)
            else:
                self.put([(stored.number, linkage)])

    async def _carry_out(self, number: int, linkage: Linkage, until_s: float) -> None:
        if self._clock.monotonic() >= until_s:
            await self._end(number, linkage, EXPIRED, "", self._none_known(linkage, EXPIRED))
            return
        await self._stored.begin_linkage(number)
        code, detail = "", ""
        results: list[RuleWriteResult] = []
        for at, write in enumerate(linkage.linkage.writes):
            left_ms = round((until_s - self._clock.monotonic()) * 1000)
            command = Command(
                id=f"rule-{number:010d}-{at:03d}",
                action=CommandAction.WRITE,
                expires_ms=self._clock.now_ms() + left_ms,
                slave=write.slave,
                point=write.point,
                value=write.value,
            )
            result = await self._execute(command, f"rule {linkage.rule} ({linkage.title})")
            results.append(_result_of(write, result))
            if results[-1].code and not code:
                code, detail = results[-1].code, f"{write.slave}.{write.point}: {result.detail}"
        await self._end(number, linkage, code, detail, results)

    def _none_known(self, linkage: Linkage, code: str) -> list[RuleWriteResult]:
        """Writes that were not begun, or, when interrupted, may have been carried out."""
        now_ms = self._clock.now_ms()
        return [
            RuleWriteResult(
                slave=write.slave,
                point=write.point,
                value=write.value,
                t_ms=now_ms,
                outcome="unknown" if code == INTERRUPTED else "failed",
                code=code,
            )
            for write in linkage.linkage.writes
        ]

    async def _end(
        self, number: int, linkage: Linkage, code: str, detail: str, results: list[RuleWriteResult]
    ) -> None:
        event = linkage_event(linkage, self._clock.now_ms(), code, detail, results)
        while True:
            try:
                await self._stored.end_linkage(number, event)
                break
            except StoreFull as error:
                log.error("what came of a linkage cannot be noted yet: %s", error)
                await self._clock.sleep(RETRY_S)
        self._changed()


def _result_of(write: RuleWrite, result: CommandResult) -> RuleWriteResult:
    is_done = result.state == CommandState.RESP.value
    may_be_done = result.outcome is Outcome.UNKNOWN
    return RuleWriteResult(
        slave=write.slave,
        point=write.point,
        value=write.value,
        t_ms=result.t_ms,
        outcome="done" if is_done else "unknown" if may_be_done else "failed",
        code="" if is_done else result.code or "failed",
        read=result.value,
    )
