"""Columns and blocks of a batch: a block is a set of columns with their times and points.

A grid block shares one time vector; it is what polling gives. Everything else (one sample a point, values
recorded on change) goes into one ragged block, in which every column has its own times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, groupby
from operator import attrgetter, sub
from typing import Any

from edge_contract._packing import Reader, Writer
from edge_contract._values import Form, plan, read_columns, read_form, split, write_columns, write_form
from edge_contract.errors import BatchError
from edge_contract.model import Quality, Sample, Value

HIGHEST_POINT = 2**31 - 1
HIGHEST_MS = 2**53
GRID, RAGGED = 0, 1


_QUALITIES = {quality.value for quality in Quality}
_by_time = attrgetter("t_ms")


@dataclass(frozen=True)
class Column:
    """All samples of one point in a batch, by rising time. The four sequences are equally long."""

    point: int
    t_ms: Sequence[int]
    values: Sequence[Value]
    qualities: Sequence[int]


@dataclass(frozen=True)
class _Planned:
    """A column and how its values are written."""

    column: Column
    planned: list[Any]


def columns_of(samples: Sequence[Sample]) -> list[Column]:
    """Columns by rising point; samples of one point and time keep their order."""
    by_point: defaultdict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_point[sample.point].append(sample)
    if not all(type(point) is int and 1 <= point <= HIGHEST_POINT for point in by_point):
        raise BatchError("point", f"an integer from 1 to {HIGHEST_POINT}")
    return [_column(point, by_point[point]) for point in sorted(by_point)]


def _column(point: int, samples: list[Sample]) -> Column:
    rule = f"an integer from 0 to {HIGHEST_MS}"
    times = [sample.t_ms for sample in samples]
    if set(map(type, times)) != {int}:
        raise BatchError("t_ms", rule)
    ordered = sorted(times)
    if ordered != times:
        samples.sort(key=_by_time)
        times = ordered
    if times[0] < 0 or times[-1] > HIGHEST_MS:
        raise BatchError("t_ms", rule)
    qualities = [sample.quality for sample in samples]
    if any(qualities) and not _QUALITIES.issuperset(qualities):
        raise BatchError("quality", f"0 to {max(_QUALITIES)}")
    return Column(point, times, [sample.value for sample in samples], qualities)


def write_blocks(writer: Writer, origin_ms: int, columns: Sequence[Column]) -> list[Column]:
    """Write all columns; returns them in the order in which they were written."""
    by_times: defaultdict[tuple[int, ...], list[Column]] = defaultdict(list)
    for column in columns:
        by_times[tuple(column.t_ms)].append(column)
    grids = [block for times, block in by_times.items() if len(times) > 1 and len(block) > 1]
    ragged = [
        column for times, block in by_times.items() if len(times) == 1 or len(block) == 1 for column in block
    ]
    writer.varint(len(grids) + bool(ragged))
    written: list[Column] = []
    for block in grids:
        written += _write_block(writer, origin_ms, GRID, block)
    if ragged:
        written += _write_block(writer, origin_ms, RAGGED, sorted(ragged, key=attrgetter("point")))
    return written


def _write_block(writer: Writer, origin_ms: int, shape: int, columns: Sequence[Column]) -> list[Column]:
    groups: defaultdict[Form, list[_Planned]] = defaultdict(list)
    for column in columns:
        form, planned = plan(column.values)
        groups[form].append(_Planned(column, planned))
    ordered = [(form, groups[form]) for form in sorted(groups)]
    block = [item.column for _, group in ordered for item in group]
    writer.byte(shape)
    writer.varint(len(block))
    _write_times(writer, origin_ms, shape, block)
    for form, group in ordered:
        points = [item.column.point for item in group]
        write_form(writer, form)
        writer.varint(len(group))
        writer.varint(points[0])
        writer.packed(list(map(sub, points[1:], points)))
        write_columns(writer, form, [item.planned for item in group])
    return block


def _write_times(writer: Writer, origin_ms: int, shape: int, block: Sequence[Column]) -> None:
    if shape == GRID:
        times = block[0].t_ms
        writer.varint(len(times))
        writer.zigzag(times[0] - origin_ms)
        writer.packed(list(map(sub, times[1:], times)))
        return
    writer.packed([len(column.t_ms) for column in block])
    writer.packed([column.t_ms[0] - origin_ms for column in block])
    writer.packed(list(chain.from_iterable(map(sub, column.t_ms[1:], column.t_ms) for column in block)))


def write_qualities(writer: Writer, columns: Sequence[Column]) -> None:
    """Runs of equal quality over all samples, in the order of the columns."""
    for quality, run in groupby(chain.from_iterable(column.qualities for column in columns)):
        writer.byte(quality)
        writer.varint(sum(1 for _ in run))


def read_blocks(reader: Reader, origin_ms: int, samples: int) -> list[Column]:
    """Columns in the order in which they were written, all of good quality; exactly this many samples."""
    columns: list[Column] = []
    rest = samples
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
            columns += [
                Column(point, column, values, [0] * len(column))
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
    """The same columns with their qualities."""
    lengths = [len(column.values) for column in columns]
    rest = sum(lengths)
    flat: list[int] = []
    while rest:
        quality, run = reader.byte(), reader.varint("quality", rest)
        if quality not in _QUALITIES or not run:
            raise BatchError("quality", f"0 to {max(_QUALITIES)}, in runs of at least 1")
        flat += [quality] * run
        rest -= run
    return [
        Column(column.point, column.t_ms, column.values, qualities)
        for column, qualities in zip(columns, split(flat, lengths), strict=True)
    ]
