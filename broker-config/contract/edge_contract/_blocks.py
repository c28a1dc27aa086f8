"""Columns and blocks of a batch, reading: a block is a set of columns with their times and points.

A grid block shares one time vector; it is what polling gives. Everything else (one sample a point, values
recorded on change) goes into one ragged block, in which every column has its own times.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import msgspec

from edge_contract._packing import Reader
from edge_contract._values import read_columns, read_form, split
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


def read_blocks(reader: Reader, origin_ms: int, samples: int) -> list[Column]:
    """Columns in the order in which they were written, all of good quality; exactly this many samples."""
    columns: list[Column] = []
    rest = samples
    good: dict[int, list[int]] = {}  # by length; shared, as the times of a grid are
    for _ in range(reader.varint("blocks", samples)):
        shape = reader.byte()
        count = reader.varint("columns", rest)
        times = _read_times(reader, origin_ms, shape, count, rest)
        rest -= sum(map(len, times))
        while times:
            form = read_form(reader)
            size = reader.varint("columns", len(times))
            points = _read_points(reader, size)
            group, times = times[:size], times[size:]
            vectors = read_columns(reader, form, [len(column) for column in group])
            for length in {len(column) for column in group} - good.keys():
                good[length] = [0] * length
            columns += [
                Column(point, column, values, good[len(column)])
                for point, column, values in zip(points, group, vectors, strict=True)
            ]
    if rest:
        raise BatchError("samples", "must be the number of samples in the body")
    return columns


def _read_points(reader: Reader, size: int) -> list[int]:
    if not size:
        raise BatchError("columns", "at least 1")
    first = reader.varint("point", HIGHEST_POINT)
    differences = reader.packed("point", size - 1)
    points = list(accumulate([first, *differences]))
    if first < 1 or (differences and min(differences) < 1) or points[-1] > HIGHEST_POINT:
        raise BatchError("point", f"rising, 1 to {HIGHEST_POINT}")
    return points


def _read_times(reader: Reader, origin_ms: int, shape: int, count: int, most: int) -> list[list[int]]:
    """Time vectors of a block's columns; together at most this many samples."""
    if not count:
        raise BatchError("columns", "at least 1")
    if shape == GRID:
        length = reader.varint("samples", most)
        if not length or length * count > most:
            raise BatchError("samples", "must be the number of samples in the body")
        firsts, lengths = [reader.zigzag("t_ms")], [length]
    elif shape == RAGGED:
        lengths = reader.packed("samples", count)
        if min(lengths) < 1 or sum(lengths) > most:
            raise BatchError("samples", "must be the number of samples in the body")
        firsts = reader.packed("t_ms", count)
    else:
        raise BatchError("shape", f"{GRID} or {RAGGED}")
    differences = reader.packed("t_ms", sum(lengths) - len(lengths))
    if differences and min(differences) < 0:
        raise BatchError("t_ms", "must not fall within a column")
    steps = split(differences, [length - 1 for length in lengths])
    times = [list(accumulate([first + origin_ms, *rest])) for first, rest in zip(firsts, steps, strict=True)]
    if any(column[0] < 0 or column[-1] > HIGHEST_MS for column in times):
        raise BatchError("t_ms", f"0 to {HIGHEST_MS}")
    return times * count if shape == GRID else times


def read_qualities(reader: Reader, columns: Sequence[Column]) -> list[Column]:
    """The same columns with their qualities. Raises BatchError."""
    lengths = [len(column.values) for column in columns]
    rest = sum(lengths)
    flat: list[int] = []
    while rest:
        quality, run = reader.byte(), reader.varint("quality", rest)
        if quality not in QUALITIES or not run:
            raise BatchError("quality", f"0 to {max(QUALITIES)}, in runs of at least 1")
        flat += [quality] * run
        rest -= run
    return [
        Column(column.point, column.t_ms, column.values, qualities)
        for column, qualities in zip(columns, split(flat, lengths), strict=True)
    ]
