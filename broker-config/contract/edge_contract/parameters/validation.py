"""Every fault of the rows of a group: shape and range of each field, then what the fields say of each other.

Pure; cloud and agent validate by it, and the schema says the same of each field.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from edge_contract.deployment import Fault
from edge_contract.parameters.model import ParameterGroup, Parameters, fault

_PLACE = re.compile(r"^(?P<rule>.*?) - at `\$(?P<path>.*)`$", re.DOTALL)


@cache
def fields_of(model: type[Parameters]) -> dict[str, msgspec.structs.FieldInfo]:
    """Fields of a model by name; msgspec evaluates every annotation anew each time."""
    return {each.name: each for each in msgspec.structs.fields(model)}


def faults_of(group: ParameterGroup, rows: object) -> list[Fault]:
    """Every fault of rows that somebody sent; fields of rows as name, of the n-th of several as [n].name."""
    if not isinstance(rows, list):
        return [fault("", "must be a list of rows")]
    if len(rows) > group.max_rows:
        return [fault("", f"must have at most {group.max_rows} rows, it has {len(rows)}")]
    made: list[Any] = []
    faults: list[Fault] = []
    for at, row in enumerate(rows):
        prefix = f"[{at}]." if group.key else ""
        wrong = list(_row_faults(group, row))
        if not wrong:
            made.append(msgspec.convert(row, group.model, strict=True))
            wrong = list(group.dependencies(made[-1]))
        faults += [
            fault(f"{prefix}{each.field}" if each.field else prefix.rstrip("."), each.rule) for each in wrong
        ]
    faults += _doubles(group, rows)
    return faults or list(group.between(made))


def field_faults(group: ParameterGroup, values: Mapping[str, Any]) -> Iterator[Fault]:
    """Of some fields of a row, each by itself."""
    fields = fields_of(group.model)
    for name, value in values.items():
        if name in fields:
            yield from _value_faults(name, value, fields[name].type)
        else:
            yield fault(str(name), f"is no field of {group.name}")


def _row_faults(group: ParameterGroup, row: object) -> Iterator[Fault]:
    if not isinstance(row, dict):
        yield fault("", "must be a table of fields")
        return
    for name, field in fields_of(group.model).items():
        if field.required and name not in row:
            yield fault(name, "must be given")
    yield from field_faults(group, row)


def _value_faults(name: str, value: Any, kind: Any) -> Iterator[Fault]:
    if isinstance(value, float) and not math.isfinite(value):
        yield fault(name, "must be a finite number")
        return
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as error:
        match = _PLACE.match(str(error))
        inside, rule = (match["path"], match["rule"]) if match else ("", str(error))
        yield fault(f"{name}{inside}", rule)


def _doubles(group: ParameterGroup, rows: Sequence[Any]) -> Iterable[Fault]:
    seen: set[str] = set()
    for at, row in enumerate(rows):
        if not group.key or not isinstance(row, dict) or not all(row.get(field) for field in group.key):
            continue
        name = group.row_name(row)
        if name in seen:
            yield fault(f"[{at}].{group.key[-1]}", f"must be unique, {name} stands there twice")
        seen.add(name)
