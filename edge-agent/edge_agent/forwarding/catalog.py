"""The configuration as the cloud sees it: what the numbers in batches mean. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from edge_agent.config.model import Configuration, Point, Port, Slave
from edge_agent.config.period import period_ms
from edge_agent.model import PointKey
from edge_contract.payloads import Catalog, PointEntry, SlaveEntry, catalog_hash


def catalog_of(configuration: Configuration, numbers: Mapping[PointKey, int], t_ms: int) -> Catalog:
    """Catalog of a valid configuration; numbers holds every point of it."""
    ports = {port.name: port for port in configuration.ports}
    slaves = {slave.name: slave for slave in configuration.slaves}
    slave_entries = [_slave_entry(slave) for slave in configuration.slaves]
    point_entries = [
        _point_entry(
            point,
            numbers[PointKey(point.slave, point.name)],
            slaves[point.slave],
            ports[slaves[point.slave].port],
        )
        for point in configuration.points
    ]
    name = catalog_hash(slave_entries, point_entries)
    return Catalog(hash=name, t_ms=t_ms, slaves=slave_entries, points=point_entries)


def _slave_entry(slave: Slave) -> SlaveEntry:
    return SlaveEntry(
        name=slave.name,
        title=slave.title or slave.name,
        protocol=slave.protocol,
        port=slave.port,
        address=slave.address,
    )


def _point_entry(point: Point, number: int, slave: Slave, port: Port) -> PointEntry:
    is_cyclic = point.collect_mode == "cycle" and point.rw != "writeonly"
    return PointEntry(
        id=number,
        slave=point.slave,
        name=point.name,
        title=point.title or point.name,
        kind=point.type.value,
        rw=point.rw,
        data_type=point.data_type,
        unit=point.unit,
        decimals=point.tofixed,
        period_ms=period_ms(slave, port, point) if is_cyclic else 0,
        record=int(point.reports),
        min=point.min,
        max=point.max,
        on_value=point.on_value,
        off_value=point.off_value,
        on_text=point.on_text,
        off_text=point.off_text,
        selector=point.selector or None,
    )
