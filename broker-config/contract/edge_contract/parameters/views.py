"""Places of a document that groups are views of. Pure.

write(document, read(document)) is the document, and read(write(document, rows)) the rows. What a view does
not show stays as it is, and a row that keeps its key keeps its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from edge_contract.deployment import Document
from edge_contract.document.rows import key_of
from edge_contract.document.rows import rows_of as rows_in
from edge_contract.document.values import value_at, with_values
from edge_contract.parameters.model import Json, Row

Read = Callable[[Document], list[Json]]
Write = Callable[[Document, Sequence[Row]], Document]
Path = tuple[str, ...]


def section(name: str, fields: Sequence[str]) -> tuple[Read, Write]:
    """A section that is there once; these fields of it are shown."""

    def read(document: Document) -> list[Json]:
        held = document.get(name)
        return [_visible(held, {field: (field,) for field in fields})] if isinstance(held, Mapping) else []

    def write(document: Document, rows: Sequence[Row]) -> Document:
        made = {key: value for key, value in document.items() if key != name}
        if not rows:
            return made
        held = document.get(name)
        kept = held if isinstance(held, Mapping) else {}
        return document | {name: _written(kept, rows[0], {field: (field,) for field in fields})}

    return read, write


def rows(
    name: str,
    places: Mapping[str, Path],
    fixed: Mapping[str, str] | None = None,
    aside: Mapping[str, Any] | None = None,
) -> tuple[Read, Write]:
    """Rows of a section that is a list: those whose fields are as fixed says.

    places: where in a row each field of the group stands. aside: fields that a new row needs beside.
    """
    wanted = fixed or {}

    def mine(row: Row) -> bool:
        return all(row.get(field) == value for field, value in wanted.items())

    def read(document: Document) -> list[Json]:
        return [_visible(row, places) for row in rows_in(document, name) if mine(row)]

    def write(document: Document, new: Sequence[Row]) -> Document:
        made = [_written({**wanted, **(aside or {})}, row, places) for row in new]
        by_key = {key_of(name, row): (row, given) for row, given in zip(made, new, strict=True)}
        result: list[Any] = []
        for row in document.get(name, []):
            if not isinstance(row, dict) or not mine(row):
                result.append(row)
            elif (pair := by_key.pop(key_of(name, row), None)) is not None:
                result.append(_written(row, pair[1], places))
        result.extend(row for row, _ in by_key.values())
        if not result and name not in document:
            return dict(document)
        return document | {name: result}

    return read, write


def _visible(row: Row, places: Mapping[str, Path]) -> Json:
    return {field: value for field, path in places.items() if (value := value_at(row, path)) is not None}


def _written(row: Row, given: Row, places: Mapping[str, Path]) -> Json:
    """The row with what is given; a field of the view that is not given has its default, so it goes."""
    changes = [(path, given.get(field)) for field, path in places.items()]
    return with_values(
        row,
        [(path, value) for path, value in changes if value is not None or value_at(row, path) is not None],
    )
