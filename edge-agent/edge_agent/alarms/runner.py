"""Evaluates the rules of this gateway: rows of the bus in, events and linkages into the store."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from edge_agent.alarms.events import (
    POINT_REMOVED,
    RULE_CHANGED,
    Linkage,
    ended_event,
    event_of,
    limited_event,
    linkages_of,
    targets_of,
)
from edge_agent.alarms.rule_set import RuleSet, rule_set
from edge_agent.alarms.samples import WatchedSamples, cut
from edge_agent.alarms.timeline import event_shifted, merged, phases, shifted
from edge_agent.config.model import Configuration
from edge_agent.errors import StoreFull
from edge_agent.model import DeviceState, PointKey, Row, Sample
from edge_agent.store.base import HeldRules, RuleLog
from edge_agent.store.database import to_the_end
from edge_agent.system.clock import Clock, clock_set, wait
from edge_contract.alarms.engine import Engine
from edge_contract.alarms.evaluation import Transition
from edge_contract.alarms.rule import Signal
from edge_contract.alarms.state import EVER_MS, EngineState, RuleState
from edge_contract.edge_rules import (
    GatewayRule,
    RuleEvent,
    RuleEvents,
    Rules,
    RulesReport,
    connection_signal,
    rules_hash,
)
from edge_contract.errors import PayloadError
from edge_contract.fields import fitting
from edge_contract.freshness import HAS_VALUE
from edge_contract.limits import MAX_EVENTS, MAX_EVENTS_BYTES
from edge_contract.model import Value

log = logging.getLogger(__name__)

LOOK_S = 1.0
"""How often what is due without a sample happens, and slaves are looked at."""

BEHIND_MS = 1000
"""Behind now by so much goes the time without samples: a script's outcome has the time of its operands."""

SAVE_S = 10.0
"""A state that only moved on is saved after so long."""

STEP_MS = 1000
"""A wall clock that moves by more between two looks was set; less is its discipline."""

ABSENT_MS = 60_000
"""After so long without the agent nothing is known of the values between: what is unchanged begins anew."""

MAX_UNRECORDED = 1000
"""Events that wait in memory while the medium is full; the oldest go, counted."""

NEVER_READ, DISABLED = "never_read", "disabled"


@dataclass(frozen=True)
class Sources:
    """numbers: of every point that is configured; slaves: all that are. newest: sample of a point by number;
    states: of every slave now.
    """

    numbers: Mapping[PointKey, int]
    slaves: frozenset[str]
    newest: Callable[[int], Sample | None]
    states: Callable[[], Sequence[DeviceState]]

    @classmethod
    def of(
        cls,
        configuration: Configuration,
        numbers: Mapping[PointKey, int],
        newest: Callable[[int], Sample | None],
        states: Callable[[], Sequence[DeviceState]],
    ) -> Sources:
        """As the gateway is configured."""
        return cls(numbers, frozenset(slave.name for slave in configuration.slaves), newest, states)


