"""Every query of gateways, slaves, data points and catalogs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, func, not_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.devices.filters import ANSWERING, MAY_BE_UNKNOWN, SILENT, SORTS, DeviceFilter
from cloud.domains.devices.states import PORT_LOCKED
from cloud.domains.inventory.models import CatalogEntry, DataPoint, Device, DeviceShare, SlaveDevice
from cloud.domains.inventory.visibility import VISITOR, owned, seen, visible, writable
from cloud.link.models import LinkStream

_PORT_LOCKED = (
    SlaveDevice.online.is_(False),
    SlaveDevice.removed.is_(False),
    SlaveDevice.reason == PORT_LOCKED,
)


@dataclass(frozen=True)
class SlaveCounts:
    """What belongs to a gateway."""

    slaves: int = 0
    slaves_online: int = 0
    points: int = 0
    slaves_locked: int = 0
    slaves_answering: int = 0


class DeviceRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, row: Device | SlaveDevice | DataPoint | CatalogEntry) -> None:
        self._session.add(row)

    async def flush(self) -> None:
        await self._session.flush()

    async def device(self, device_id: int) -> Device | None:
        return (await self._session.scalars(self._devices().where(Device.id == device_id))).one_or_none()

    async def some(self, device_ids: Collection[int]) -> list[Device]:
        """Those of these gateways that there are, by title."""
        query = self._devices().where(Device.id.in_(device_ids)).order_by(Device.title_key, Device.id)
        return list(await self._session.scalars(query))

    async def numbered(self, device_ids: Collection[int]) -> list[Device]:
        """Those of these gateways that there are; nobody else changes them until this session ends."""
        query = self._devices().where(Device.id.in_(device_ids)).order_by(Device.id).with_for_update()
        return list(await self._session.scalars(query))

    async def writable_among(self, device_ids: Collection[int]) -> set[int]:
        """Those gateways that may be changed too."""
        query = select(Device.id).where(Device.id.in_(device_ids), writable(self._scope))
        return set(await self._session.scalars(query))

    async def rights_among(self, device_ids: Collection[int]) -> tuple[frozenset[int], frozenset[int]]:
        """Those gateways that may be changed, and those that the user only visits, by a share."""
        shared = select(DeviceShare.device_id).where(
            DeviceShare.user_id == self._scope.user_id, DeviceShare.role == VISITOR
        )
        visits = and_(Device.id.in_(shared), not_(owned(self._scope)))
        query = select(Device.id, writable(self._scope), visits).where(Device.id.in_(device_ids))
        rows = (await self._session.execute(query)).all()
        return frozenset(row[0] for row in rows if row[1]), frozenset(row[0] for row in rows if row[2])

    async def owned_among(self, device_ids: Collection[int]) -> set[int]:
        """Those gateways that belong to the user or to somebody below him."""
        query = select(Device.id).where(Device.id.in_(device_ids), owned(self._scope))
        return set(await self._session.scalars(query))

    async def by_gateway(self, gateway: str, *, lock: bool = False) -> Device | None:
        """lock: nobody else may judge its presence until this session ends."""
        query = self._devices().where(Device.gateway_id == gateway)
        return (await self._session.scalars(query.with_for_update() if lock else query)).one_or_none()

    async def locked(self, gateways: Collection[str]) -> list[Device]:
        """Those that there are. In one order for all who lock several, so that no two wait for each other."""
        query = self._devices().where(Device.gateway_id.in_(gateways)).order_by(Device.id)
        return list(await self._session.scalars(query.with_for_update()))

    async def among(self, device_ids: Collection[int]) -> set[int]:
        """Those gateways that there are."""
        query = select(Device.id).where(Device.id.in_(device_ids), visible(self._scope))
        return set(await self._session.scalars(query))

    def _devices(self) -> Select[Device]:
        return select(Device).where(visible(self._scope))

    async def page(self, wanted: DeviceFilter, page: int, limit: int, sort: str) -> tuple[list[Device], int]:
        """A page of gateways and how many match; in the order in which they were made unless sorted."""
        conditions = (visible(self._scope), *wanted.conditions(self._scope))
        column, down = SORTS.get(sort.removeprefix("-"), Device.id), sort.startswith("-")
        order = column.desc() if down else column.asc()
        if sort.removeprefix("-") in MAY_BE_UNKNOWN:
            order = order.nulls_last()  # of what is not known neither end is the place
        query = select(Device).where(*conditions).order_by(order, Device.id.desc() if down else Device.id)
        before = (page - 1) * limit
        rows = list(await self._session.scalars(query.offset(before).limit(limit)))
        if len(rows) < limit and (rows or before == 0):
            return rows, before + len(rows)  # the last page says how many there are
        total = select(func.count()).select_from(Device).where(*conditions)
        return rows, int((await self._session.execute(total)).scalar_one())

    async def counts(self, device_ids: Sequence[int]) -> dict[int, SlaveCounts]:
        slaves = await self._session.execute(
            select(
                SlaveDevice.device_id,
                func.count(),
                func.count().filter(SlaveDevice.online.is_(True)),
                func.count().filter(*_PORT_LOCKED),
                func.count().filter(*ANSWERING),
            )
            .where(SlaveDevice.device_id.in_(device_ids), SlaveDevice.removed.is_(False))
            .group_by(SlaveDevice.device_id)
        )
        points = await self._session.execute(
            select(DataPoint.device_id, func.count())
            .where(DataPoint.device_id.in_(device_ids), DataPoint.removed.is_(False))
            .group_by(DataPoint.device_id)
        )
        of_points = {row[0]: row[1] for row in points}
        by_device = {
            row[0]: SlaveCounts(row[1], row[2], of_points.get(row[0], 0), row[3], row[4]) for row in slaves
        }
        return {device: by_device.get(device, SlaveCounts()) for device in device_ids}

    async def sampled(self, gateways: Collection[str]) -> dict[str, int]:
        """By gateway: when samples of it came last; without those that never sent one."""
        query = select(LinkStream.gateway, func.max(LinkStream.last_ms)).group_by(LinkStream.gateway)
        query = query.where(LinkStream.gateway.in_(gateways), LinkStream.last_ms > 0)
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def note_refused(self, device_id: int, t_ms: int) -> None:
        """When a wrong secret was tried in the name of a gateway last."""
        await self._session.execute(update(Device).where(Device.id == device_id).values(refused_ms=t_ms))

    async def silent_slaves(self, device_ids: Sequence[int]) -> dict[int, tuple[int, SlaveDevice]]:
        """By gateway: how many of its slaves are silent, and the first of them."""
        grouped = select(SlaveDevice.device_id, func.count(), func.min(SlaveDevice.id))
        grouped = grouped.where(SlaveDevice.device_id.in_(device_ids), *SILENT)
        by_device = {
            row[0]: (row[1], row[2])
            for row in await self._session.execute(grouped.group_by(SlaveDevice.device_id))
        }
        if not by_device:
            return {}
        query = select(SlaveDevice).where(SlaveDevice.id.in_([first for _, first in by_device.values()]))
        first = {row.device_id: row for row in await self._session.scalars(query)}
        return {device: (by_device[device][0], row) for device, row in first.items()}

    async def locked_slaves(self, device_ids: Sequence[int]) -> dict[int, SlaveDevice]:
        """By gateway: the first slave whose port is locked."""
        query = select(SlaveDevice).where(SlaveDevice.device_id.in_(device_ids), *_PORT_LOCKED)
        by_device: dict[int, SlaveDevice] = {}
        for row in await self._session.scalars(query.order_by(SlaveDevice.id)):
            by_device.setdefault(row.device_id, row)
        return by_device

    async def cleared(self) -> dict[str, int]:
        """Gateway to number of those that are offline and whose values are unknown while they are."""
        query = select(Device.gateway_id, Device.id)
        query = query.where(Device.online.is_(False), Device.offline_clear_data.is_(True))
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def cleared_points(self, dsids: Sequence[int]) -> set[int]:
        """Those points whose gateway is one of `cleared`."""
        query = select(DataPoint.id).join(Device, DataPoint.device_id == Device.id)
        query = query.where(Device.online.is_(False), Device.offline_clear_data.is_(True))
        return set(await self._session.scalars(query.where(DataPoint.id.in_(dsids))))

    async def freshness(self, dsids: Collection[int]) -> tuple[list[Row[int, int, int, int]], list[Device]]:
        """Number, record mode, period and gateway of points, and these gateways."""
        query = select(DataPoint.id, DataPoint.record, DataPoint.period_ms, DataPoint.device_id)
        points = list(await self._session.execute(query.where(DataPoint.id.in_(dsids))))
        of_points = self._devices().where(Device.id.in_({point[3] for point in points}))
        return points, list(await self._session.scalars(of_points))

    async def names(self) -> list[tuple[int, str, str]]:
        """Number, gateway and title of every gateway."""
        query = select(Device.id, Device.gateway_id, Device.display_title)
        query = query.where(visible(self._scope)).order_by(Device.id)
        return [(row[0], row[1], row[2]) for row in await self._session.execute(query)]

    async def report_intervals(self, gateway: str | None) -> dict[str, int]:
        """In ms, by gateway, of those that do not send at once."""
        query = select(Device.gateway_id, Device.reports_every_s).where(Device.reports_every_s > 0)
        if gateway is not None:
            query = query.where(Device.gateway_id == gateway)
        query = query.where(visible(self._scope))
        return {row[0]: row[1] * 1000 for row in await self._session.execute(query)}

    async def slaves(self, device_id: int, *, removed: bool = False) -> list[SlaveDevice]:
        query = select(SlaveDevice).where(SlaveDevice.device_id == device_id).order_by(SlaveDevice.id)
        query = query.where(seen(self._scope, SlaveDevice.device_id))
        if not removed:
            query = query.where(SlaveDevice.removed.is_(False))
        return list(await self._session.scalars(query))

    async def slaves_of(self, device_ids: Collection[int]) -> dict[int, list[SlaveDevice]]:
        """By gateway; without what was removed."""
        query = select(SlaveDevice).where(
            SlaveDevice.device_id.in_(device_ids), SlaveDevice.removed.is_(False)
        )
        by_device: dict[int, list[SlaveDevice]] = {}
        for row in await self._session.scalars(query.order_by(SlaveDevice.id)):
            by_device.setdefault(row.device_id, []).append(row)
        return by_device

    async def slaves_named(self, device_id: int, names: Collection[str]) -> list[SlaveDevice]:
        """Those of these slaves that there are; without what was removed."""
        query = select(SlaveDevice).where(SlaveDevice.device_id == device_id, SlaveDevice.name.in_(names))
        query = query.where(SlaveDevice.removed.is_(False)).order_by(SlaveDevice.id)
        return list(await self._session.scalars(query))

    async def points(
        self, device_id: int, after: int, limit: int, *conditions: ColumnElement[bool]
    ) -> Sequence[Row[Any]]:
        """Some points of the running catalog with higher numbers than that: rows of all columns, which cost a
        third of objects.
        """
        query = select(*DataPoint.__table__.c).where(DataPoint.device_id == device_id, DataPoint.id > after)
        query = query.where(DataPoint.removed.is_(False), seen(self._scope, DataPoint.device_id))
        query = query.where(*conditions).order_by(DataPoint.id).limit(limit)
        return (await self._session.execute(query)).all()

    async def point(self, dsid: int) -> tuple[DataPoint, SlaveDevice, Device] | None:
        query = select(DataPoint, SlaveDevice, Device).join(SlaveDevice, DataPoint.slave_id == SlaveDevice.id)
        query = query.join(Device, DataPoint.device_id == Device.id).where(DataPoint.id == dsid)
        query = query.where(visible(self._scope))
        row = (await self._session.execute(query)).one_or_none()
        return None if row is None else (row[0], row[1], row[2])

    async def owners(self, dsids: Collection[int]) -> dict[int, int]:
        """Data point to gateway, for those that exist."""
        query = select(DataPoint.id, DataPoint.device_id).where(DataPoint.id.in_(dsids))
        query = query.where(seen(self._scope, DataPoint.device_id))
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def gateways_of(self, dsids: Collection[int]) -> list[tuple[int, str, str]]:
        """Data point, its gateway's serial number and catalog; of gateways that are connected."""
        query = select(DataPoint.id, Device.gateway_id, Device.catalog).join(
            Device, DataPoint.device_id == Device.id
        )
        query = query.where(DataPoint.id.in_(dsids), Device.online, Device.catalog.is_not(None))
        query = query.where(seen(self._scope, DataPoint.device_id))
        return [(row[0], row[1], row[2]) for row in await self._session.execute(query)]

    async def catalog(self, gateway: str, catalog_hash: str) -> CatalogEntry | None:
        query = select(CatalogEntry).join(Device, CatalogEntry.device_id == Device.id)
        query = query.where(Device.gateway_id == gateway, CatalogEntry.hash == catalog_hash)
        return (await self._session.scalars(query)).one_or_none()

    async def silent(self, before_ms: int) -> list[Device]:
        """Gateways that count as online and sent nothing since, locked."""
        query = select(Device).where(Device.online.is_(True), func.coalesce(Device.last_ms, 0) < before_ms)
        return list(await self._session.scalars(query.order_by(Device.id).with_for_update()))

    async def credentials(self) -> dict[str, tuple[str, bool]]:
        """Secret's hash and whether it is disabled, of every gateway."""
        query = select(Device.gateway_id, Device.secret_hash, Device.disabled)
        return {row[0]: (row[1], row[2]) for row in await self._session.execute(query)}
