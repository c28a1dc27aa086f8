"""Records what rules at gateways have found: each event once, with its own times."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from weakref import WeakValueDictionary

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.core.text import storable
from cloud.db import Database
from cloud.domains.alarms.rule_alarms import (
    POINT_REMOVED,
    RECOVERED,
    RULE_CHANGED,
    AlarmAgain,
    AlarmOver,
    RuleAlarms,
    RuleFinding,
)
from cloud.domains.triggers.gateway_linkages import note_linkages
from cloud.domains.triggers.homes import RAISED, VERSION, noted
from cloud.domains.triggers.models import RuleHome
from cloud.domains.triggers.recording import alarm_of
from cloud.domains.triggers.repository import TriggerRepository
from cloud.domains.triggers.running import EvaluatedRule
from edge_contract.alarms.evaluation import Transition, TransitionKind
from edge_contract.edge_rules import RuleEvent, RuleEventKind, RuleEvents

log = logging.getLogger(__name__)

RuleOf = Callable[[int, int], EvaluatedRule | None]
"""Of a gateway, by number; None for one that is gone, switched off, or not of this gateway alone."""


class GatewayEventRecorder:
    """changed: called with a gateway whose alarms are others now, after the commit."""

    def __init__(
        self,
        database: Database,
        alarms: RuleAlarms,
        rule_of: RuleOf,
        changed: Callable[[int], Awaitable[None]],
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._alarms = alarms
        self._rule_of = rule_of
        self._changed = changed
        self._clock = clock
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def record(self, gateway: str, came: RuleEvents) -> None:
        """All of a report or nothing; what was recorded before changes nothing. Reports of one gateway take
        turns, and those that wait hold no connection: one that was not answered in time comes again while the
        one before goes on. Raises SQLAlchemyError.
        """
        turn = self._turns.setdefault(gateway, asyncio.Lock())  # gone once nobody holds it
        async with turn:
            await self._record(gateway, came)

    async def _record(self, gateway: str, came: RuleEvents) -> None:
        async with self._database.session() as session:
            repository = TriggerRepository(session, Scope.system())
            home = await repository.home(gateway)
            if home is None:
                return
            if home.stream != came.stream:
                home.stream, home.seq = came.stream, 0
            new = [event for event in came.events if event.seq > home.seq]
            findings: list[RuleFinding] = []
            for event in new:
                noted(home, event)
                findings += self._findings(home.device_id, event)
            await self._note_linkages(session, repository, home.device_id, new)
            await self._alarms.record(session, findings)
            home.seq = max(home.seq, came.events[-1].seq)
            if came.dropped != home.dropped:
                log.warning("gateway %s could not keep %d events of its rules", gateway, came.dropped)
                home.dropped = came.dropped
            number = home.device_id
            await session.commit()
        if new:
            await self._changed(number)

    async def end_missing(self) -> None:
        """Alarms at gateways whose rules are others now, switched off or gone end at once, also when their
        gateway is away; what it says of them later changes nothing. Raises SQLAlchemyError.
        """
        async with self._database.reading() as session:
            homes = await TriggerRepository(session, Scope.system()).homes()
        for number, home in homes.items():
            missing = {
                key: alarm
                for key, alarm in home.alarms.items()
                if (rule := self._rule_of(number, int(key))) is None or rule.rule.version != alarm[VERSION]
            }
            if not missing:
                continue
            async with self._database.session() as session:
                row = await session.get(RuleHome, number)
                if row is None:
                    continue
                row.alarms = {key: alarm for key, alarm in row.alarms.items() if key not in missing}
                now = self._clock()
                ended = [
                    AlarmOver(int(key), alarm[RAISED], now, None, RULE_CHANGED, of=number)
                    for key, alarm in missing.items()
                ]
                await self._alarms.record(session, ended)
                await session.commit()
            await self._changed(number)

    async def _note_linkages(
        self,
        session: AsyncSession,
        repository: TriggerRepository,
        device_id: int,
        events: Sequence[RuleEvent],
    ) -> None:
        linkages = [
            (rule, event)
            for event in events
            if event.kind is RuleEventKind.LINKAGE and (rule := self._rule_of(device_id, event.rule))
        ]
        if linkages:
            await note_linkages(session, repository, device_id, linkages, self._clock())

    def _findings(self, device_id: int, event: RuleEvent) -> Iterator[RuleFinding]:
        """What an event says of an alarm."""
        rule = self._rule_of(device_id, event.rule)
        number, raised_ms, at_ms = event.rule, event.raised_ms, event.t_ms
        match event.kind:
            case RuleEventKind.RAISED:
                if rule is not None and rule.body.alarm_notify:
                    yield alarm_of(rule, _transition(rule, event))
            case RuleEventKind.AGAIN:
                yield AlarmAgain(number, raised_ms, at_ms, of=device_id)
            case RuleEventKind.CLEARED | RuleEventKind.ENDED:
                cause = RECOVERED
                if event.kind is RuleEventKind.ENDED:
                    cause = POINT_REMOVED if event.cause == POINT_REMOVED else RULE_CHANGED
                yield AlarmOver(number, raised_ms, at_ms, event.value, cause, of=device_id)
            case RuleEventKind.LINKAGE:
                return  # of what was written


def _transition(rule: EvaluatedRule, event: RuleEvent) -> Transition:
    """An event as the engine here would have made it. A rule that has fewer conditions by now is named by its
    first.
    """
    condition = event.condition if event.condition < len(rule.places) else 0
    value = storable(event.value, 200) if isinstance(event.value, str) else event.value
    return Transition(
        event.rule, event.version, TransitionKind.RAISED, event.t_ms, event.raised_ms, event.since_ms,
        condition, value,
    )  # fmt: skip
