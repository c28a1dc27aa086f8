"""What a gateway says that it collects, brought into slaves and data points."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from cloud.db import Database
from cloud.domains.devices.metrics import CATALOG_FAULTS
from cloud.domains.devices.models import CatalogEntry, Device, SlaveDevice
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.values import number_of
from cloud.domains.identity.scope import Scope
from cloud.kit.clock import NowMs, now_ms
from cloud.kit.once import Once
from cloud.kit.text import storable
from edge_contract.limits import MAX_POSITION_TEXT
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
        self._complaints = Once()

    async def series_of(self, gateway: str, wanted: str) -> dict[int, int] | None:
        """Point number to dsid; None when this catalog never came."""
        key = (gateway, wanted)
        if key not in self._known:
            async with self._database.reading() as session:
                entry = await DeviceRepository(session, Scope.system()).catalog(gateway, wanted)
            if entry is None:
                return None
            self._known[key] = {int(number): dsid for number, dsid in entry.points.items()}
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]

    def forget(self, gateway: str) -> None:
        """A gateway is no more; one with the same serial number has other points."""
        for key in [key for key in self._known if key[0] == gateway]:
            del self._known[key]

    async def apply(self, gateway: str, catalog: Catalog) -> None:
        """Store a catalog and make slaves and points follow it. A hash that does not fit is refused."""
        if catalog_hash(catalog.slaves, catalog.points) != catalog.hash:
            self._complain(gateway, "refused", "hash: must be the hash of its content")
            return
        async with self._database.session() as session:
            repository = DeviceRepository(session, Scope.system())
            device = await repository.by_gateway(gateway)
            if device is None:
                self._complain(gateway, "refused", "the gateway is not claimed")
                return
            known = await repository.catalog(gateway, catalog.hash)
            if known is not None and device.catalog == catalog.hash:
                return  # told again
            slaves = await self._slaves(repository, device, catalog.slaves)
            points = await self._points(repository, device, slaves, catalog.points)
            if known is None:
                entry = CatalogEntry(
                    device_id=device.id, hash=catalog.hash, received_ms=self._clock(), points=points
                )
                repository.add(entry)
            device.catalog = catalog.hash
            await session.commit()
        log.info("catalog of %s: %d slaves, %d points", gateway, len(catalog.slaves), len(points))

    async def _slaves(
        self, repository: DeviceRepository, device: Device, entries: list[SlaveEntry]
    ) -> dict[str, int]:
        """Name to number of the slaves of a catalog."""
        rows = {row.name: row for row in await repository.slaves(device.id, removed=True)}
        named = {entry.name: entry for entry in entries}
        for name, row in rows.items():
            row.removed = name not in named
        for name, entry in named.items():
            if name not in rows:
                rows[name] = SlaveDevice(device_id=device.id, name=name)
                repository.add(rows[name])
            row = rows[name]
            row.title, row.address = storable(entry.title, 200) or name, storable(entry.address, 200)
            row.protocol, row.port = entry.protocol, entry.port
        await repository.flush()
        return {name: rows[name].id for name in named}

    async def _points(
        self,
        repository: DeviceRepository,
        device: Device,
        slaves: dict[str, int],
        entries: list[PointEntry],
    ) -> dict[str, int]:
        """Point number (as text) to dsid."""
        named: dict[tuple[int, str], PointEntry] = {}
        for entry in entries:
            key = (slaves.get(entry.slave, 0), entry.name)
            if key[0] == 0 or key in named:
                rule = "its slave is not in it" if key[0] == 0 else "named twice"
                self._complain(device.gateway_id, f"point {entry.name}", rule)
            else:
                named[key] = entry
        rows = {(row.slave_id, row.name): row for row in await repository.points_of(device.id)}
        for key, row in rows.items():
            row.removed = key not in named
            if not row.removed:
                for column, value in _described(named[key]).items():
                    setattr(row, column, value)
        await repository.flush()
        await repository.insert_points(
            [
                {"device_id": device.id, "slave_id": slave_id, "name": name, **_described(entry)}
                for (slave_id, name), entry in named.items()
                if (slave_id, name) not in rows
            ]
        )
        dsids = await repository.dsids(device.id)
        return {str(entry.id): dsids[key] for key, entry in named.items()}

    def _complain(self, gateway: str, what: str, rule: str) -> None:
        CATALOG_FAULTS.inc()
        if self._complaints.first(gateway, rule):
            log.warning("catalog of %s: %s: %s", gateway, what, rule)


def _described(entry: PointEntry) -> dict[str, Any]:
    """Columns of a data point that its catalog entry decides."""
    return {
        "title": storable(entry.title, 200) or entry.name,
        "unit": storable(entry.unit, 200),
        "kind": entry.kind,
        "rw": entry.rw,
        "data_type": entry.data_type,
        "decimals": entry.decimals,
        "period_ms": entry.period_ms,
        "record": entry.record,
        "min": entry.min,
        "max": entry.max,
        "selector": _names(entry.selector),
        "on_text": storable(entry.on_text, MAX_POSITION_TEXT),
        "off_text": storable(entry.off_text, MAX_POSITION_TEXT),
    }


def _names(selector: Mapping[str, str] | None) -> dict[str, str] | None:
    """Values with their names; what is no number cannot be a value."""
    if not selector:
        return None
    return {value: storable(name, 200) for value, name in selector.items() if number_of(value) is not None}
