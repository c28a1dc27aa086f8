"""Columns and blocks of a batch, reading: a block is a set of columns with their times and points.

A grid block shares one time vector; it is what polling gives. Everything else (one sample a point, values
recorded on change) goes into one ragged block, in which every column has its own times.

A batch of one moment differs from the one before it in times and values alone. Its layout, which columns
there are and in which forms, is the same bytes and need not be read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import NamedTuple

import msgspec

from edge_contract._forms import Form
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


class Group(NamedTuple):
    """Columns of one form. head: the bytes before their values."""

    head: bytes
    form: Form
    columns: int


class Layout(NamedTuple):
    """Of a body of one block with one sample a column: what is before its first time, and its groups. points:
    of all columns; not to be changed.
    """

    shape: int
    head: bytes
    points: list[int]
    groups: list[Group]


class FlatColumns:
    """Columns in the order in which they were written, without an object for each.

    points, lengths: of each column, a length at least 1. t_ms, values, qualities: of each sample, one column
    after the other; of a column by rising time. qualities: None when all are GOOD. layout: None when there
    are several blocks, or several samples of a column.
    """

    __slots__ = ("layout", "lengths", "points", "qualities", "t_ms", "values")

    def __init__(self) -> None:
        self.layout: Layout | None = None
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


def read_blocks(reader: Reader, origin_ms: int, samples: int, known: Layout | None = None) -> FlatColumns:
    """Columns of exactly this many samples, all of good quality. Raises BatchError when the bytes are no such
    blocks. known: a layout that they may have, whose points they share then.
    """
    if known is not None and len(known.points) == samples:
        alike = _read_alike(reader, origin_ms, known)
        if alike is not None:
            return alike
        reader.position = 0
    columns = FlatColumns()
    blocks = reader.varint("blocks", samples)
    for _ in range(blocks):
        shape = reader.byte()
        rest = samples - len(columns.t_ms)
        count = reader.varint("columns", rest)
        if not count:
            raise BatchError("columns", "at least 1")
        begin = len(columns.lengths)
        if shape == GRID:
            times_at = _read_grid_times(reader, origin_ms, count, rest, columns)
        elif shape == RAGGED:
            times_at = _read_ragged_times(reader, origin_ms, count, rest, columns)
        else:
            raise BatchError("shape", f"{GRID} or {RAGGED}")
        groups = _read_groups(reader, columns.lengths[begin:], columns)
        if blocks == 1 and count == samples:
            columns.layout = Layout(shape, reader.data[:times_at], columns.points, groups)
    if len(columns.t_ms) != samples:
        raise BatchError("samples", "must be the number of samples in the body")
    return columns


def _read_alike(reader: Reader, origin_ms: int, known: Layout) -> FlatColumns | None:
    """Columns of a layout; None when these have another."""
    data, count = reader.data, len(known.points)
    if not data.startswith(known.head):
        return None
    reader.position = len(known.head)
    columns = FlatColumns()
    columns.layout, columns.points, columns.lengths = known, known.points, [1] * count
    if known.shape == GRID:
        first = last = reader.zigzag("t_ms") + origin_ms
        columns.t_ms = [first] * count
    else:
        columns.t_ms = [first + origin_ms for first in reader.packed("t_ms", count)]
        first, last = min(columns.t_ms), max(columns.t_ms)
    _check_times(first, last)
    for head, form, size in known.groups:
        if not data.startswith(head, reader.position):
            return None
        reader.position += len(head)
        columns.values += read_values(reader, form, columns.lengths[:size])
    return columns


def _read_grid_times(
    reader: Reader, origin_ms: int, count: int, max_samples: int, columns: FlatColumns
) -> int:
    """Of columns that share their times; where the first time is."""
    length = reader.varint("samples", max_samples)
    if not length or length * count > max_samples:
        raise BatchError("samples", "must be the number of samples in the body")
    times_at = reader.position
    first = reader.zigzag("t_ms") + origin_ms
    differences = reader.packed("t_ms", length - 1)
    _check_differences(differences)
    times = list(accumulate(differences, initial=first))
    _check_times(times[0], times[-1])
    columns.lengths += [length] * count
    columns.t_ms += times * count
    return times_at


def _read_ragged_times(
    reader: Reader, origin_ms: int, count: int, max_samples: int, columns: FlatColumns
) -> int:
    """Of columns that have times of their own; where the first times are."""
    lengths = reader.packed("samples", count)
    if min(lengths) < 1 or sum(lengths) > max_samples:
        raise BatchError("samples", "must be the number of samples in the body")
    columns.lengths += lengths
    times_at = reader.position
    firsts = [first + origin_ms for first in reader.packed("t_ms", count)]
    if max(lengths) == 1:
        _check_times(min(firsts), max(firsts))
        columns.t_ms += firsts
        return times_at
    differences = reader.packed("t_ms", sum(lengths) - len(lengths))
    _check_differences(differences)
    steps = iter(differences)
    for first, length in zip(firsts, lengths, strict=True):
        times = list(accumulate(islice(steps, length - 1), initial=first))
        _check_times(times[0], times[-1])
        columns.t_ms += times
    return times_at


def _read_groups(reader: Reader, lengths: Sequence[int], columns: FlatColumns) -> list[Group]:
    """Points and values of one block, whose columns have these lengths: those of one form lie together."""
    groups: list[Group] = []
    at = 0
    while at < len(lengths):
        begin = reader.position
        form = read_form(reader)
        size = reader.varint("columns", len(lengths) - at)
        columns.points += _read_points(reader, size)
        groups.append(Group(reader.data[begin : reader.position], form, size))
        columns.values += read_values(reader, form, lengths[at : at + size])
        at += size
    return groups


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
