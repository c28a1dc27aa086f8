"""What one configuration changes of another: its size, before anything is done. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from edge_agent.config.model import Configuration, Point, Port, Slave
from edge_agent.model import PointKey
from edge_contract.deployment import Change, PortLoad

MOST_PORTS = 1000


def change_of(
    before: Configuration,
    after: Configuration,
    load_before: Mapping[str, float],
    load_after: Mapping[str, float],
) -> Change:
    """A point counts as changed when it, its slave or its port is another one, titles aside.

    load_before, load_after: percent of each port's time, by name.
    """
    old, new = by_key(before), by_key(after)
    devices_before, devices_after = devices(before), devices(after)
    alike = {name for name, device in devices_after.items() if device == devices_before.get(name)}
    names = list(dict.fromkeys([*load_before, *load_after]))[:MOST_PORTS]
    return Change(
        points_added=len(new.keys() - old.keys()),
        points_removed=len(old.keys() - new.keys()),
        points_changed=sum(
            1
            for key, point in new.items()
            if (known := old.get(key)) is not None and not (key.slave in alike and same(known, point))
        ),
        ports=[
            PortLoad(port=name, before=load_before.get(name), after=load_after.get(name)) for name in names
        ],
        restarts_link=(before.cloud, before.gateway.id) != (after.cloud, after.gateway.id),
    )


def by_key(configuration: Configuration) -> dict[PointKey, Point]:
    return {PointKey(point.slave, point.name): point for point in configuration.points}


def devices(configuration: Configuration) -> dict[str, tuple[Slave, Port]]:
    """Slaves without their titles, with their ports, by name."""
    ports = {port.name: port for port in configuration.ports}
    return {slave.name: (replace(slave, title=""), ports[slave.port]) for slave in configuration.slaves}


def same(one: Point, other: Point) -> bool:
    """Titles aside."""
    return one == other or replace(one, title="") == replace(other, title="")
