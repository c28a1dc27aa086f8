"""What a gateway says that it collects, brought into slaves and data points."""

from __future__ import annotations

import logging
from collections import OrderedDict

from cloud.db import Database
from cloud.domains.devices.models import CatalogEntry, DataPoint, Device, SlaveDevice
from cloud.domains.devices.repository import DeviceRepository
from cloud.kit.clock import NowMs, now_ms
from cloud.kit.text import storable
from edge_contract.payloads import Catalog, PointEntry, SlaveEntry, catalog_hash

log = logging.getLogger(__name__)

REMEMBERED = 5000
"""(gateway, catalog) pairs whose numbers are kept in memory."""


class CatalogService:
    """A point keeps its dsid for ever, by slave and name; what a catalog leaves out is marked removed."""

    def __init__(self, database: Database, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._clock = clock
        self._known: OrderedDict[tuple[str, str], dict[int, int]] = OrderedDict()

    async def series_of(self, gateway: str, wanted: str) -> dict[int, int] | None:
        """Point number to dsid; None when this catalog never came."""
        key = (gateway, wanted)
        if key not in self._known:
            async with self._database.reading() as session:
                entry = await DeviceRepository(session).catalog(gateway, wanted)
            if entry is None:
                return None
            self._known[key] = {int(number): dsid for number, dsid in entry.points.items()}
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]

    async def apply(self, gateway: str, catalog: Catalog) -> None:
        """Store a catalog and make slaves and points follow it. A hash that does not fit is refused."""
        if catalog_hash(catalog.slaves, catalog.points) != catalog.hash:
            log.warning("catalog of %s refused: hash: must be the hash of its content", gateway)
            return
        async with self._database.session() as session:
            repository = DeviceRepository(session)
            device = await repository.by_gateway(gateway)
            if device is None:
                log.warning("catalog of %s refused: the gateway is not claimed", gateway)
                return
            slaves = await self._slaves(repository, device, catalog.slaves)
            points = await self._points(repository, device, slaves, catalog.points)
            if await repository.catalog(gateway, catalog.hash) is None:
                entry = CatalogEntry(
                    device_id=device.id, hash=catalog.hash, received_ms=self._clock(), points=points
                )
                repository.add(entry)
            device.catalog = catalog.hash
            await session.commit()
        log.info("catalog of %s: %d slaves, %d points", gateway, len(catalog.slaves), len(points))

    async def _slaves(
        self, repository: DeviceRepository, device: Device, entries: list[SlaveEntry]
    ) -> dict[str, SlaveDevice]:
        rows = {row.name: row for row in await repository.slaves(device.id, removed=True)}
        for row in rows.values():
            row.removed = True
        for entry in entries:
            if entry.name not in rows:
                rows[entry.name] = SlaveDevice(device_id=device.id, name=entry.name)
                repository.add(rows[entry.name])
            row = rows[entry.name]
            row.title, row.address = storable(entry.title, 200) or entry.name, storable(entry.address, 200)
            row.protocol, row.port, row.removed = entry.protocol, entry.port, False
        await repository.flush()
        return rows

    async def _points(
        self,
        repository: DeviceRepository,
        device: Device,
        slaves: dict[str, SlaveDevice],
        entries: list[PointEntry],
    ) -> dict[str, int]:
        rows = {
            (slave.name, point.name): point
            for point, slave in await repository.points(device.id, removed=True)
        }
        for row in rows.values():
            row.removed = True
        numbered: dict[str, DataPoint] = {}
        seen: set[tuple[str, str]] = set()
        for entry in entries:
            if entry.slave not in slaves:
                log.warning("catalog of %s: point %s: slave is not in it", device.gateway_id, entry.name)
                continue
            if (entry.slave, entry.name) in seen:
                log.warning("catalog of %s: point %s: named twice", device.gateway_id, entry.name)
                continue
            seen.add((entry.slave, entry.name))
            row = rows.get((entry.slave, entry.name)) or DataPoint(
                device_id=device.id, slave_id=slaves[entry.slave].id, name=entry.name
            )
            _describe(row, entry)
            repository.add(row)
            numbered[str(entry.id)] = row
        await repository.flush()
        return {number: row.id for number, row in numbered.items()}


def _describe(row: DataPoint, entry: PointEntry) -> None:
    row.title, row.unit = storable(entry.title, 200) or entry.name, storable(entry.unit, 200)
    row.kind, row.rw = entry.kind, entry.rw
    row.data_type, row.decimals = entry.data_type, entry.decimals
    row.period_ms, row.record = entry.period_ms, entry.record
    row.min, row.max = entry.min, entry.max
    row.on_value, row.off_value = entry.on_value, entry.off_value
    row.removed = False
