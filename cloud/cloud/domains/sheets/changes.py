"""What a sheet changes of a document: rows, their cells and faults. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from cloud.domains.points.fields import Row
from cloud.domains.sheets.columns import SheetKind, column_of
from edge_contract.document.rows import Key
from edge_contract.document.values import with_values

RowKind = Literal["added", "changed", "removed", "wrong"]
Fields = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """code: for which the portal has words, with its arguments."""

    code: str
    arguments: Mapping[str, int | float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class CellChange:
    """A field of a row. before, after: None where it is absent."""

    field: str
    before: Any = None
    after: Any = None
    fault: Fault | None = None


@dataclass(frozen=True)
class RowChange:
    """number: of the row in the file, 0 when it stands there in none. key: without the gateway.

    by_template: a template does it, not a row of the file.
    """

    kind: RowKind
    sheet: SheetKind
    number: int
    key: Key
    cells: Sequence[CellChange] = ()
    by_template: bool = False


def put(name: SheetKind, wanted: Fields, row: Row | None) -> Row:
    """A copy of a row with these fields; None takes one away."""
    columns = ((column_of(name, field), value) for field, value in wanted.items())
    return with_values(row or {}, ((column.path, value) for column, value in columns if column is not None))
