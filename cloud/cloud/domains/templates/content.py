"""What a version of a template holds, and what it is in a gateway's configuration document. Pure.

A point template: {"points": [rows without a slave]}. A gateway template: {"ports", "slaves", "points" (own
rows, each with its slave), "templates": {slave: {"template_id", "version"}}, "defaults": {"port", "slave"}}.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloud.domains.configuration.document import written
from cloud.errors import ParameterError
from edge_contract.deployment import Document, canonical
from edge_contract.document.masking import is_secret
from edge_contract.document.rows import Row
from edge_contract.document.rows import rows_of as rows_of
from edge_contract.document.values import flat, nested

POINT, GATEWAY = "point", "gateway"

MAX_POINTS = 5000
MAX_ROWS = 1000
"""Of ports and of slaves."""

MAX_BYTES = 900 * 1024
"""Of a canonical document; a request's body has at most 1 MiB."""

SECTIONS = ("ports", "slaves", "points")
DEFAULTS = {
    "port": frozenset({"baud", "parity", "data_bits", "stop_bits", "capture_cycle_ms", "min_interval_ms"}),
    "slave": frozenset({"capture_cycle_ms", "response_timeout_ms", "retries", "storage_cycle_s"}),
}
"""Fields that every port and slave has unless it says otherwise."""


@dataclass(frozen=True)
class Reference:
    """A version of a template. own: points of a slave that left it, whose rows are the gateway's own."""

    template_id: int
    number: int
    own: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Parts:
    """Rows as a configuration document has them. templates: of slaves whose points come from one."""

    ports: list[Row] = field(default_factory=list)
    slaves: list[Row] = field(default_factory=list)
    points: list[Row] = field(default_factory=list)

    def of_slave(self, slave: str) -> list[Row]:
        """The slave's points."""
        return [row for row in self.points if row.get("slave") == slave]


def parts_of(document: Mapping[str, Any]) -> Parts:
    """Of a gateway's configuration."""
    ports, slaves, points = (list[Row](rows_of(document, section)) for section in SECTIONS)
    return Parts(ports, slaves, points)


def with_parts(document: Mapping[str, Any], parts: Parts) -> Document:
    """The document with these rows instead of its own."""
    return {**document, "ports": parts.ports, "slaves": parts.slaves, "points": parts.points}


def on_slave(rows: Iterable[Row], slave: str) -> list[Row]:
    """Rows of a point template as points of a slave."""
    return [{"slave": slave, **row} for row in rows]


def off_slave(rows: Iterable[Row]) -> list[Row]:
    """Points of a slave as rows of a point template."""
    return [{name: value for name, value in row.items() if name != "slave"} for row in rows]


def references_of(document: Mapping[str, Any]) -> dict[str, Reference]:
    """Which point template each slave of a gateway template has."""
    found = document.get("templates", {})
    return {slave: Reference(each["template_id"], each["version"]) for slave, each in found.items()}


def expanded(document: Mapping[str, Any], points: Mapping[str, Sequence[Row]]) -> Parts:
    """What a gateway template puts into a draft. points: rows of the point templates by slave."""
    defaults = document.get("defaults", {})
    port, slave = defaults.get("port", {}), defaults.get("slave", {})
    given = [row for name, rows in points.items() for row in on_slave(rows, name)]
    return Parts(
        [{**port, **row} for row in rows_of(document, "ports")],
        [{**slave, **row} for row in rows_of(document, "slaves")],
        [*rows_of(document, "points"), *given],
    )


def without_secrets(row: Row) -> dict[str, Any]:
    """The row as a template may keep it: passwords are each gateway's own."""
    return nested(
        {name: value for name, value in flat(row).items() if not is_secret(name.rpartition(".")[2])}
    )


def checked(category: str, document: Document) -> tuple[Document, bytes]:
    """The document with exactly its lists, and its canonical bytes; ParameterError names the first fault."""
    known = {"points"} if category == POINT else {*SECTIONS, "templates", "defaults"}
    for name in document.keys() - known:
        raise ParameterError(f"document.{name[:100]}", f"only {', '.join(sorted(known))}")
    stored: Document = {"points": document.get("points", [])}
    if category == GATEWAY:
        stored = {name: document.get(name, []) for name in SECTIONS}
        stored |= {"templates": _templates(document), "defaults": _defaults(document)}
    for section in SECTIONS:
        rows, most = stored.get(section, []), MAX_POINTS if section == "points" else MAX_ROWS
        if not isinstance(rows, list) or len(rows) > most:
            raise ParameterError(f"document.{section}", f"a list of at most {most} tables")
        _no_secrets(section, rows)
    written(_as_configuration(category, stored), "template")
    content = canonical(stored)
    if len(content) > MAX_BYTES:
        raise ParameterError("document", f"at most {MAX_BYTES} bytes")
    return stored, content


def _as_configuration(category: str, stored: Document) -> Document:
    """A configuration that has the same faults of names, references and values."""
    gateway = {"id": "template"}
    if category == GATEWAY:
        return {**stored, "gateway": gateway}
    points = [{**row, "slave": "slave"} if isinstance(row, dict) else row for row in stored["points"]]
    ports, slaves = [{"name": "port"}], [{"name": "slave", "port": "port"}]
    return {"gateway": gateway, "ports": ports, "slaves": slaves, "points": points}


def _templates(document: Document) -> dict[str, dict[str, int]]:
    found = document.get("templates", {})
    slaves = {row.get("name") for row in rows_of(document, "slaves")}
    own = {row.get("slave") for row in rows_of(document, "points")}
    if not isinstance(found, dict):
        raise ParameterError("document.templates", "a table by slave")
    for slave, each in found.items():
        path = f"document.templates.{slave[:64]}"
        if slave not in slaves:
            raise ParameterError(path, "must be the name of a slave")
        if slave in own:
            raise ParameterError(path, "a slave has a template or points of its own")
        numbers = [each.get(name) for name in ("template_id", "version")] if isinstance(each, dict) else []
        if len(numbers) != 2 or len(each) != 2 or not all(map(_is_number, numbers)):
            raise ParameterError(path, "template_id and version, both positive whole numbers")
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31


def _defaults(document: Document) -> dict[str, Any]:
    found = document.get("defaults", {})
    if not isinstance(found, dict) or found.keys() - DEFAULTS.keys():
        raise ParameterError("document.defaults", "port and slave")
    for of, fields in found.items():
        if not isinstance(fields, dict) or fields.keys() - DEFAULTS[of]:
            raise ParameterError(f"document.defaults.{of}", f"only {', '.join(sorted(DEFAULTS[of]))}")
    return found


def _no_secrets(section: str, rows: list[Any]) -> None:
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            continue
        for name in flat(row):
            if is_secret(name.rpartition(".")[2]):
                raise ParameterError(
                    f"document.{section}[{index}].{name[:100]}", "no secrets: each gateway has its own"
                )
