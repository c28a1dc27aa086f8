"""Alarms that the cloud itself makes of a gateway, apart from outages: a SIM card that was moved, a
forwarding target that takes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.events import AlarmsAnnounced, AnnouncedChange
from cloud.core.scope import Scope
from cloud.domains.alarms.codes import AlarmType
from cloud.domains.alarms.event_publisher import Announce, EventPublisher, alarm_event, unannounced
from cloud.domains.alarms.history import AlarmHistory
from cloud.domains.alarms.life_cycle import State, is_announced
from cloud.domains.alarms.repository import AlarmRepository
from cloud.domains.alarms.rule_alarms import recovery_origin
from cloud.domains.alarms.states import Status
from cloud.domains.alarms.suppression_repository import OF_NOTHING, SuppressionRepository, quiet_of


@dataclass(frozen=True)
class SystemAlarm:
    """origin: what it comes from, at most 70 characters, by which it is made once and ended. cause: a code
    for which the portal has words; title: what it is about.
    """

    origin: str
    device_id: int
    alarm_type: AlarmType
    at_ms: int
    title: str
    cause: str


class SystemAlarms:
    """Both methods work on the caller's session, and commit nothing. Only maintenance keeps them quiet."""

    def __init__(
        self, publisher: EventPublisher, announce: Announce = unannounced, *, clock: NowMs = now_ms
    ) -> None:
        self._publisher = publisher
        self._announce = announce
        self._clock = clock
        self._history = AlarmHistory(publisher, clock=clock)

    async def begin(self, session: AsyncSession, alarm: SystemAlarm) -> None:
        """Make it, unless there is one of its origin, or had been."""
        suppressions = SuppressionRepository(session, Scope.system())
        await suppressions.lock([alarm.device_id])
        quiet, by = quiet_of(await suppressions.of([alarm.device_id], self._clock()), OF_NOTHING)
        row = self._row(
            alarm.device_id,
            alarm.at_ms,
            alarm_type=int(alarm.alarm_type),
            status=int(Status.UNHANDLED),
            since_ms=alarm.at_ms,
            origin=alarm.origin,
            title=alarm.title,
            cause=alarm.cause,
            quiet=quiet,
            state=quiet or State.UNACKNOWLEDGED.value,
        )
        event_id = await self._add(session, row)
        if event_id is None:
            return
        note = "" if by is None else by.reason
        await self._history.record_raised(session, [(event_id, row["state"], alarm.at_ms, note)])
        if is_announced(quiet, None):
            await self._announce(AlarmsAnnounced(session, [AnnouncedChange(event_id, "raised")]))
        await AlarmRepository(session, Scope.system()).count_open([alarm.device_id])

    async def end(self, session: AsyncSession, origin: str, at_ms: int, why: str = "") -> None:
        """End it, if it lasts. why: a code, empty when its cause is gone."""
        repository = AlarmRepository(session, Scope.system())
        event = await repository.of_origin(origin)
        if event is None or event.recovered_ms is not None:
            return
        await SuppressionRepository(session, Scope.system()).lock([event.device_id])
        await self._history.cleared(session, [(event, at_ms, why)])
        row = self._row(
            event.device_id,
            at_ms,
            alarm_type=int(AlarmType.RECOVERY),
            status=int(Status.HANDLED),
            since_ms=event.at_ms,
            origin=recovery_origin(origin),
            title=event.title,
            cause=why,
            quiet=event.quiet,
            state=State.NORMAL.value,
        )
        if await self._add(session, row) is not None and is_announced(event.quiet, event.parent_id):
            change = AnnouncedChange(event.id, "over", event.announced, why)
            await self._announce(AlarmsAnnounced(session, [change]))
        await session.flush()
        await repository.count_open([event.device_id])

    async def _add(self, session: AsyncSession, row: dict[str, Any]) -> int | None:
        repository = AlarmRepository(session, Scope.system())
        event_id = (await repository.add_once([row])).get(row["origin"])
        if event_id is not None:
            what = "new" if is_announced(row["quiet"], None) else "changed"
            details = {name: row[name] for name in ("alarm_type", "status")}
            event = alarm_event(what, row["device_id"], event_id, at=row["at_ms"], level=None, **details)
            self._publisher.publish_after_commit(session, event)
        return event_id

    def _row(self, device_id: int, at_ms: int, **columns: Any) -> dict[str, Any]:
        noted = {"noted_ms": self._clock(), "note": "", "handled_name": ""}
        return {"device_id": device_id, "at_ms": at_ms, **noted, **columns}
