"""What a catalog changes among slaves and points that there are. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloud.core.text import storable
from cloud.domains.devices.values import number_of
from edge_contract.limits import MAX_POSITION_TEXT
from edge_contract.payloads import PointEntry, SlaveEntry

Row = dict[str, Any]
PointKey = tuple[int, str]
"""Number of the slave, and name."""


@dataclass
class Changes:
    """new: complete rows. changed: rows with their id. gone: numbers of rows that are removed from now on."""

    new: list[Row] = field(default_factory=list)
    changed: list[Row] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)


def slave_changes(device_id: int, rows: Iterable[Row], entries: Sequence[SlaveEntry]) -> Changes:
    """rows: the slaves that the gateway ever had."""
    wanted = {entry.name: _slave(entry) for entry in entries}
    return _changes({row["name"]: row for row in rows}, wanted, lambda _: {"device_id": device_id})


def point_changes(device_id: int, rows: Iterable[Row], named: Mapping[PointKey, PointEntry]) -> Changes:
    """rows: the points that the gateway has, removed ones too."""
    wanted = {key: _point(entry) for key, entry in named.items()}
    known = {(row["slave_id"], row["name"]): row for row in rows}
    return _changes(known, wanted, lambda key: {"device_id": device_id, "slave_id": key[0]})


def name_points(
    entries: Sequence[PointEntry], slaves: Mapping[str, int]
) -> tuple[dict[PointKey, PointEntry], list[tuple[str, str]]]:
    """Entries by slave and name, and what is wrong with the others: name and rule."""
    named: dict[PointKey, PointEntry] = {}
    faults: list[tuple[str, str]] = []
    for entry in entries:
        key = (slaves.get(entry.slave, 0), entry.name)
        if key[0] == 0 or key in named:
            faults.append((entry.name, "its slave is not in it" if key[0] == 0 else "named twice"))
        else:
            named[key] = entry
    return named, faults


def _changes(rows: Mapping[Any, Row], wanted: Mapping[Any, Row], owner: Callable[[Any], Row]) -> Changes:
    changes = Changes()
    for key, row in rows.items():
        values = wanted.get(key)
        if values is None:
            if not row["removed"]:
                changes.gone.append(row["id"])
        elif row["removed"] or any(row[name] != value for name, value in values.items()):
            changes.changed.append({"id": row["id"], **values})
    changes.new = [{**owner(key), **values} for key, values in wanted.items() if key not in rows]
    return changes


def _slave(entry: SlaveEntry) -> Row:
    return {
        "name": entry.name,
        "title": storable(entry.title, 200) or entry.name,
        "address": storable(entry.address, 200),
        "protocol": entry.protocol,
        "port": entry.port,
    }


def _point(entry: PointEntry) -> Row:
    """Columns of a data point that its catalog entry decides."""
    return {
        "name": entry.name,
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
