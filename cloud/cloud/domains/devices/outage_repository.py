"""Every query of the on-offline log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.events import Absence
from cloud.core.scope import Scope
from cloud.domains.devices.states import EXPECTED
from cloud.domains.inventory.models import Device, OnOfflineLog, SlaveDevice
from cloud.domains.inventory.visibility import seen

DELETE_CHUNK = 500

Entry = tuple[OnOfflineLog, SlaveDevice | None]


Noted = Callable[[AsyncSession, Absence], Awaitable[None]]
"""Called in the transaction that writes the log, once for the beginning and once for the end."""


async def unnoticed(session: AsyncSession, absence: Absence) -> None:
    """For a log that nobody listens to."""


@dataclass(frozen=True)
class Wanted:
    """Which entries of a gateway: those that touch a period; slaves: theirs too; at_least_ms: no shorter."""

    device_id: int
    from_ms: int
    to_ms: int
    slaves: bool
    at_least_ms: int
    now_ms: int


class OutageRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope, noted: Noted = unnoticed) -> None:
        self._session = session
        self._scope = scope
        self._noted = noted

    async def open(self, row: Device | SlaveDevice, since_ms: int, reason: str, now_ms: int) -> None:
        """Begin an entry for an absence that lasts."""
        row.offline_entry = (await self._begin(row, since_ms, reason, now_ms)).id

    async def add_ended(self, row: Device | SlaveDevice, since_ms: int, reason: str, now_ms: int) -> None:
        """An absence that is over."""
        await self._end(await self._begin(row, since_ms, reason, now_ms), now_ms)

    async def close(self, row: Device | SlaveDevice, now_ms: int, reason: str | None = None) -> None:
        """End the open entry of a gateway or slave, if there is one. reason: known better by now."""
        if row.offline_entry is not None:
            entry = await self._session.get(OnOfflineLog, row.offline_entry)
            row.offline_entry = None
            if entry is not None:
                entry.reason = entry.reason if reason is None else reason
                await self._end(entry, now_ms)

    async def _begin(
        self, row: Device | SlaveDevice, since_ms: int, reason: str, now_ms: int
    ) -> OnOfflineLog:
        entry = _entry(row, since_ms, reason)
        entry.noted_ms = now_ms
        self._session.add(entry)
        await self._session.flush()
        await self._noted(self._session, _absence(entry))
        return entry

    async def _end(self, entry: OnOfflineLog, now_ms: int) -> None:
        entry.online_ms = now_ms
        await self._session.flush()
        await self._noted(self._session, _absence(entry))

    async def absent_gateways(self) -> list[Device]:
        """Gateways that are offline without an entry; not those that never came.

        Locked, as all that is searched for; what another session assesses just now comes with the next
        search.
        """
        query = select(Device).where(Device.online.is_(False), Device.offline_entry.is_(None))
        query = query.where(Device.since_ms.is_not(None))
        return list(await self._session.scalars(query.with_for_update(skip_locked=True)))

    async def absent_slaves(self) -> list[tuple[SlaveDevice, Device]]:
        """Silent slaves without an entry, with their gateways."""
        query = (
            select(SlaveDevice, Device)
            .join(Device, SlaveDevice.device_id == Device.id)
            .where(SlaveDevice.online.is_(False), SlaveDevice.offline_entry.is_(None))
            .where(SlaveDevice.since_ms.is_not(None), SlaveDevice.removed.is_(False))
            .where(SlaveDevice.reason.not_in(EXPECTED))
            .with_for_update(skip_locked=True)
        )
        return [(row[0], row[1]) for row in await self._session.execute(query)]

    async def removed_slaves(self) -> list[SlaveDevice]:
        """Slaves that their gateway does not have any more, and whose entry is open."""
        query = select(SlaveDevice).where(SlaveDevice.removed.is_(True))
        query = query.where(SlaveDevice.offline_entry.is_not(None))
        return list(await self._session.scalars(query.with_for_update(skip_locked=True)))

    async def page(self, wanted: Wanted, page: int, limit: int) -> tuple[list[Entry], int]:
        """Entries of a gateway that touch a period, the newest first, and how many there are."""
        touching = _touching(wanted.device_id, wanted.from_ms, wanted.to_ms)
        touching.append(seen(self._scope, OnOfflineLog.device_id))
        if not wanted.slaves:
            touching.append(OnOfflineLog.slave_id.is_(None))
        if wanted.at_least_ms:
            until = func.coalesce(OnOfflineLog.online_ms, wanted.now_ms)
            touching.append(until - OnOfflineLog.offline_ms >= wanted.at_least_ms)
        counted = select(func.count()).select_from(OnOfflineLog).where(*touching)
        total = int((await self._session.execute(counted)).scalar_one())
        query = select(OnOfflineLog, SlaveDevice)
        query = query.outerjoin(SlaveDevice, OnOfflineLog.slave_id == SlaveDevice.id).where(*touching)
        order = query.order_by(OnOfflineLog.offline_ms.desc(), OnOfflineLog.id.desc())
        rows = await self._session.execute(order.offset((page - 1) * limit).limit(limit))
        return [(row[0], row[1]) for row in rows], total

    async def entry(self, entry_id: int) -> OnOfflineLog | None:
        query = select(OnOfflineLog).where(OnOfflineLog.id == entry_id)
        query = query.where(seen(self._scope, OnOfflineLog.device_id))
        return (await self._session.scalars(query)).one_or_none()

    async def delete(self, entry: OnOfflineLog) -> None:
        """Delete an entry that has an end."""
        await self._session.delete(entry)

    async def delete_before(self, before_ms: int) -> int:
        """Delete some entries that ended before; the number deleted."""
        old = select(OnOfflineLog.id).where(OnOfflineLog.online_ms < before_ms).limit(DELETE_CHUNK)
        ids: Sequence[int] = list(await self._session.scalars(old))
        if ids:
            await self._session.execute(delete(OnOfflineLog).where(OnOfflineLog.id.in_(ids)))
        return len(ids)


def _absence(entry: OnOfflineLog) -> Absence:
    return Absence(entry.id, entry.device_id, entry.slave_id, entry.offline_ms, entry.online_ms, entry.reason)


def _entry(row: Device | SlaveDevice, since_ms: int, reason: str) -> OnOfflineLog:
    if isinstance(row, Device):
        return OnOfflineLog(device_id=row.id, offline_ms=since_ms, reason=reason)
    return OnOfflineLog(device_id=row.device_id, slave_id=row.id, offline_ms=since_ms, reason=reason)


def _touching(device_id: int, from_ms: int, to_ms: int) -> list[ColumnElement[bool]]:
    lasts = or_(OnOfflineLog.online_ms.is_(None), OnOfflineLog.online_ms >= from_ms)
    return [OnOfflineLog.device_id == device_id, OnOfflineLog.offline_ms < to_ms, lasts]
