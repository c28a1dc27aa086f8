"""Makes events of what the on-offline log notes.

offline_notify counts when the absence is logged; the recovery of an alarm that was deleted is not made.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.events import Absence, AlarmsAnnounced, AnnouncedChange
from cloud.core.scope import Scope
from cloud.domains.alarms.codes import AlarmType
from cloud.domains.alarms.event_publisher import (
    Announce,
    EventPublisher,
    alarm_event,
    on_offline_event,
    unannounced,
)
from cloud.domains.alarms.history import AlarmHistory
from cloud.domains.alarms.life_cycle import Change, State, is_announced
from cloud.domains.alarms.quieting import Quieting
from cloud.domains.alarms.repository import AlarmRepository
from cloud.domains.alarms.states import Status


class OutageEvents:
    """Its `noted` is called in the transaction that writes the log: both are there, or neither.

    A gateway whose offline_notify is on makes an alarm when its absence is logged, and a recovery when that
    alarm's absence ends. An absence is named by its gateway and beginning, so that it makes each only once.
    """

    def __init__(
        self, publisher: EventPublisher, announce: Announce = unannounced, *, clock: NowMs = now_ms
    ) -> None:
        self._publisher = publisher
        self._announce = announce
        self._clock = clock
        self._history = AlarmHistory(publisher, clock=clock)
        self._quieting = Quieting(self._history, clock=clock)

    async def noted(self, session: AsyncSession, absence: Absence) -> None:
        came = absence.online_ms is not None
        at_ms = absence.offline_ms if absence.online_ms is None else absence.online_ms
        self._publisher.publish_after_commit(
            session,
            on_offline_event(absence.device_id, absence.entry_id, absence.slave_id, int(came), at_ms),
        )
        if absence.slave_id is not None:
            return
        repository = AlarmRepository(session, Scope.system())
        if came:
            await self._recovered(session, repository, absence, at_ms)
        else:
            await self._lost(session, repository, absence)
        await session.flush()
        await repository.count_open([absence.device_id])

    async def _lost(self, session: AsyncSession, repository: AlarmRepository, absence: Absence) -> None:
        gateway = await repository.gateway(absence.device_id)
        if gateway is None or not gateway.offline_notify:
            return
        quiet = await self._quieting.of_outage(session, absence.device_id)
        columns: dict[str, Any] = {
            "at_ms": absence.offline_ms + gateway.offline_alarm_delay_s * 1000,
            "alarm_type": int(AlarmType.ONLINE_OFFLINE),
            "status": int(Status.UNHANDLED),
            "since_ms": absence.offline_ms,
            "origin": _origin("off", absence),
            "quiet": quiet.state,
        }
        event_id = await self._add(session, repository, absence, columns)
        if event_id is None:
            return
        self._history.record(
            session, event_id, Change.RAISED, State.NORMAL, quiet.state or State.UNACKNOWLEDGED,
            columns["at_ms"], note="" if quiet.by is None else quiet.by.reason,
        )  # fmt: skip
        if is_announced(quiet.state, None):
            await self._announce(AlarmsAnnounced(session, [AnnouncedChange(event_id, "raised")]))
        outage = await repository.of_origin(columns["origin"])
        if outage is not None:
            await self._quieting.fold(session, outage, absence.offline_ms)

    async def _recovered(
        self, session: AsyncSession, repository: AlarmRepository, absence: Absence, at_ms: int
    ) -> None:
        alarm = await repository.of_origin(_origin("off", absence))
        if alarm is None:
            return
        if alarm.recovered_ms is None:
            alarm.recovered_ms = at_ms
            self._history.changed(session, alarm, Change.CLEARED, at_ms=at_ms, is_pushed=False)
        columns: dict[str, Any] = {
            "at_ms": at_ms,
            "alarm_type": int(AlarmType.RECOVERY),
            "status": int(Status.HANDLED),
            "since_ms": absence.offline_ms,
            "origin": _origin("on", absence),
            "quiet": alarm.quiet,
        }
        event_id = await self._add(session, repository, absence, columns)
        if event_id is not None and is_announced(alarm.quiet, alarm.parent_id):
            change = AnnouncedChange(alarm.id, "over", alarm.announced)
            await self._announce(AlarmsAnnounced(session, [change]))

    async def _add(
        self,
        session: AsyncSession,
        repository: AlarmRepository,
        absence: Absence,
        columns: dict[str, Any],
    ) -> int | None:
        row = {
            "device_id": absence.device_id,
            "cause": absence.reason,
            "noted_ms": self._clock(),
            "title": "",
            "note": "",
            "handled_name": "",
            **columns,
        }
        event_id = (await repository.add_once([row])).get(columns["origin"])
        if event_id is not None:
            details = {name: columns[name] for name in ("alarm_type", "status")}
            what = "new" if is_announced(columns["quiet"], None) else "changed"
            event = alarm_event(what, absence.device_id, event_id, at=columns["at_ms"], level=None, **details)
            self._publisher.publish_after_commit(session, event)
        return event_id


def _origin(what: str, absence: Absence) -> str:
    """Not the entry's number: SQLite gives that of a deleted entry again."""
    return f"{what}:{absence.device_id}:{absence.offline_ms}"
