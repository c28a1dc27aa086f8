"""Runs the rules of data exchange of this gateway: rows of the bus in, writes and their results out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from edge_agent.config.model import Point
from edge_agent.errors import StoreFull
from edge_agent.exchange.results import Results
from edge_agent.exchange.rule_set import GatewayRule, rule_set
from edge_agent.model import DeviceState, PointKey, Quality, Row, Value
from edge_agent.store.base import ExchangeLog, HeldExchange
from edge_agent.store.database import to_the_end
from edge_agent.system.clock import Clock, clock_set, wait
from edge_contract.errors import PayloadError
from edge_contract.exchange import UNFIT, Flow, FlowState, converted
from edge_contract.exchange_rules import (
    ExchangeProblem,
    ExchangeReport,
    ExchangeResult,
    ExchangeRule,
    ExchangeRules,
    ExchangeState,
    exchange_hash,
)
from edge_contract.fields import Scalar
from edge_contract.limits import MAX_TEXT
from edge_contract.payloads import Command, CommandAction, CommandResult, CommandState, Outcome

log = logging.getLogger(__name__)

LOOK_S = 0.2
"""How often values that wait are looked at."""

IDLE_S = 60.0
"""Without rules."""

SAVE_S = 60.0
"""What rules did last is saved after so long, and when the agent stops."""

EXPIRES_MS = 10_000
"""A write is not begun later, so that what a rule has begun ends before the cloud takes it back (C-184)."""

MAX_WRITING = 32
"""Writes at a time, one of a slave."""

LONG_AGO_MS = 10 * 86_400_000
"""Longer than any rule rests: for a time that is not known."""

NEVER_READ, DISABLED = "never_read", "disabled"
SLAVE_OFFLINE, INTERRUPTED = "slave_offline", "interrupted"

ARRIVED = frozenset({"mismatch", "device_error", "refused"})
"""Codes of a write that failed and would fail again: it is not repeated."""

Execute = Callable[[Command, str], Awaitable[CommandResult]]
"""A command and who asks for it; never raises."""


@dataclass(frozen=True)
class Plant:
    """points: every one that is configured, with its number; states: of every slave now."""

    points: Mapping[PointKey, Point]
    numbers: Mapping[PointKey, int]
    states: Callable[[], Sequence[DeviceState]]


@dataclass(frozen=True)
class ExchangeRow:
    """A rule for the gateway's own page. problem: why it does not run, as a code."""

    title: str
    source: str
    target: str
    result: ExchangeResult | None
    problem: str


class _Stored(msgspec.Struct, frozen=True):
    """What a rule did last. t_ms: of its last write; None when it has sent nothing."""

    rule: int
    sent: Scalar = None
    t_ms: int | None = None
    missed: bool = False
    result: ExchangeResult | None = None
    is_waiting: bool = False


