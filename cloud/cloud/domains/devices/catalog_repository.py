"""Queries of catalogs: many rows at a time, never so many that others wait for the database or the loop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.devices.catalog_plan import Row
from cloud.domains.inventory.models import CatalogEntry, DataPoint, DeadSeries, Device, SlaveDevice

READ = 1000
"""Rows of one question."""

Table = type[SlaveDevice] | type[DataPoint]

_SLAVE = ("id", "name", "title", "address", "protocol", "port", "removed")
_POINT = (
    "id", "slave_id", "name", "title", "unit", "kind", "rw", "data_type", "decimals", "period_ms", "record",
    "min", "max", "selector", "on_text", "off_text", "removed",
)  # fmt: skip


class CatalogRepository:
    """Of the gateways themselves: no user's scope. Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def device(self, gateway: str) -> tuple[int, str] | None:
        """Number and catalog of a gateway."""
        query = select(Device.id, Device.catalog).where(Device.gateway_id == gateway)
        row = (await self._session.execute(query)).one_or_none()
        return None if row is None else (row[0], row[1])

    async def is_known(self, device_id: int, catalog: str) -> bool:
        query = select(CatalogEntry.hash).where(CatalogEntry.device_id == device_id)
        return (await self._session.execute(query.where(CatalogEntry.hash == catalog))).first() is not None

    async def size(self, device_id: int) -> int:
        """Slaves and points of the gateway, removed ones too."""
        counts = [
            select(func.count()).where(table.device_id == device_id).scalar_subquery()
            for table in (SlaveDevice, DataPoint)
        ]
        return int((await self._session.execute(select(counts[0] + counts[1]))).scalar_one())

    async def slaves(self, device_id: int, after: int) -> list[Row]:
        """Some of the slaves that the gateway ever had, with higher numbers than that."""
        return await self._rows(SlaveDevice, _SLAVE, device_id, after)

    async def points(self, device_id: int, after: int) -> list[Row]:
        """Some of the points of the gateway, removed ones too, with higher numbers than that."""
        return await self._rows(DataPoint, _POINT, device_id, after)

    async def numbers(self, device_id: int, after: int) -> list[Row]:
        """Number, slave and name of some of the points."""
        return await self._rows(DataPoint, ("id", "slave_id", "name"), device_id, after)

    async def _rows(self, table: Table, names: Sequence[str], device_id: int, after: int) -> list[Row]:
        query = select(*(getattr(table, name) for name in names))
        query = query.where(table.device_id == device_id, table.id > after).order_by(table.id).limit(READ)
        return [dict(zip(names, row, strict=True)) for row in await self._session.execute(query)]

    async def insert(self, table: Table, rows: Sequence[Row]) -> None:
        """IntegrityError when the gateway is no more."""
        await self._session.execute(insert(_core(table)), rows)

    async def change(self, table: Table, rows: Sequence[Row]) -> None:
        """Rows with their id; they are not removed."""
        core = _core(table)
        names = [name for name in rows[0] if name != "id"]
        back: Row = {"removed": False}
        if table is DataPoint:
            back["removed_ms"] = None
        statement = update(core).where(core.c.id == bindparam("row_id"))
        given = [{"row_id": row["id"], **{f"new_{name}": row[name] for name in names}} for row in rows]
        values = {name: bindparam(f"new_{name}", type_=core.c[name].type) for name in names}
        connection = await self._session.connection()
        await connection.execute(statement.values(**values, **back), given)

    async def remove(self, table: Table, ids: Sequence[int], now_ms: int) -> None:
        """They are left out by the catalog."""
        core = _core(table)
        values: Row = {"removed": True, **({"removed_ms": now_ms} if table is DataPoint else {})}
        await self._session.execute(update(core).where(core.c.id.in_(ids)).values(**values))

    async def take(self, device_id: int, catalog: str, points: dict[str, int], now_ms: int) -> None:
        """This catalog is the gateway's from now on."""
        if not await self.is_known(device_id, catalog):
            self._session.add(
                CatalogEntry(device_id=device_id, hash=catalog, received_ms=now_ms, points=points)
            )
            await self._session.flush()
        await self._session.execute(update(Device).where(Device.id == device_id).values(catalog=catalog))

    async def forget_catalogs(self, device_id: int, current: str, keep: int) -> None:
        """All but the newest and the current one."""
        mine = CatalogEntry.device_id == device_id
        newest = select(CatalogEntry.hash).where(mine).order_by(CatalogEntry.received_ms.desc()).limit(keep)
        query = delete(CatalogEntry).where(
            mine, CatalogEntry.hash != current, CatalogEntry.hash.not_in(newest)
        )
        await self._session.execute(query)

    async def removed_points(self, device_id: int) -> int:
        """How many there are."""
        query = select(func.count()).where(DataPoint.device_id == device_id, DataPoint.removed.is_(True))
        return int((await self._session.execute(query)).scalar_one())

    async def delete_removed_points(self, device_id: int, current: str, count: int) -> int:
        """Delete those that were removed longest ago; their samples go next, as of a deleted gateway.

        Catalogs from before their removal are forgotten too: one could name them.
        """
        oldest = select(DataPoint.id, DataPoint.removed_ms)
        oldest = oldest.where(DataPoint.device_id == device_id, DataPoint.removed.is_(True))
        order = (func.coalesce(DataPoint.removed_ms, 0), DataPoint.id)
        rows = (await self._session.execute(oldest.order_by(*order).limit(count))).all()
        ids = [row[0] for row in rows]
        if ids:
            upto = max(row[1] or 0 for row in rows)
            await self._session.execute(
                delete(CatalogEntry).where(
                    CatalogEntry.device_id == device_id,
                    CatalogEntry.hash != current,
                    CatalogEntry.received_ms < upto,
                )
            )
            await self._session.execute(insert(DeadSeries), [{"dsid": dsid} for dsid in ids])
            await self._session.execute(delete(DataPoint).where(DataPoint.id.in_(ids)))
        return len(ids)

    async def delete_removed_slaves(self, device_id: int, keep: int, count: int) -> int:
        """Delete slaves that are removed and of which no point is left, but so many of the newest."""
        used = select(DataPoint.slave_id).where(DataPoint.device_id == device_id)
        mine = (SlaveDevice.device_id == device_id, SlaveDevice.removed.is_(True))
        query = select(SlaveDevice.id).where(*mine, SlaveDevice.id.not_in(used))
        ids = list(
            await self._session.scalars(query.order_by(SlaveDevice.id.desc()).offset(keep).limit(count))
        )
        if ids:
            await self._session.execute(delete(SlaveDevice).where(SlaveDevice.id.in_(ids)))
        return len(ids)


def _core(table: Table) -> Any:
    return table.__table__
