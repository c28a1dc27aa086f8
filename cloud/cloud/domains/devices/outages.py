"""The on-offline log: who was away, from when to when, and why. An absence shorter than the delay is none.

Of gateways and slaves, one row each absence, stored for 13 months. A slave's absence begins with its last
good frame; never_read after a restart of the agent begins and ends none. One behind a port lock is a row of
its own.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.devices.outage_events import Event, EventQuery, OutageEventRepository
from cloud.domains.devices.outage_repository import Entry, Noted, OutageRepository, Wanted, unnoticed
from cloud.domains.devices.port_locks import PortLock, PortLocksOf, no_port_locks, port_lock_at
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.schemas import OnOfflineEntry, OnOfflineEvent
from cloud.domains.devices.states import PORT_LOCKED, SWITCHED, is_due
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device, OnOfflineLog, SlaveDevice
from cloud.domains.inventory.visibility import read_only
from cloud.errors import Conflict, NotFound, ParameterError

log = logging.getLogger(__name__)

KEEP_MS = 397 * 24 * 3_600_000
"""13 months."""

EVER_MS = 2**53


async def left(log_rows: OutageRepository, row: Device | SlaveDevice, delay_s: int, now_ms: int) -> None:
    """A gateway or slave went away, its row says since when and why: begin an entry when that is due."""
    if row.offline_entry is None and row.since_ms is not None and is_due(row.since_ms, delay_s, now_ms):
        await log_rows.open(row, row.since_ms, row.reason, now_ms)


async def came_back(log_rows: OutageRepository, row: Device | SlaveDevice, delay_s: int, now_ms: int) -> bool:
    """It is there again, its row still says how it was away: end the entry, or leave none (C-064).

    True when there is one.
    """
    if row.offline_entry is not None:
        await log_rows.close(row, now_ms, SWITCHED if row.reason == SWITCHED else None)
        return True
    if row.since_ms is not None and is_due(row.since_ms, delay_s, now_ms):
        await log_rows.add_ended(row, row.since_ms, row.reason, now_ms)
        return True
    return False


class OutageService:
    """Reads of the log, and its periodic work."""

    def __init__(
        self,
        database: Database,
        port_locks: PortLocksOf = no_port_locks,
        *,
        noted: Noted = unnoticed,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._port_locks = port_locks
        self._noted = noted
        self._clock = clock

    async def find_due(self) -> None:
        """Periodic: begin the entries of those whose absence has lasted for their delay."""
        now = self._clock()
        async with self._database.session() as session:
            log_rows = OutageRepository(session, Scope.system(), self._noted)
            for device in await log_rows.absent_gateways():
                await left(log_rows, device, device.offline_alarm_delay_s, now)
            for slave, device in await log_rows.absent_slaves():
                await left(log_rows, slave, device.offline_alarm_delay_s, now)
            for slave in await log_rows.removed_slaves():
                await log_rows.close(slave, now)
            await session.commit()

    async def page(
        self,
        scope: Scope,
        device_id: int,
        from_ms: int = 0,
        to_ms: int = EVER_MS,
        *,
        slaves: bool = True,
        at_least_ms: int = 0,
        page: int = 1,
        limit: int = 100,
    ) -> Page[OnOfflineEntry]:
        """Absences of a gateway and its slaves that touch a period and lasted at_least_ms, newest first.
        Raises ParameterError for a reversed period.
        """
        if from_ms >= to_ms:
            raise ParameterError("to_ms", "must be after from_ms")
        async with self._database.reading() as session:
            wanted = Wanted(device_id, from_ms, to_ms, slaves, at_least_ms, self._clock())
            rows, total = await OutageRepository(session, scope).page(wanted, page, limit)
        now = self._clock()
        port_locks = await self._port_locks_of(scope, [entry for entry, _ in rows], now)
        return Page(rows=[_entry(row, now, port_locks) for row in rows], total=total)

    async def events(
        self,
        scope: Scope,
        from_ms: int,
        to_ms: int,
        *,
        device_id: int | None = None,
        status: int | None = None,
        slaves: bool = True,
        search: str = "",
        page: int = 1,
        limit: int = 20,
    ) -> Page[OnOfflineEvent]:
        """Beginnings and ends of absences over all gateways, the newest first. Raises ParameterError for a
        reversed period.
        """
        if from_ms >= to_ms:
            raise ParameterError("endtime", "must be after starttime")
        wanted = EventQuery(from_ms, to_ms, device_id, status, slaves, search)
        async with self._database.reading() as session:
            rows, total = await OutageEventRepository(session, scope).page(wanted, page, limit)
        now = self._clock()
        port_locks = await self._port_locks_of(scope, [entry for _, entry, _, _ in rows], now)
        return Page(rows=[_event(row, now, port_locks) for row in rows], total=total)

    async def counts(
        self, scope: Scope, from_ms: int, to_ms: int, *, device_id: int | None, slaves: bool, search: str
    ) -> tuple[int, int]:
        """How many went and came in a period. Raises ParameterError as events."""
        if from_ms >= to_ms:
            raise ParameterError("endtime", "must be after starttime")
        wanted = EventQuery(from_ms, to_ms, device_id, None, slaves, search)
        async with self._database.reading() as session:
            return await OutageEventRepository(session, scope).counts(wanted)

    async def newest(self, scope: Scope, limit: int) -> list[OnOfflineEvent]:
        """The newest beginnings and ends over all gateways, without counting all of them."""
        wanted = EventQuery(0, EVER_MS)
        async with self._database.reading() as session:
            rows = await OutageEventRepository(session, scope).newest(wanted, limit)
        now = self._clock()
        port_locks = await self._port_locks_of(scope, [entry for _, entry, _, _ in rows], now)
        return [_event(row, now, port_locks) for row in rows]

    async def delete(self, user: CurrentUser, entry_id: int) -> None:
        """Delete an entry. Raises NotFound, Conflict while the absence lasts, NoPermission when the gateway
        is shared read only.
        """
        async with self._database.session() as session:
            log_rows = OutageRepository(session, user.scope)
            entry = await log_rows.entry(entry_id)
            if entry is None:
                raise NotFound("entry")
            if not await DeviceRepository(session, user.scope).writable_among([entry.device_id]):
                raise read_only()
            if entry.online_ms is None:
                raise Conflict("the absence lasts", field="id", rule="must have ended", reason="outage.lasts")
            await log_rows.delete(entry)
            await session.commit()
        log.info("on-offline entry %d of device %d deleted by %s", entry_id, entry.device_id, user.name)

    async def forget_old(self, now_ms: int) -> None:
        """Periodic: entries are stored for 13 months after their end."""
        some = True
        while some:
            async with self._database.session() as session:
                log_rows = OutageRepository(session, Scope.system())
                some = bool(await log_rows.delete_before(now_ms - KEEP_MS))
                await session.commit()

    async def _port_locks_of(self, scope: Scope, entries: Sequence[OnOfflineLog], now: int) -> list[PortLock]:
        """Every port lock that may be why one of these is away."""
        locked = [entry for entry in entries if entry.reason == PORT_LOCKED]
        if not locked:
            return []
        gateways = sorted({entry.device_id for entry in locked})
        begin = min(entry.offline_ms for entry in locked)
        async with self._database.reading() as session:
            return await self._port_locks(session, scope, gateways, begin, now)


def _event(row: Event, now: int, port_locks: Sequence[PortLock]) -> OnOfflineEvent:
    status, entry, device, slave = row
    ended = entry.online_ms is not None
    until = now if entry.online_ms is None else entry.online_ms
    return OnOfflineEvent(
        id=entry.id,
        at=until if status else entry.offline_ms,
        status=status,
        device_id=entry.device_id,
        device_title=device.display_title,
        gateway_id=device.gateway_id,
        slave=None if slave is None else slave.name,
        slave_title=None if slave is None else slave.title,
        reason=entry.reason,
        duration_ms=until - entry.offline_ms,
        lasts=not ended,
        lent_to=_locked_by(entry, slave, until, port_locks),
    )


def _entry(row: Entry, now: int, port_locks: Sequence[PortLock]) -> OnOfflineEntry:
    entry, slave = row
    until = now if entry.online_ms is None else entry.online_ms
    return OnOfflineEntry(
        id=entry.id,
        device_id=entry.device_id,
        slave=None if slave is None else slave.name,
        slave_title=None if slave is None else slave.title,
        offline_ms=entry.offline_ms,
        online_ms=entry.online_ms,
        duration_ms=until - entry.offline_ms,
        reason=entry.reason,
        lent_to=_locked_by(entry, slave, until, port_locks),
    )


def _locked_by(
    entry: OnOfflineLog, slave: SlaveDevice | None, until: int, port_locks: Sequence[PortLock]
) -> str | None:
    """Who had the slave's port during an absence because of that."""
    if slave is None or entry.reason != PORT_LOCKED:
        return None
    port_lock = port_lock_at(port_locks, entry.device_id, slave.port, entry.offline_ms, until + 1)
    return port_lock.user if port_lock else None
