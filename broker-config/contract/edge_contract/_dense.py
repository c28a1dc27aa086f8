"""Columns of one kind and one length that stay together, from rows of a field bus: no object for a column.

Planning and writing them gives the same bytes as the same values one column at a time.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from edge_contract.dense import SCALES, Decimals, is_singles
from edge_contract.model import Value


class Singles(Sequence[Sequence[float]]):
    """float32. flat: one column after the other; length: of each."""

    def __init__(self, flat: array[float], length: int) -> None:
        self.flat = flat
        self.length = length

    def __len__(self) -> int:
        return len(self.flat) // self.length

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]

    def __iter__(self) -> Iterator[Sequence[float]]:
        values = iter(self.flat)
        return zip(*[values] * self.length, strict=True)

    def picked(self, order: Sequence[int]) -> Singles:
        flat, length = array("f"), self.length
        for at in order:
            flat += self.flat[at * length : (at + 1) * length]
        return Singles(flat, length)


class Integers(Sequence[Sequence[Value]]):
    """Integers, or floats that are integers / 10**decimals.

    rows: of all columns, by rising time. decimals: of each column; None: they are integers.
    """

    def __init__(self, rows: Sequence[Sequence[int]], decimals: Sequence[int] | None) -> None:
        self.rows = rows
        self.decimals = decimals
        self.length = len(rows)

    def __len__(self) -> int:
        return len(self.rows[0])

    def __getitem__(self, at: Any) -> Any:
        return list(self)[at]

    def __iter__(self) -> Iterator[Sequence[Value]]:
        columns = zip(*self.rows, strict=True)
        if self.decimals is None:
            return columns
        return (
            tuple([integer / SCALES[decimals] for integer in column])
            for column, decimals in zip(columns, self.decimals, strict=True)
        )

    def picked(self, order: Sequence[int]) -> Integers:
        pick: Callable[[Any], Any] = itemgetter(*order)
        return Integers([pick(row) for row in self.rows], self.decimals and pick(self.decimals))


def columns_of(rows: Sequence[Sequence[Value]]) -> Sequence[Sequence[Value]]:
    """Rows of values, by rising time, as columns; dense when all are of one kind."""
    first = rows[0]
    if is_singles(first):
        if all(map(is_singles, rows)):
            return Singles(_transposed(rows), len(rows))  # type: ignore[arg-type]
    elif type(first) is Decimals:
        decimals = first.decimals
        if all(
            type(row) is Decimals and (row.decimals is decimals or row.decimals == decimals) for row in rows
        ):
            return Integers([row.integers for row in rows], first.decimals)  # type: ignore[attr-defined]
    elif type(first[0]) is int and all(set(map(type, row)) == {int} for row in rows):
        return Integers(rows, None)  # type: ignore[arg-type]
    return list(zip(*rows, strict=True))


def _transposed(rows: Sequence[array[float]]) -> array[float]:
    length = len(rows)
    if length == 1:
        return rows[0]
    flat = array("f", bytes(4 * length * len(rows[0])))
    for at, row in enumerate(rows):
        flat[at::length] = row
    return flat


def joined(parts: Sequence[Sequence[Sequence[Value]]]) -> Sequence[Sequence[Value]]:
    """Columns of several tables one after the other; dense when all are of one kind and one length."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if isinstance(first, Singles) and all(
        isinstance(part, Singles) and part.length == first.length for part in parts
    ):
        flat = array("f")
        for part in parts:
            flat += part.flat  # type: ignore[attr-defined]
        return Singles(flat, first.length)
    if isinstance(first, Integers) and all(
        isinstance(part, Integers)
        and part.length == first.length
        and (part.decimals is None) == (first.decimals is None)
        for part in parts
    ):
        rows = [
            list(chain.from_iterable(part.rows[at] for part in parts))  # type: ignore[attr-defined]
            for at in range(first.length)
        ]
        if first.decimals is None:
            return Integers(rows, None)
        return Integers(rows, list(chain.from_iterable(part.decimals for part in parts)))  # type: ignore[attr-defined]
    return list(chain.from_iterable(parts))


def picked(columns: Sequence[Sequence[Value]], order: Sequence[int]) -> Sequence[Sequence[Value]]:
    """The same columns in another order."""
    if isinstance(columns, (Singles, Integers)):
        return columns.picked(order)
    return [columns[at] for at in order]
