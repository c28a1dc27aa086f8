"""Columns and blocks of a batch, reading: a block is a set of columns with their times and points.

A grid block shares one time vector; it is what polling gives. Everything else (one sample a point, values
recorded on change) goes into one ragged block, in which every column has its own times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice

import msgspec

from edge_contract._packing import Reader
from edge_contract._values import read_form, read_values
from edge_contract.errors import BatchError
from edge_contract.model import Quality, Value

HIGHEST_POINT = 2**31 - 1
HIGHEST_MS = 2**53
GRID, RAGGED = 0, 1
QUALITIES = frozenset(quality.value for quality in Quality)


class Column(msgspec.Struct, frozen=True, gc=False):
    """All samples of one point in a batch, by rising time. The four sequences are equally long."""

    point: int
    t_ms: Sequence[int]
    values: Sequence[Value]
    qualities: Sequence[int]


class FlatColumns:
    """Columns in the order in which they were written, without an object for each.

    points, lengths: of each column, a length at least 1. t_ms, values, qualities: of each sample, one column
    after the other; of a column by rising time. qualities: None when all are GOOD.
    """

    __slots__ = ("lengths", "points", "qualities", "t_ms", "values")

    def __init__(self) -> None:
        self.points: list[int] = []
        self.lengths: list[int] = []
        self.t_ms: list[int] = []
        self.values: list[Value] = []
        self.qualities: list[int] | None = None

    def columns(self) -> Iterator[Column]:
        """One by one."""
        end = 0
        qualities = self.qualities
        for point, length in zip(self.points, self.lengths, strict=True):
            begin, end = end, end + length
            grades = [0] * length if qualities is None else qualities[begin:end]
            yield Column(point, self.t_ms[begin:end], self.values[begin:end], grades)


def read_blocks(reader: Reader, origin_ms: int, samples: int) -> FlatColumns:
    """Columns of exactly this many samples, all of good quality. Raises BatchError when the bytes are no such
    blocks.
    """
    columns = FlatColumns()
    for _ in range(reader.varint("blocks", samples)):
        shape = reader.byte()
        rest = samples - len(columns.t_ms)
        count = reader.varint("columns", rest)
        if not count:
            raise BatchError("columns", "at least 1")
        begin = len(columns.lengths)
        if shape == GRID:
            _read_grid_times(reader, origin_ms, count, rest, columns)
        elif shape == RAGGED:
            _read_ragged_times(reader, origin_ms, count, rest, columns)
        else:
            raise BatchError("shape", f"{GRID} or {RAGGED}")
        _read_groups(reader, columns.lengths[begin:], columns)
    if len(columns.t_ms) != samples:
        raise BatchError("samples", "must be the number of samples in the body")
    return columns


def _read_grid_times(
    reader: Reader, origin_ms: int, count: int, max_samples: int, columns: FlatColumns
) -> None:
    """Of columns that share their times."""
    length = reader.varint("samples", max_samples)
    if not length or length * count > max_samples:
        raise BatchError("samples", "must be the number of samples in the body")
    first = reader.zigzag("t_ms") + origin_ms
    differences = reader.packed("t_ms", length - 1)
    _check_differences(differences)
    times = list(accumulate(differences, initial=first))
    _check_times(times[0], times[-1])
    columns.lengths += [length] * count
    columns.t_ms += times * count


def _read_ragged_times(
    reader: Reader, origin_ms: int, count: int, max_samples: int, columns: FlatColumns
) -> None:
    """Of columns that have times of their own."""
    lengths = reader.packed("samples", count)
    if min(lengths) < 1 or sum(lengths) > max_samples:
        raise BatchError("samples", "must be the number of samples in the body")
    columns.lengths += lengths
    firsts = [first + origin_ms for first in reader.packed("t_ms", count)]
    if max(lengths) == 1:
        _check_times(min(firsts), max(firsts))
        columns.t_ms += firsts
        return
    differences = reader.packed("t_ms", sum(lengths) - len(lengths))
    _check_differences(differences)
    steps = iter(differences)
    for first, length in zip(firsts, lengths, strict=True):
        times = list(accumulate(islice(steps, length - 1), initial=first))
        _check_times(times[0], times[-1])
        columns.t_ms += times


def _read_groups(reader: Reader, lengths: Sequence[int], columns: FlatColumns) -> None:
    """Points and values of one block, whose columns have these lengths: those of one form lie together."""
    at = 0
    while at < len(lengths):
        form = read_form(reader)
        size = reader.varint("columns", len(lengths) - at)
        columns.points += _read_points(reader, size)
        columns.values += read_values(reader, form, lengths[at : at + size])
        at += size


def _read_points(reader: Reader, size: int) -> list[int]:
    if not size:
        raise BatchError("columns", "at least 1")
    first = reader.varint("point", HIGHEST_POINT)
    differences = reader.packed("point", size - 1)
    points = list(accumulate(differences, initial=first))
    if first < 1 or (differences and min(differences) < 1) or points[-1] > HIGHEST_POINT:
        raise BatchError("point", f"rising, 1 to {HIGHEST_POINT}")
    return points


def _check_differences(differences: list[int]) -> None:
    if differences and min(differences) < 0:
        raise BatchError("t_ms", "must not fall within a column")


def _check_times(first: int, last: int) -> None:
    if first < 0 or last > HIGHEST_MS:
        raise BatchError("t_ms", f"0 to {HIGHEST_MS}")


def read_qualities(reader: Reader, samples: int) -> list[int]:
    """Qualities of so many samples. Raises BatchError."""
    flat: list[int] = []
    while rest := samples - len(flat):
        quality, run = reader.byte(), reader.varint("quality", rest)
        if quality not in QUALITIES or not run:
            raise BatchError("quality", f"0 to {max(QUALITIES)}, in runs of at least 1")
        flat += [quality] * run
    return flat
