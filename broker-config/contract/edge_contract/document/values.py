"""Values of a configuration document: equality, and the fields of a row by dotted names. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from edge_contract.document.tables import NESTED

Path = tuple[str, ...]
"""Names of fields from a row, or a document, inwards."""


class Absent:
    """Type of ABSENT."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()
"""In place of a value: there is no such field, row or section."""


def same(one: Any, other: Any) -> bool:
    """Equal as the gateway reads it: 7 is 7.0, but true is not 1."""
    if one is other:
        return True
    if isinstance(one, bool) != isinstance(other, bool):
        return False
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


def identical(one: Any, other: Any) -> bool:
    """Equal as canonical text, and so by hash: 7 is not 7.0."""
    if one is other:
        return True
    if one is ABSENT or other is ABSENT:
        return False
    return msgspec.json.encode(one, order="sorted") == msgspec.json.encode(other, order="sorted")


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a row by name, those of NESTED tables as address.offset; an empty nested table is none."""
    made: dict[str, Any] = {}
    for name, value in row.items():
        if name in NESTED and isinstance(value, Mapping):
            made.update({f"{name}.{inner}": each for inner, each in value.items()})
        else:
            made[name] = value
    return made


def nested(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The row of flat fields, without those that are ABSENT."""
    row: dict[str, Any] = {}
    for name, value in fields.items():
        if value is ABSENT:
            continue
        outer, dot, inner = name.partition(".")
        if dot and outer in NESTED:
            held = row.get(outer)
            row[outer] = {**held, inner: value} if isinstance(held, dict) else {inner: value}
        else:
            row[name] = value
    return row


def value_at(row: object, path: Iterable[str]) -> Any:
    """The value under a path of field names; None where one of them is not there."""
    for name in path:
        row = row.get(name) if isinstance(row, Mapping) else None
    return row


def with_values(row: Mapping[str, Any], values: Iterable[tuple[Path, Any]]) -> dict[str, Any]:
    """A copy of a row with values at paths; None takes a field away, and a table that is empty then."""
    made = dict(row)
    for (first, *rest), value in values:
        if rest:
            held = made.get(first)
            inner = held if isinstance(held, Mapping) else {}
            value = with_values(inner, [(tuple(rest), value)]) or None
        if value is None:
            made.pop(first, None)
        else:
            made[first] = value
    return made