class ExchangeRunner:
    """open() before the bus starts, run() beside it, finish() when it has ended. changed: set when there is
    something to report.
    """

    def __init__(self, plant: Plant, stored: ExchangeLog, execute: Execute, clock: Clock) -> None:
        self.changed = asyncio.Event()
        self._plant = plant
        self._stored = stored
        self._execute = execute
        self._clock = clock
        self._flow: Flow[GatewayRule] = Flow()
        self._given: Sequence[ExchangeRule] = ()
        self._hash: str | None = None
        self._confirmed: str | None = None
        self._problems: Sequence[ExchangeProblem] = ()
        self._places: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._results = Results()
        self._writing: dict[str, tuple[GatewayRule, asyncio.Task[None]]] = {}  # slave -> its write
        self._ending: set[GatewayRule] = set()
        self._offline: set[int] = set()
        self._changing = asyncio.Lock()
        self._wake = asyncio.Event()
        self._count = 0
        self._is_moved = self._is_full = False
        self._saved = clock.monotonic()

    async def open(self) -> None:
        """Take up the rules that are held, where they were."""
        held = await self._stored.held()
        if held is None:
            return
        rules = msgspec.json.decode(held.rules, type=ExchangeRules)
        self._switch(rules)
        now_ms = self._clock.now_ms()
        for each in msgspec.json.decode(held.state, type=list[_Stored]):
            if each.t_ms is not None:
                ago_ms = now_ms - each.t_ms if clock_set(now_ms) else LONG_AGO_MS
                since_ms = self._now_ms() - (ago_ms if ago_ms >= 0 else LONG_AGO_MS)
                self._flow.resume(each.rule, each.sent, since_ms, missed=each.missed)
            if each.result is not None:
                self._results.restore(each.result, is_waiting=each.is_waiting)
        log.info("%d rules of data exchange run here, %d do not", len(self._flow.rules), len(self._problems))

    def put(self, row: Row) -> None:
        """A row that the bus has read or calculated. Never blocks."""
        sources = self._flow.of_source
        if not sources:
            return
        places = self._places.get(row.points)
        if places is None:
            places = tuple(at for at, number in enumerate(row.points) if number in sources)
            self._places[row.points] = places
        for at in places:
            quality = row.qualities[at] if row.qualities else Quality.GOOD
            self._flow.take(row.points[at], row.values[at], int(quality))

    async def run(self) -> None:
        """Until cancelled; then writes that go on have an unknown outcome."""
        try:
            while True:
                await wait(self._clock, self._wake, LOOK_S if self._flow.rules else IDLE_S)
                self.look()
                if self._is_moved and self._clock.monotonic() - self._saved >= SAVE_S:
                    await self.save()
        finally:
            tasks = [task for _, task in self._writing.values()]
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)

    async def finish(self) -> None:
        """The bus has ended: what rules did last is saved."""
        if self._is_moved:
            await self.save()

    def look(self) -> None:
        """Begin what is to be written now, each in a task of its own, at most one of a slave at a time. What
        is for a slave that is silent waits, the newest value of each rule.
        """
        now_ms = self._now_ms()
        ready = self._flow.ready(now_ms)
        if not ready:
            return
        silent = {
            state.slave
            for state in self._plant.states()
            if not state.online and state.reason not in (NEVER_READ, DISABLED)
        }
        for rule in ready:
            slave = rule.target_key.slave
            if slave in silent:
                self._wait_for_slave(rule)
            elif slave not in self._writing and len(self._writing) < MAX_WRITING:
                self._begin(rule, now_ms)

    async def take(self, rules: ExchangeRules) -> None:
        """Other rules of the cloud, durable when this returns. PayloadError when they are not those that
        their hash names; StoreFull.
        """
        if exchange_hash(rules.rules) != rules.hash:
            raise PayloadError("hash", "of the rules that come with it")
        await to_the_end(self._replace(rules))
        self._wake.set()
        self.changed.set()

    async def withdraw(self) -> None:
        """The cloud runs the rules itself."""
        if self._given:
            await self.take(ExchangeRules(hash=exchange_hash([])))

    def report(self, report_id: str) -> ExchangeReport:
        """What is held durably, and results that wait. Rules that came last are held once what those before
        them have begun to write has ended.
        """
        if clock_set(self._clock.now_ms()):
            self._results.date(self._clock.now_ms(), self._clock.monotonic())
        if not self._ending:
            self._confirmed = self._hash
        return ExchangeReport(
            id=report_id,
            hash=self._confirmed,
            problems=list(self._problems),
            results=self._results.report(),
        )

    def acknowledged(self, report: ExchangeReport) -> None:
        """The cloud holds the results of this report."""
        self._results.acknowledged(report.results)
        self._is_moved = self._is_moved or bool(report.results)

    def rows(self) -> list[ExchangeRow]:
        """Every rule that the cloud gave, with its newest result."""
        problems = {each.rule: each.code for each in self._problems}
        return [
            ExchangeRow(
                title=rule.title,
                source=f"{rule.source.slave}.{rule.source.point}",
                target=f"{rule.target.slave}.{rule.target.point}",
                result=self._results.newest.get(rule.id),
                problem=problems.get(rule.id, ""),
            )
            for rule in self._given
        ]

    async def save(self) -> None:
        """What rules did last becomes durable with the next batch's commit."""
        async with self._changing:
            self._is_moved, self._saved = False, self._clock.monotonic()
            try:
                await self._stored.note(self._state(self._flow.rules))
            except StoreFull as error:
                if not self._is_full:
                    log.error("what rules of data exchange did last cannot be saved: %s", error)
                self._is_full = self._is_moved = True
                return
            self._is_full = False

    async def _replace(self, rules: ExchangeRules) -> None:
        async with self._changing:
            if rules.hash == self._hash:
                return
            before = self._flow.rules
            running, _ = rule_set(rules.rules, self._plant.points, self._plant.numbers)
            same = [rule.id for rule in running if before.get(rule.id) == rule]
            payload = msgspec.json.encode(ExchangeRules(hash=rules.hash, rules=rules.rules))
            await self._stored.replace(HeldExchange(payload, self._state(same)))
            self._switch(rules)
            self._take_over(rules.states)
            self._ending |= {
                rule for rule, _ in self._writing.values() if self._flow.rules.get(rule.id) != rule
            }
            log.info("%d rules of data exchange of the cloud run here", len(self._flow.rules))

    def _switch(self, rules: ExchangeRules) -> None:
        running, self._problems = rule_set(rules.rules, self._plant.points, self._plant.numbers)
        self._flow.replace(running)
        self._given, self._hash = rules.rules, rules.hash
        self._places.clear()
        self._offline &= self._flow.rules.keys()
        self._results.keep_only(each.id for each in rules.rules)

    def _take_over(self, states: Sequence[ExchangeState]) -> None:
        """States of the cloud, for rules of which there is none here."""
        for each in states:
            own = self._flow.states.get(each.rule)
            if own is None or own.sent_ms is None:
                self._flow.resume(each.rule, each.sent, self._now_ms() - each.ago_ms, missed=each.missed)

    def _state(self, rules: Mapping[int, GatewayRule] | Sequence[int]) -> bytes:
        now_ms, now = self._clock.now_ms(), self._now_ms()
        stored = []
        for number in rules:
            state = self._flow.states.get(number) or FlowState()
            result, is_waiting = self._results.dated(number)
            stored.append(
                _Stored(
                    rule=number,
                    sent=_cut(state.sent),
                    t_ms=None if state.sent_ms is None else now_ms - (now - state.sent_ms),
                    missed=state.missed,
                    result=result,
                    is_waiting=is_waiting,
                )
            )
        return msgspec.json.encode(stored)

    def _begin(self, rule: GatewayRule, now_ms: int) -> None:
        self._is_moved = True
        self._offline.discard(rule.id)
        source = self._flow.begin(rule, now_ms)
        value = converted(rule, source, rule.sort)
        if value is None:
            self._note(rule, source, source, "failed", UNFIT[rule.sort])
            return
        task = asyncio.create_task(self._write(rule, source, value), name=f"exchange rule {rule.id}")
        self._writing[rule.target_key.slave] = rule, task

    def _wait_for_slave(self, rule: GatewayRule) -> None:
        """Say once that a rule waits."""
        if rule.id not in self._offline:
            self._offline.add(rule.id)
            source = self._flow.states[rule.id].waits
            value = converted(rule, source, rule.sort)
            self._note(rule, source, source if value is None else value, "failed", SLAVE_OFFLINE)

    async def _write(self, rule: GatewayRule, source: Value, value: Value) -> None:
        outcome: Literal["done", "failed", "unknown"] = "unknown"
        code, read, is_missed = INTERRUPTED, None, True
        self._count += 1
        try:
            command = Command(
                id=f"exchange-{rule.id:010d}-{self._count:010d}",
                action=CommandAction.WRITE,
                expires_ms=self._clock.now_ms() + EXPIRES_MS,
                slave=rule.target_key.slave,
                point=rule.target_key.point,
                value=value,
            )
            result = await self._execute(command, f"exchange rule {rule.id} ({rule.title})")
            is_done = result.state == CommandState.RESP.value
            is_unknown = result.outcome is Outcome.UNKNOWN
            outcome = "done" if is_done else "unknown" if is_unknown else "failed"
            code, read = "" if is_done else result.code or "failed", result.value
            is_missed = result.state == CommandState.FAIL.value and code not in ARRIVED
        finally:
            if is_missed:
                self._flow.miss(rule)
            del self._writing[rule.target_key.slave]
            self._ending.discard(rule)
            self._note(rule, source, value, outcome, code, read)

    def _note(
        self,
        rule: GatewayRule,
        source: Value,
        value: Value,
        outcome: Literal["done", "failed", "unknown"],
        code: str = "",
        read: Value = None,
    ) -> None:
        now_ms = self._clock.now_ms()
        result = ExchangeResult(
            rule=rule.id,
            source=_cut(source),
            value=_cut(value),
            t_ms=now_ms,
            outcome=outcome,
            code=code[:MAX_TEXT],
            read=_cut(read),
        )
        self._results.put(result, None if clock_set(now_ms) else self._clock.monotonic())
        self._is_moved = True
        self.changed.set()

    def _now_ms(self) -> int:
        return round(self._clock.monotonic() * 1000)


def _cut(value: Value) -> Value:
    """A text as long as a message may carry it."""
    return value[:MAX_TEXT] if isinstance(value, str) else value