class RuleRunner:
    """open() before the bus starts, run() beside it, finish() when it has ended.

    changed: set when there is something to send. linkages: takes those that are noted, with their numbers.
    """

    def __init__(
        self,
        sources: Sources,
        stored: RuleLog,
        clock: Clock,
        linkages: Callable[[Sequence[tuple[int, Linkage]]], None] = lambda _: None,
    ) -> None:
        self.changed = asyncio.Event()
        self.lost_events = 0
        self._sources = sources
        self._stored = stored
        self._clock = clock
        self._linkages = linkages
        self._given: Sequence[GatewayRule] = ()
        self._hash: str | None = None
        self._set = RuleSet()
        self._engine = Engine([])
        self._samples = WatchedSamples()
        self._came = asyncio.Event()
        self._changing = asyncio.Lock()
        self._connected: dict[str, bool] = {}
        self._unrecorded: tuple[list[RuleEvent], list[Linkage]] = ([], [])
        self._offset_ms = self._offset()
        self._is_moved = self._is_full = False
        self._looked = self._saved = clock.monotonic()
        self._phases: list[object] = []

    async def open(self) -> None:
        """Take up the rules that are held, where they were."""
        held = await self._stored.held()
        if held is None:
            return
        rules = msgspec.json.decode(held.rules, type=Rules)
        state = msgspec.json.decode(held.state, type=EngineState)
        self._given, self._hash = rules.rules, rules.hash
        now = self._clock.now_ms()
        is_known = state.now_ms != EVER_MS
        gap_ms = now - state.now_ms if is_known else 0
        was_unset = is_known and clock_set(now) and not clock_set(state.now_ms)
        if was_unset or gap_ms < -STEP_MS:
            state = shifted(state, gap_ms)
        if was_unset:
            await self._stored.change_waiting(lambda event: event_shifted(event, gap_ms))
        self._begin(rule_set(self._given, self._sources.numbers, self._sources.slaves), state, now)
        self._note(self._ended({}, now), [])
        if gap_ms > ABSENT_MS and not was_unset:
            names: list[Signal] = list(self._set.points.values())
            self._note(*self._outcome_of(self._engine.feed(state.now_ms + 1, names, [None] * len(names))))
        log.info("%d rules are evaluated here, %d are not", len(self._set.rules), len(self._set.problems))

    def put(self, row: Row) -> None:
        """A row that the bus has read or calculated. Never blocks."""
        if self._samples.put(row):
            self._came.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await wait(self._clock, self._came, LOOK_S)
            await to_the_end(self._look())

    async def finish(self) -> None:
        """The bus has ended: what came is evaluated, and the state is saved."""
        await to_the_end(self._look(save=True))

    async def take(self, rules: Rules) -> None:
        """Other rules of the cloud, durable when this returns. PayloadError when they are not those that
        their hash names; StoreFull.
        """
        if rules_hash(rules.rules) != rules.hash:
            raise PayloadError("hash", "of the rules that come with it")
        await to_the_end(self._replace(rules))
        self.changed.set()

    async def withdraw(self) -> None:
        """The cloud evaluates the rules itself."""
        if self._given:
            numbers = [each.rule.id for each in self._given]
            await self.take(Rules(hash=rules_hash([]), returned=numbers))

    def report(self) -> RulesReport:
        """What is held durably."""
        return RulesReport(hash=self._hash, problems=list(self._set.problems))

    async def waiting(self, stream: str) -> RuleEvents | None:
        """Events for one report, the oldest first; of a time before the clock was set only once it is."""
        events = await self._stored.waiting(MAX_EVENTS)
        sent = fitting([event for event in events if clock_set(event.t_ms)], MAX_EVENTS_BYTES)
        if not sent or sent[0] is not events[0]:
            return None
        return RuleEvents(stream=stream, events=sent, dropped=self.lost_events + await self._stored.dropped())

    async def acknowledged(self, upto_seq: int) -> None:
        """The cloud holds the events up to this one."""
        await self._stored.acknowledged(upto_seq)
        self.changed.set()

    def open_alarms(self) -> list[tuple[GatewayRule, RuleState]]:
        """Alarms that there are, the newest first."""
        alarms = [each for each in self._engine.state().rules if each.raised_ms is not None]
        alarms.sort(key=lambda each: each.raised_ms or 0, reverse=True)
        return [(self._set.rules[each.id], each) for each in alarms]

    def title(self, rule: int) -> str:
        """Of a rule; empty for one that is gone."""
        return self._set.rules[rule].title if rule in self._set.rules else ""

    async def newest(self, limit: int) -> list[RuleEvent]:
        """Events, the newest first, those that the cloud holds too."""
        return await self._stored.newest(limit)

    def _offset(self) -> int:
        return self._clock.now_ms() - round(self._clock.monotonic() * 1000)

    def _begin(self, rules: RuleSet, state: EngineState, now: int) -> None:
        self._set = rules
        self._engine = Engine(rules.evaluated, state, now)
        self._samples.watch(rules.points)
        self._connected.clear()

    async def _replace(self, rules: Rules) -> None:
        async with self._changing:
            if rules.hash != self._hash:
                await self._evaluate()
                await self._switch(rules)

    async def _switch(self, rules: Rules) -> None:
        now = self._clock.now_ms()
        before = self._set, self._engine
        state = merged(self._engine.state(), rules.state)
        self._begin(rule_set(rules.rules, self._sources.numbers, self._sources.slaves), state, now)
        events = self._ended({each.rule.id: each for each in rules.rules}, now, rules.returned)
        transitions = self._caught_up(state)
        told, linkages = self._outcome_of(transitions)
        payload = msgspec.json.encode(Rules(hash=rules.hash, rules=rules.rules))
        try:
            await self._stored.replace(
                HeldRules(payload, msgspec.json.encode(self._engine.state())), [*events, *told]
            )
        except StoreFull:
            self._set, self._engine = before
            self._samples.watch(self._set.points)
            raise
        self._given, self._hash = rules.rules, rules.hash
        self._note([], linkages)
        await self._record(force=bool(linkages))
        log.info("%d rules of the cloud are evaluated here", len(self._set.rules))

    def _caught_up(self, state: EngineState) -> list[Transition]:
        """What rules that were evaluated elsewhere have not seen, and for new ones how everything is."""
        newest: dict[Signal, tuple[int, Value]] = {}
        for number, signal in self._set.points.items():
            sample = self._sources.newest(number)
            if sample is not None and sample.value is not None and sample.quality in HAS_VALUE:
                newest[signal] = sample.t_ms, cut(sample.value)
        now = self._clock.now_ms()
        for slave, is_connected in self._connections().items():
            self._connected[slave] = is_connected
            newest[connection_signal(slave)] = now, is_connected
        known = {each.signal: each.t_ms for each in state.signals}
        transitions: list[Transition] = []
        for signal, (t_ms, value) in sorted(newest.items(), key=lambda item: item[1][0]):
            if t_ms > known.get(signal, t_ms):
                transitions += self._engine.feed(t_ms, [signal], [value])
        return transitions + self._engine.begin(newest)

    def _connections(self) -> dict[str, bool]:
        """Of the slaves that rules look at, those of which it is known."""
        if not self._set.slaves:
            return {}
        return {
            state.slave: state.online
            for state in self._sources.states()
            if state.slave in self._set.slaves and state.reason not in (NEVER_READ, DISABLED)
        }

    def _ended(
        self, rules: Mapping[int, GatewayRule], now: int, returned: Sequence[int] = ()
    ) -> list[RuleEvent]:
        """Alarms whose rules do not go on here. rules: that are wanted."""
        problems = {each.rule for each in self._set.problems}
        return [
            ended_event(each, now, POINT_REMOVED if each.id in problems else RULE_CHANGED)
            for each in self._engine.dropped
            if each.id not in returned or each.id in rules
        ]

    async def _look(self, *, save: bool = False) -> None:
        async with self._changing:
            await self._evaluate(save=save)

    async def _evaluate(self, *, save: bool = False) -> None:
        """Evaluate what came and what is due, and record what came of it."""
        await self._follow_clock()
        now = self._clock.now_ms()
        transitions: list[Transition] = []
        for row in self._samples.take(now):
            transitions += self._engine.feed(*row)
            self._is_moved = True
        monotonic = self._clock.monotonic()
        is_due = monotonic - self._looked >= LOOK_S
        if is_due or save:
            self._looked = monotonic
            for slave, is_connected in self._connections().items():
                if self._connected.get(slave) is not is_connected:
                    self._connected[slave] = is_connected
                    transitions += self._engine.feed(now, [connection_signal(slave)], [is_connected])
                    self._is_moved = True
            if self._set.rules:
                transitions += self._engine.advance(now - BEHIND_MS)
        self._note(*self._outcome_of(transitions))
        if self._given:
            self._note([limited_event(each) for each in self._engine.linkages.ended(now)], [])
        await self._record(force=save, look=is_due)

    async def _follow_clock(self) -> None:
        """The wall clock was set: times go on from there (C-168)."""
        offset_ms = self._offset()
        moved_ms = offset_ms - self._offset_ms
        if abs(moved_ms) <= STEP_MS:
            return
        self._offset_ms = offset_ms
        now = self._clock.now_ms()
        if not self._given:
            return
        log.warning("the clock was moved by %d ms: delays of rules go on by the time that passed", moved_ms)
        self._engine = Engine(self._set.evaluated, shifted(self._engine.state(), moved_ms), now)
        events, linkages = self._unrecorded
        self._unrecorded = [event_shifted(each, moved_ms) for each in events], linkages
        if clock_set(now) and not clock_set(now - moved_ms):
            await self._stored.change_waiting(lambda event: event_shifted(event, moved_ms))
            self.changed.set()
        self._is_moved = True

    def _outcome_of(self, transitions: Sequence[Transition]) -> tuple[list[RuleEvent], list[Linkage]]:
        events: list[RuleEvent] = []
        linkages: list[Linkage] = []
        for each in transitions:
            events.append(event_of(each))
            due = linkages_of(self._set.rules[each.rule], each)
            if not due:
                continue
            first = due[0].linkage
            verdict = self._engine.linkages.admit(
                each.rule, first.on, first.preset, targets_of(due), each.t_ms, len(due)
            )
            if verdict.may_write:
                linkages += due
            elif verdict.began is not None:
                log.warning("linkages of rule %d rest: more than they may write", each.rule)
                events.append(limited_event(verdict.began))
        return events, linkages

    def _note(self, events: Sequence[RuleEvent], linkages: Sequence[Linkage]) -> None:
        """For the next commit; both wait in memory while the medium is full."""
        for waiting, more in zip(self._unrecorded, (events, linkages), strict=True):
            waiting += more  # type: ignore[operator]
            beyond = len(waiting) - MAX_UNRECORDED
            if beyond > 0:
                del waiting[:beyond]
                self.lost_events += beyond

    async def _record(self, *, force: bool = False, look: bool = False) -> None:
        events, linkages = self._unrecorded
        has_news = bool(events or linkages)
        if not (self._given and (has_news or force or (self._is_moved and look))):
            return
        state = self._engine.state()
        now = self._clock.monotonic()
        if not (has_news or force or now - self._saved >= SAVE_S or phases(state) != self._phases):
            return
        encoded = [msgspec.json.encode(each) for each in linkages]
        try:
            numbers = await self._stored.record(msgspec.json.encode(state), events, encoded)
        except StoreFull as error:
            if not self._is_full:
                log.error("events of rules cannot be stored, they wait in memory: %s", error)
            self._is_full = True
            return
        self._is_full = self._is_moved = False
        self._unrecorded, self._saved, self._phases = ([], []), now, phases(state)
        if linkages:
            self._linkages(list(zip(numbers, linkages, strict=True)))
        if events:
            self.changed.set()
