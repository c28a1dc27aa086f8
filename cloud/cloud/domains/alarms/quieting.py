"""What keeps an alarm quiet, decided in the transaction that raises it or that changes a suppression.

An alarm of a rule that begins while its gateway is offline is suppressed by design until the gateway has
been back for STABLE_MS; that of a silent slave lies under the gateway's outage alarm instead, if there is
one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.events import AlarmsAnnounced, AnnouncedChange
from cloud.core.scope import Scope
from cloud.domains.alarms.event_publisher import Announce, unannounced
from cloud.domains.alarms.history import AlarmHistory, Who
from cloud.domains.alarms.life_cycle import Change, State, is_announced
from cloud.domains.alarms.models import AlarmEvent, Suppression
from cloud.domains.alarms.repository import AlarmRepository
from cloud.domains.alarms.suppression_repository import (
    STABLE_MS,
    SuppressionRepository,
    cause_of,
    quiet_of,
    rule_of,
)


@dataclass(frozen=True)
class Quiet:
    """Of a new alarm. state: empty when nothing keeps it quiet; by: which suppression, None for an offline
    gateway; parent_id: its root cause.
    """

    state: str = ""
    by: Suppression | None = None
    parent_id: int | None = None


@dataclass(frozen=True)
class NewAlarm:
    """What is asked of an alarm that a rule raises. is_silent_slave: it speaks of a slave, not of a value."""

    device_id: int
    rule_id: int
    since_ms: int
    is_silent_slave: bool


class Quieting:
    """Its methods work on the caller's session, and commit nothing."""

    def __init__(
        self, history: AlarmHistory, announce: Announce = unannounced, *, clock: NowMs = now_ms
    ) -> None:
        self._history = history
        self._announce = announce
        self._clock = clock

    async def of_rules(
        self, session: AsyncSession, alarms: Sequence[NewAlarm], online: Mapping[int, int | None]
    ) -> list[Quiet]:
        """Of alarms that rules raise, in their order. online: since when gateways are, as of lock()."""
        repository, now = SuppressionRepository(session, Scope.system()), self._clock()
        devices = {each.device_id for each in alarms}
        lasting: dict[int, list[Suppression]] = defaultdict(list)
        for suppression in await repository.of(devices, now):
            lasting[suppression.device_id].append(suppression)
        silent = [each for each in alarms if each.is_silent_slave]
        outages = await repository.outages_over(
            {each.device_id for each in silent}, [each.since_ms for each in silent]
        )
        return [
            self._of_rule(each, lasting[each.device_id], online.get(each.device_id), outages)
            for each in alarms
        ]

    def _of_rule(
        self, alarm: NewAlarm, lasting: list[Suppression], online_since: int | None, outages: list[AlarmEvent]
    ) -> Quiet:
        parent_id = cause_of(outages, alarm.device_id, alarm.since_ms) if alarm.is_silent_slave else None
        state, by = quiet_of(lasting, alarm.rule_id)
        if not state and parent_id is None and online_since is None:
            state = State.SUPPRESSED.value
        return Quiet(state, by, parent_id)

    async def of_outage(self, session: AsyncSession, device_id: int) -> Quiet:
        """Of a gateway's outage alarm."""
        repository = SuppressionRepository(session, Scope.system())
        await repository.lock([device_id])
        return Quiet(*quiet_of(await repository.of([device_id], self._clock()), None))

    async def fold(self, session: AsyncSession, outage: AlarmEvent, since_ms: int) -> None:
        """Alarms of silent slaves that began in an outage that is noted only now, lie under it."""
        repository = SuppressionRepository(session, Scope.system())
        for event in await repository.silent_slaves(outage.device_id, since_ms):
            event.parent_id = outage.id
            self._history.changed(session, event, Change.FOLDED)

    async def reconcile(
        self, session: AsyncSession, device_ids: Collection[int], who: Who = None, note: str = ""
    ) -> None:
        """Alarms of gateways that stand become quiet or are announced, as their suppressions now say; those
        whose root cause is over for STABLE_MS come out from under it. who, note: of what is changed by it.
        """
        now = self._clock()
        repository = SuppressionRepository(session, Scope.system())
        online = await repository.lock(device_ids)
        lasting: dict[int, list[Suppression]] = defaultdict(list)
        for each in await repository.of(device_ids, now):
            lasting[each.device_id].append(each)
        causes = await repository.outages(device_ids, now - STABLE_MS)
        announced: list[AnnouncedChange] = []
        for event in await repository.unresolved(device_ids):
            is_back = False
            state, _ = quiet_of(lasting[event.device_id], rule_of(event))
            since = online.get(event.device_id)
            is_away = since is None or event.noted_ms < since > now - STABLE_MS
            if not state and is_away and event.rule_id is not None and event.quiet == State.SUPPRESSED:
                state = event.quiet
            if state != event.quiet:
                event.quiet = state
                self._history.changed(session, event, Change(state or Change.RESTORED), who, note)
                is_back = not state
            if event.parent_id is not None and event.parent_id not in causes:
                event.parent_id = None
                self._history.changed(session, event, Change.UNFOLDED)
                is_back = True
            if is_back and is_announced(event.quiet, event.parent_id) and event.acked_ms is None:
                event.announced, event.last_ms = event.announced + 1, now
                announced.append(AnnouncedChange(event.id, "again", event.announced))
        await session.flush()
        await AlarmRepository(session, Scope.system()).count_open(device_ids)
        if announced:
            await self._announce(AlarmsAnnounced(session, announced))
