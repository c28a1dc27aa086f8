"""Values in, alarms and linkages out. Rules of one gateway have an engine of their own, those over several
gateways one together.

A transition is committed with the state that it came from, so a kill at any moment makes it once: the state
before is read, and what was stored since is evaluated again. Nothing is queued: values are evaluated as they
come, and what could not be committed is found again the same way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace
from prometheus_client import Counter
from sqlalchemy.exc import SQLAlchemyError

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.rule_alarms import RULE_CHANGED
from cloud.domains.triggers.homes import with_conditions
from cloud.domains.triggers.limits import MAX_RULES
from cloud.domains.triggers.linkage import Linkages
from cloud.domains.triggers.recording import Ended, GroupFindings, TransitionRecorder, portions
from cloud.domains.triggers.repository import TriggerRepository
from cloud.domains.triggers.rule_group import SAVE_MS, RuleGroup
from cloud.domains.triggers.rules import slave_signal
from cloud.domains.triggers.running import (
    EvaluatedRule,
    Running,
    Targets,
    no_targets,
    presets_of,
    running,
    stored_rules,
)
from cloud.domains.triggers.schemas import RuleStateRow
from cloud.domains.triggers.stored import CATCH_UP_MS, Row, rows_of, unseen_rows
from cloud.timeseries.base import SeriesColumn, TimeSeries, TimeSeriesError
from cloud.timeseries.series_table import columns_of, newest_time_of
from edge_contract.alarms.evaluation import Transition
from edge_contract.alarms.rule import Signal
from edge_contract.alarms.state import EngineState, RuleState
from edge_contract.freshness import HAS_VALUE, UNDER_WAY_MS
from edge_contract.limits import CLOCK_AHEAD_MS
from edge_contract.model import Value

log = logging.getLogger(__name__)

LOOK_S = 10.0
"""Triggers that another process changed count after so long."""

RENEW_MS = 60_000
"""What gateways have is looked at again after so long."""

ADVANCE_S = 1.0
"""Interval at which what is due without a value happens, and states are saved."""

SILENT_MS = 20_000
"""Behind now by so much, and by its report interval, goes the time of a gateway that sends nothing: what is
under way must not come after its end.
"""

AHEAD_MS = 5_000
"""A gateway whose clock is ahead by more is evaluated by the time at which its values come: once it is right,
they would otherwise be older than those before for as long.
"""

MAX_WAITING = 1000
"""Groups of values that come while a group is brought up to date; with more it begins again."""

GATHER_S = 0.1
"""After a commit: what comes meanwhile is one commit too, and others write. An alarm that comes alone does
not wait for it.
"""

RETRY_S = 5.0
"""After the database was away."""

TRANSITIONS = Counter("edge_alarm_transitions", "Transitions of alarm rules", ["kind"])


class Evaluator:
    """One in the full process. targets: points that presets write."""

    def __init__(
        self,
        database: Database,
        series: TimeSeries,
        recorder: TransitionRecorder,
        linkages: Linkages,
        *,
        targets: Targets = no_targets,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._targets = targets
        self._series = series
        self._recorder = recorder
        self._linkages = linkages
        self._clock = clock
        self._groups: dict[int, RuleGroup] = {}
        self._running = Running()
        self._record = asyncio.Event()
        self._changing = asyncio.Lock()
        self._recording = asyncio.Lock()
        self._is_begun = False
        self._is_stale = False
        self._mark = (0, 0)
        self._refreshed_ms = 0
        self.generation = 0  # rises whenever the rules were taken anew

    @property
    def running(self) -> Running:
        """Which rules there are, here and at gateways."""
        return self._running

    @property
    def is_idle(self) -> bool:
        """There are no rules."""
        return not self._groups

    def take(self, device_id: int, columns: Sequence[SeriesColumn], *, are_live_only: bool = False) -> None:
        """Newer values of a gateway, stored ones or those of points that are in no store."""
        signals = self._running.live_only if are_live_only else self._running.stored
        rows = rows_of(columns_of(columns, signals))
        newest_ms = newest_time_of(columns)
        ahead_ms = newest_ms - self._clock()
        if ahead_ms > AHEAD_MS:
            rows = [(row[0] - ahead_ms, row[1], row[2], row[3]) for row in rows]
            newest_ms -= ahead_ms
        for group in self._of(device_id):
            self._feed(group, rows, 0 if are_live_only or group.device_id == 0 else newest_ms)

    def slave(self, device_id: int, slave_id: int, is_connected: bool, t_ms: int) -> None:
        """A slave answers again, or does not any more."""
        row: Row = (t_ms, [slave_signal(slave_id)], [is_connected], [0])
        for group in self._of(device_id):
            self._feed(group, [row], 0)

    def states(self, rules: Collection[int]) -> dict[int, RuleStateRow]:
        """What is known of rules that are evaluated here."""
        known: dict[int, RuleStateRow] = {}
        for group in self._groups.values():
            if wanted := group.rules.keys() & set(rules):
                known |= {
                    each.id: RuleStateRow(since_ms=each.since_ms, raised_ms=each.raised_ms)
                    for each in group.engine.state().rules
                    if each.id in wanted
                }
        return known

    def rule_of(self, device_id: int, rule_id: int) -> EvaluatedRule | None:
        """A rule of this gateway alone, wherever it is evaluated."""
        running = self._running
        away = running.at_gateways.get(device_id, {}).get(rule_id)
        return away or running.groups.get(device_id, {}).get(rule_id)

    async def pause(self, device_id: int) -> EngineState:
        """Stop evaluating the rules of a gateway, and what is known of them: all before it is recorded. What
        comes is found again by release().
        """
        group = self._groups.get(device_id)
        while group is not None and not group.is_lost:
            group.is_moved, group.saved_ms = True, 0
            await self.record()
            if not (group.has_findings or group.is_lost):
                group.waiting = []
                return group.engine.state()
            group = self._groups.get(device_id)
        return EngineState()

    async def release(self, device_id: int) -> None:
        """Go on with the rules of a gateway that are evaluated here."""
        group = self._groups.get(device_id)
        if group is not None:
            group.is_lost = True
        await self.refresh()

    def wants_refresh(self) -> None:
        """A gateway is gone, or the settings of points are others: it shows with the next advance()."""
        self._is_stale = True

    async def look(self) -> None:
        """Periodic: refresh() when another process changed a trigger, and after RENEW_MS because gateways may
        have given up points.
        """
        async with self._database.reading() as session:
            mark = await TriggerRepository(session, Scope.system()).mark()
        now = self._clock()
        is_lost = any(group.is_lost for group in self._groups.values())
        if is_lost or mark != self._mark or now - self._refreshed_ms >= RENEW_MS:
            await self.refresh()

    async def refresh(self) -> None:
        """At the start and after each change: which rules run. Those that say the same go on."""
        async with self._changing:
            async with self._database.reading() as session:
                repository = TriggerRepository(session, Scope.system())
                self._mark, self._refreshed_ms = await repository.mark(), self._clock()
                bodies = await stored_rules(repository, MAX_RULES)
            written = await self._targets(presets_of(bodies))
            async with self._database.reading() as session:
                repository = TriggerRepository(session, Scope.system())
                now_running = await running(repository, bodies, written)
                saved = {} if self._is_begun else await repository.states()
            lost = [number for number, group in self._groups.items() if group.is_lost]
            if lost:
                async with self._database.reading() as session:
                    saved = await TriggerRepository(session, Scope.system()).states()
            self._running = now_running
            self.generation += 1
            for device_id in now_running.groups.keys() | self._groups.keys() | saved.keys():
                await self._take_over(device_id, now_running, saved.get(device_id))
            self._is_begun = True
            idle = [
                number for number, group in self._groups.items() if not (group.rules or group.has_findings)
            ]
            for number in idle:
                del self._groups[number]
            if idle:
                async with self._database.session() as session:
                    await TriggerRepository(session, Scope.system()).forget_states(idle)
                    await session.commit()
        self._record.set()

    async def advance(self) -> None:
        """Periodic: what is due without a value, of gateways that are online."""
        if self._is_stale:
            self._is_stale = False
            async with self._database.session() as session:
                await TriggerRepository(session, Scope.system()).delete_without_gateways()
                await session.commit()
            await self.refresh()
        if not self._groups:
            return
        now = self._clock()
        async with self._database.reading() as session:
            repository = TriggerRepository(session, Scope.system())
            online = await repository.online([number for number in self._groups if number])
        for device_id, group in list(self._groups.items()):
            if group.waiting is not None or group.is_lost:
                continue
            if device_id == 0:
                self._note(group, group.engine.advance(now - SILENT_MS))
            elif device_id in online:
                behind_ms = max(SILENT_MS, UNDER_WAY_MS + online[device_id] * 1000)
                self._note(group, group.engine.advance(now - behind_ms))
            if group.end_rests(now):
                self._record.set()
            if group.is_moved and now - group.saved_ms >= SAVE_MS:
                self._record.set()

    async def run(self) -> None:
        """Commit transitions and states, then have linkages carried out; until cancelled."""
        while True:
            await self._record.wait()
            self._record.clear()
            try:
                await self.record()
            except (SQLAlchemyError, OSError) as error:
                log.error("linkages wait to be carried out: %s", error)
                await asyncio.sleep(RETRY_S)
                self._record.set()
            await asyncio.sleep(GATHER_S)

    async def record(self) -> None:
        """One round of run()."""
        async with self._recording:
            await self._record_groups()
        await self._linkages.carry_out()

    async def _record_groups(self) -> None:
        for some in portions(self._findings(self._clock())):
            if len(some) > 1 and await self._recorded(some, is_last_try=False):
                continue
            # One that cannot be recorded must not keep the others from it.
            for one in some:
                await self._recorded([one], is_last_try=True)

    def _findings(self, now_ms: int) -> Iterator[GroupFindings]:
        for device_id, group in list(self._groups.items()):
            if self._groups.get(device_id) is group and group.is_due(now_ms):
                yield group.findings(now_ms)

    async def _recorded(self, findings: list[GroupFindings], *, is_last_try: bool) -> bool:
        try:
            await self._recorder.record(findings)
        except (SQLAlchemyError, OSError) as error:
            for each in findings if is_last_try else []:
                log.error("alarms of gateway %d are evaluated again: %s", each.device_id, error)
                if (group := self._groups.get(each.device_id)) is not None:  # another one by now, perhaps
                    group.is_lost = True
            return False
        for each in findings:
            for transition in each.transitions:
                TRANSITIONS.labels(transition.kind.value).inc()
        return True

    def _of(self, device_id: int) -> list[RuleGroup]:
        both = (self._groups.get(device_id), self._groups.get(0))
        return [group for group in both if group is not None and not group.is_lost]

    def _feed(self, group: RuleGroup, rows: Sequence[Row], upto_ms: int) -> None:
        """upto_ms: what is due by then happens, 0 for none."""
        if group.waiting is not None:
            group.waiting.append((upto_ms, rows))
            group.is_lost = group.is_lost or len(group.waiting) > MAX_WAITING
            return
        for row in rows:
            self._note(group, group.engine.feed(*row))
        if upto_ms:
            self._note(group, group.engine.advance(upto_ms))
        group.is_moved = group.is_moved or bool(rows)

    def _note(self, group: RuleGroup, transitions: list[Transition]) -> None:
        if transitions:
            group.take(transitions)
            self._record.set()

    async def _take_over(self, device_id: int, now_running: Running, saved: str | None) -> None:
        """One group as its rules are now, with what is known of them."""
        rules = now_running.groups.get(device_id, {})
        before = self._groups.get(device_id)
        if before is not None and not before.is_lost:
            if before.versions == [(rule.rule.id, rule.rule.version) for rule in rules.values()]:
                before.rules = rules
                return
            state: EngineState | None = before.engine.state()
        else:
            state = None if saved is None else msgspec.json.decode(saved, type=EngineState)
        now = self._clock()
        state = _with_returned(state, rules, now_running.returned.get(device_id, []))
        group = RuleGroup(device_id, rules, state, now)
        if before is not None and not before.is_lost:
            group.transitions, group.ended = before.transitions, before.ended
            group.writing, group.rests = before.writing, before.rests
        away = now_running.at_gateways.get(device_id, {})
        group.ended += [
            Ended(each, now, RULE_CHANGED)
            for each in group.engine.dropped
            if each.id not in away or away[each.id].rule.version != each.version
        ]
        self._groups[device_id] = group
        await self._catch_up(group, now_running, now)
        came, group.waiting = group.waiting or [], None
        for upto_ms, rows in came:
            self._feed(group, rows, upto_ms)
        group.is_moved = True

    async def _catch_up(self, group: RuleGroup, now_running: Running, now: int) -> None:
        """What was stored since its state, and for new rules how everything is."""
        engine = group.engine
        for name, (since_ms, is_connected) in now_running.slaves.items():
            if name in engine.signals:
                self._note(group, engine.feed(since_ms, [name], [is_connected]))
        newest = {each.signal: each.t_ms for each in engine.state().signals}
        known = [name for name in engine.signals if isinstance(name, int) and name in newest]
        points = [name for name in engine.new_signals if isinstance(name, int)]
        try:
            async for row in unseen_rows(
                self._series, known, newest, now - CATCH_UP_MS, now + CLOCK_AHEAD_MS
            ):
                self._note(group, engine.feed(*row))
            last = await self._series.latest(points) if points else {}
        except TimeSeriesError as error:
            log.warning("alarms of gateway %d begin with the next values: %s", group.device_id, error)
            last = {}
        values: dict[Signal, tuple[int, Value]] = {
            point: (sample.t_ms, sample.value)
            for point, sample in last.items()
            if sample.quality in HAS_VALUE
        }
        self._note(group, engine.begin({**now_running.slaves, **values}))


def _with_returned(
    state: EngineState | None, rules: Mapping[int, EvaluatedRule], returned: Sequence[RuleState]
) -> EngineState | None:
    """With the alarms of rules that a gateway has given back, where there is no own state of them."""
    known = {each.id for each in state.rules} if state is not None else set()
    came = [
        with_conditions(each, len(rules[each.id].rule.conditions))
        for each in returned
        if each.id in rules and each.id not in known and rules[each.id].rule.version == each.version
    ]
    if not came:
        return state
    return replace(state or EngineState(), rules=[*(state.rules if state else []), *came])
