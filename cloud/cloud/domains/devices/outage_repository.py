"""Every query of the on-offline log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.devices.models import Device, OnOfflineLog, SlaveDevice
from cloud.domains.devices.states import EXPECTED

DELETE_CHUNK = 500

Entry = tuple[OnOfflineLog, SlaveDevice | None]


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
    """Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def open(self, row: Device | SlaveDevice, since_ms: int, reason: str) -> None:
        """Begin an entry for an absence that lasts."""
        entry = _entry(row, since_ms, reason)
        self._session.add(entry)
        await self._session.flush()
        row.offline_entry = entry.id

    def add_whole(self, row: Device | SlaveDevice, since_ms: int, until_ms: int, reason: str) -> None:
        """An absence that is over."""
        entry = _entry(row, since_ms, reason)
        entry.online_ms = until_ms
        self._session.add(entry)

    async def close(self, row: Device | SlaveDevice, now_ms: int, reason: str | None = None) -> None:
        """End the open entry of a gateway or slave, if there is one. reason: known better by now."""
        if row.offline_entry is not None:
            this = OnOfflineLog.id == row.offline_entry
            values: dict[str, int | str] = {"online_ms": now_ms}
            if reason is not None:
                values["reason"] = reason
            await self._session.execute(update(OnOfflineLog).where(this).values(values))
            row.offline_entry = None

    async def absent_gateways(self) -> list[Device]:
        """Gateways that are offline without an entry; not those that never came."""
        query = select(Device).where(Device.online.is_(False), Device.offline_entry.is_(None))
        return list(await self._session.scalars(query.where(Device.since_ms.is_not(None))))

    async def absent_slaves(self) -> list[tuple[SlaveDevice, Device]]:
        """Silent slaves without an entry, with their gateways."""
        query = (
            select(SlaveDevice, Device)
            .join(Device, SlaveDevice.device_id == Device.id)
            .where(SlaveDevice.online.is_(False), SlaveDevice.offline_entry.is_(None))
            .where(SlaveDevice.since_ms.is_not(None), SlaveDevice.removed.is_(False))
            .where(SlaveDevice.reason.not_in(EXPECTED))
        )
        return [(row[0], row[1]) for row in await self._session.execute(query)]

    async def removed_slaves(self) -> list[SlaveDevice]:
        """Slaves that their gateway does not have any more, and whose entry is open."""
        query = select(SlaveDevice).where(SlaveDevice.removed.is_(True))
        return list(await self._session.scalars(query.where(SlaveDevice.offline_entry.is_not(None))))

    async def page(self, wanted: Wanted, page: int, limit: int) -> tuple[list[Entry], int]:
        """Entries of a gateway that touch a period, the newest first, and how many there are."""
        touching = _touching(wanted.device_id, wanted.from_ms, wanted.to_ms)
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
        return await self._session.get(OnOfflineLog, entry_id)

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


def _entry(row: Device | SlaveDevice, since_ms: int, reason: str) -> OnOfflineLog:
    if isinstance(row, Device):
        return OnOfflineLog(device_id=row.id, offline_ms=since_ms, reason=reason)
    return OnOfflineLog(device_id=row.device_id, slave_id=row.id, offline_ms=since_ms, reason=reason)


def _touching(device_id: int, from_ms: int, to_ms: int) -> list[ColumnElement[bool]]:
    lasts = or_(OnOfflineLog.online_ms.is_(None), OnOfflineLog.online_ms >= from_ms)
    return [OnOfflineLog.device_id == device_id, OnOfflineLog.offline_ms < to_ms, lasts]
