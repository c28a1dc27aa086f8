"""Slaves that a document calls otherwise than the one that it was edited from, and who is told of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.identity.scope import Scope
from edge_contract.deployment import Document

Renamed = Mapping[str, str]
"""New name of a slave by the old one."""


@dataclass(frozen=True)
class Renaming:
    """A document that was kept. base: what it was edited from; name: its own; author: "" for the gateway.

    again: the same was told of what the gateway runs, which a draft was put onto.
    """

    scope: Scope
    device_id: int
    base: str
    name: str
    slaves: Renamed
    author: str
    now_ms: int
    again: bool = False


Follow = Callable[[AsyncSession, Renaming], Awaitable[None]]
"""What the cloud alone knows of a slave goes along, in the transaction that keeps the document."""


def renamed_in_place(before: Document, after: Document) -> dict[str, str]:
    """Of an edit of rows: a renamed one stands where it stood."""
    old, new = list(_slaves(before)), list(_slaves(after))
    if len(old) != len(new):
        return {}
    pairs = ((str(a.get("name")), str(b.get("name"))) for a, b in zip(old, new, strict=True))
    return {a: b for a, b in pairs if a != b}


def renamed_slaves(before: Document, after: Document) -> dict[str, str]:
    """Of a whole document. A slave whose name is gone is known again by its port, protocol and address, or
    by its place and the names of its points.
    """
    names = {str(row.get("name")) for row in _slaves(after)}
    had = {str(row.get("name")) for row in _slaves(before)}
    gone = {name: row for row in _slaves(before) if (name := str(row.get("name"))) not in names}
    come = {name: row for row in _slaves(after) if (name := str(row.get("name"))) not in had}
    if not gone or not come:
        return {}
    found = _by_bus(gone, come)
    taken = set(found.values())
    points = _points(before, gone), _points(after, come)
    for old, new in renamed_in_place(before, after).items():
        if old in gone and new in come and old not in found and new not in taken:
            mine = points[0].get(old)
            if mine and mine == points[1].get(new):
                found[old] = new
    return found


def _by_bus(gone: Mapping[str, Any], come: Mapping[str, Any]) -> dict[str, str]:
    old, new = Counter(map(_bus, gone.values())), Counter(map(_bus, come.values()))
    by_bus = {_bus(row): name for name, row in come.items()}
    return {
        name: by_bus[bus]
        for name, row in gone.items()
        if (bus := _bus(row))[2] and old[bus] == 1 and new[bus] == 1
    }


def _bus(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(row.get("port", "")), str(row.get("protocol", "")), str(row.get("address", ""))


def _slaves(document: Document) -> Iterable[Mapping[str, Any]]:
    rows = document.get("slaves")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _points(document: Document, slaves: Mapping[str, Any]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    rows = document.get("points")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and str(row.get("slave")) in slaves:
            found.setdefault(str(row.get("slave")), set()).add(str(row.get("name")))
    return found
