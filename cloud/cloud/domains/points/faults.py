"""What is wrong with a cell of a row, as a code with arguments for which the portal has words. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from cloud.domains.points.conditions import Checks, Facts, broken
from cloud.domains.points.forms import FormField

Shown = Mapping[str, Any]
"""A row as fields.shown makes it."""

Level = Literal["error", "warning"]
Arguments = dict[str, int | float | str]


@dataclass(frozen=True)
class Cell:
    """A fault of a field of one row. code: such as range, with its arguments."""

    field: str
    code: str
    arguments: Arguments = dataclasses.field(default_factory=dict)
    level: Level = "error"


def number(row: Shown, name: str) -> float | None:
    """The number of a field; None when it is absent or none."""
    value = row.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def integer(row: Shown, name: str) -> int | None:
    value = row.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text(row: Shown, name: str, default: str = "") -> str:
    value = row.get(name)
    return value if isinstance(value, str) else default


def ranged(row: Shown, name: str, lowest: int, highest: int) -> Iterator[Cell]:
    value = number(row, name)
    if value is not None and not lowest <= value <= highest:
        yield Cell(name, "range", {"min": lowest, "max": highest})


def chosen(row: Shown, name: str, choices: tuple[str, ...] | list[str]) -> Iterator[Cell]:
    if row.get(name) is not None and str(row[name]) not in choices:
        yield Cell(name, "choice", {"choices": ", ".join(choices)})


def formed(row: Shown, fields: Mapping[str, FormField]) -> Iterator[Cell]:
    """Faults of fields that a protocol's form describes. fields: by their name in the row."""
    for name, form in fields.items():
        value = row.get(name)
        if value is None or value == "":
            if form.required:
                yield Cell(name, "required")
        elif form.kind == "choice":
            yield from chosen(row, name, form.choices or [])
        elif form.kind == "integer" and form.min is not None and form.max is not None:
            yield from ranged(row, name, form.min, form.max)


def checked(checks: Checks, facts: Facts, names: Mapping[str, str] | None = None) -> Iterator[Cell]:
    """Faults by the rules of a protocol. names: of the editor's fields by the agent's, where they differ."""
    for rule in broken(checks, facts):
        arguments: Arguments = {name: value(facts) for name, value in rule.args.items()}
        yield Cell((names or {}).get(rule.field, rule.field), rule.code, arguments, rule.level)
