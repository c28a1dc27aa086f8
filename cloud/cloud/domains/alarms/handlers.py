"""Makes events of what the on-offline log notes.

offline_notify counts when the absence is logged; the recovery of an alarm that was deleted is not made.
"""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.events import Absence
from cloud.core.scope import Scope
from cloud.domains.alarms.codes import AlarmType
from cloud.domains.alarms.news import News, alarm_piece, on_offline_piece
from cloud.domains.alarms.repository import AlarmRepository
from cloud.domains.alarms.states import Status


class OutageEvents:
    """Its `noted` is called in the transaction that writes the log: both are there, or neither.

    A gateway whose offline_notify is on makes an alarm when its absence is logged, and a recovery when that
    alarm's absence ends. An absence is named by its gateway and beginning, so that it makes each only once.
    """

    def __init__(self, news: News, *, clock: NowMs = now_ms) -> None:
        self._news = news
        self._clock = clock

    async def noted(self, session: AsyncSession, absence: Absence) -> None:
        came = absence.online_ms is not None
        at_ms = absence.offline_ms if absence.online_ms is None else absence.online_ms
        self._news.tell_after(
            session,
            on_offline_piece(absence.device_id, absence.entry_id, absence.slave_id, int(came), at_ms),
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
        columns: dict[str, int | str] = {
            "at_ms": absence.offline_ms + gateway.offline_alarm_delay_s * 1000,
            "alarm_type": int(AlarmType.ONLINE_OFFLINE),
            "status": int(Status.UNHANDLED),
            "since_ms": absence.offline_ms,
            "origin": _origin("off", absence),
        }
        await self._add(session, repository, absence, columns)

    async def _recovered(
        self, session: AsyncSession, repository: AlarmRepository, absence: Absence, at_ms: int
    ) -> None:
        alarm = await repository.of_origin(_origin("off", absence))
        if alarm is None:
            return
        alarm.recovered_ms = at_ms
        columns: dict[str, int | str] = {
            "at_ms": at_ms,
            "alarm_type": int(AlarmType.RECOVERY),
            "status": int(Status.HANDLED),
            "since_ms": absence.offline_ms,
            "origin": _origin("on", absence),
        }
        await self._add(session, repository, absence, columns)

    async def _add(
        self,
        session: AsyncSession,
        repository: AlarmRepository,
        absence: Absence,
        columns: dict[str, int | str],
    ) -> None:
        event_id = await repository.add_once(
            device_id=absence.device_id,
            cause=absence.reason,
            noted_ms=self._clock(),
            title="",
            note="",
            handled_name="",
            **columns,
        )
        if event_id is not None:
            shown = {name: columns[name] for name in ("alarm_type", "status")}
            piece = alarm_piece("new", absence.device_id, event_id, at=columns["at_ms"], level=None, **shown)
            self._news.tell_after(session, piece)


def _origin(what: str, absence: Absence) -> str:
    """Not the entry's number: SQLite gives that of a deleted entry again."""
    return f"{what}:{absence.device_id}:{absence.offline_ms}"
