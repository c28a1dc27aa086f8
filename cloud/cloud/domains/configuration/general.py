"""What a gateway's form says of its collection and reporting, as fields of the configuration document. Pure.

collect_interval_s and slave_timeout_ms are of ports and slaves that state none; report_interval_s is how
often the gateway sends what it stored; low_power closes the link in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from cloud.errors import ParameterError
from edge_contract.deployment import Document

FIELDS = ("low_power", "collect_interval_s", "report_interval_s", "slave_timeout_ms")
SECTIONS = ("collection", "reporting")
PLACES: Mapping[str, tuple[str, str]] = {
    "low_power": ("reporting", "power"),
    "collect_interval_s": ("collection", "capture_cycle_ms"),
    "report_interval_s": ("reporting", "interval_s"),
    "slave_timeout_ms": ("collection", "response_timeout_ms"),
}
SAVING_S = 60
"""Shortest report interval with which a gateway saves power."""


class _Sections(msgspec.Struct):
    collection: Any = None
    reporting: Any = None


def general_of(text: str | None) -> dict[str, Any]:
    """The fields of a document's text; None of a document, or a field, that is not there."""
    if text is None:
        return fields_of({})
    sections = msgspec.json.decode(text, type=_Sections)
    return fields_of({"collection": sections.collection, "reporting": sections.reporting})


def fields_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a document; times in the units of their names. What is no number where one belongs counts as
    not there: the gateway validates it.
    """
    held = {name: _held(document, *place) for name, place in PLACES.items()}
    cycle_ms = _integer_or_none(held["collect_interval_s"])
    return {
        "low_power": held["low_power"] == "saving",
        "collect_interval_s": None if cycle_ms is None else cycle_ms / 1000,
        "report_interval_s": _integer_or_none(held["report_interval_s"]),
        "slave_timeout_ms": _integer_or_none(held["slave_timeout_ms"]),
    }


def with_fields(document: Document, wanted: Mapping[str, Any]) -> Document:
    """The document with these fields; None takes one out. Raises ParameterError for fields that contradict
    each other.
    """
    made = dict(document)
    for name, value in wanted.items():
        section, field = PLACES[name]
        held = made.get(section)
        table = {key: each for key, each in held.items() if key != field} if isinstance(held, dict) else {}
        if name == "low_power":
            value = "saving" if value else None
        elif name == "collect_interval_s" and value is not None:
            value = round(value * 1000)
        if value is not None:
            table[field] = value
        if table:
            made[section] = table
        else:
            made.pop(section, None)
    if fault := fault_of(fields_of(made)):
        raise ParameterError(*fault, reason="device.saving_interval")
    return made


def fault_of(fields: Mapping[str, Any]) -> tuple[str, str] | None:
    """Field and rule of what does not go together."""
    if fields.get("low_power") and (fields.get("report_interval_s") or 0) < SAVING_S:
        return "report_interval_s", f"at least {SAVING_S} with power saving"
    return None


def _held(document: Mapping[str, Any], section: str, field: str) -> Any:
    table = document.get(section)
    return table.get(field) if isinstance(table, Mapping) else None


def _integer_or_none(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
