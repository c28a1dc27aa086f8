"""Faults of a whole document, or of a part of it, with the rows that they belong to. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from cloud.domains.points.faults import Cell, Shown, text
from cloud.domains.points.fields import api_fields
from cloud.domains.points.forms import ProtocolDescription, form_of, forms
from cloud.domains.points.rules import points_faults, port_faults, slave_faults
from cloud.domains.points.schemas import CellFault
from edge_contract.document.rows import rows_of

Document = Mapping[str, Any]
MAX_FAULTS = 1000
"""Told at once."""


def of_ports(document: Document) -> list[CellFault]:
    spoken = _spoken(document)
    return _bounded(
        ("", text(port, "name"), cell)
        for port in (api_fields("ports", row) for row in rows_of(document, "ports"))
        for cell in port_faults(port, forms().get(spoken.get(text(port, "name"), "")))
    )


def of_slaves(document: Document) -> list[CellFault]:
    return _bounded(_slaves(document))


def of_points(document: Document, slaves: Collection[str] | None = None) -> list[CellFault]:
    """slaves: those whose points are checked, all when left out."""
    return _bounded(_points(document, slaves))


def _slaves(document: Document) -> Iterator[tuple[str, str, Cell]]:
    ports = {text(row, "name"): api_fields("ports", row) for row in rows_of(document, "ports")}
    spoken = _spoken(document)
    taken: set[tuple[str, str]] = set()
    for row in rows_of(document, "slaves"):
        slave = api_fields("slaves", row)
        name, port, address = (text(slave, field) for field in ("name", "port", "address"))
        for cell in slave_faults(slave, ports.get(port), form_of_slave(slave), spoken.get(port, "")):
            yield "", name, cell
        bus = (port, str(int(address)) if address.isascii() and address.isdecimal() else address)
        if address and bus in taken:
            yield "", name, Cell("address", "address_twice")
        taken.add(bus)


def _points(document: Document, slaves: Collection[str] | None) -> Iterator[tuple[str, str, Cell]]:
    by_name = {text(row, "name"): api_fields("slaves", row) for row in rows_of(document, "slaves")}
    of_slave: dict[str, list[Shown]] = {}
    for row in rows_of(document, "points"):
        if slaves is None or row.get("slave") in slaves:
            of_slave.setdefault(text(row, "slave"), []).append(api_fields("points", row))
    for name, points in of_slave.items():
        slave = by_name.get(name, {})
        options = slave.get("options")
        faults = points_faults(points, form_of_slave(slave), options if isinstance(options, Mapping) else {})
        for point, cells in zip(points, faults, strict=True):
            for cell in cells:
                yield name, text(point, "ds_name"), cell


def form_of_slave(slave: Shown) -> ProtocolDescription | None:
    options = slave.get("options")
    return form_of(text(slave, "protocol"), options if isinstance(options, Mapping) else {})


def _spoken(document: Document) -> dict[str, str]:
    """Protocol of the first slave of each port."""
    speaks: dict[str, str] = {}
    for row in rows_of(document, "slaves"):
        speaks.setdefault(text(row, "port"), text(row, "protocol"))
    return speaks


def _bounded(cells: Iterable[tuple[str, str, Cell]]) -> list[CellFault]:
    faults: list[CellFault] = []
    for slave, name, cell in cells:
        if len(faults) == MAX_FAULTS:
            break
        faults.append(
            CellFault(
                slave=slave,
                name=name,
                field=cell.field,
                code=cell.code,
                arguments=cell.arguments,
                level=cell.level,
            )
        )
    return faults
