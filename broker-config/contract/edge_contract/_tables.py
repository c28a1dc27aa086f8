"""Columns and blocks of a batch, writing: rows become tables, tables become blocks.

Bulk work goes through zip, map and array, because a batch of thousands of points is written every second.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, repeat
from operator import attrgetter, gt, itemgetter, lt, sub
from typing import Any

from edge_contract._blocks import GRID, HIGHEST_MS, HIGHEST_POINT, QUALITIES, RAGGED
from edge_contract._dense import columns_of, joined, picked
from edge_contract._dense_forms import plan_block
from edge_contract._packing import Writer
from edge_contract._values import write_columns, write_form
from edge_contract.errors import BatchError
from edge_contract.model import Quality, Row, Value


@dataclass
class ColumnTable:
    """Columns by rising point that share one rising time vector. qualities: None when all are GOOD."""

    points: Sequence[int]
    t_ms: Sequence[int]
    columns: Sequence[Sequence[Value]]
    qualities: Sequence[Sequence[int]] | None


Lone = tuple[int, Value, int]
"""Time, value and quality of a sample whose point is in rows of different points."""


def tables_of(rows: Sequence[Row]) -> list[ColumnTable]:
    """Every sample once; a point lies in one table only. Samples of one point and time keep their order."""
    groups: defaultdict[tuple[int, ...], list[Row]] = defaultdict(list)
    last: tuple[int, ...] | None = None
    for row in rows:
        if row.points is not last:
            last = row.points
            members = groups[last]
        members.append(row)
    for points, members in groups.items():
        _check(points, members)
    shared = set() if _apart(groups) else _shared(groups)
    tables = []
    for points, members in groups.items():
        if shared.isdisjoint(points):
            tables.append(_table(points, members))
    if shared:
        tables += _tables_by_point(row for row in rows if not shared.isdisjoint(row.points))
    return tables


def _apart(groups: Iterable[tuple[int, ...]]) -> bool:
    """Whether it is easily seen that no point occurs twice: all rise, and none begins within another."""
    highest = 0
    for points in sorted(groups):
        if points[0] <= highest or not all(map(lt, points, points[1:])):
            return False
        highest = points[-1]
    return True


def _shared(groups: Iterable[tuple[int, ...]]) -> set[int]:
    """Points that occur twice."""
    seen: set[int] = set()
    shared: set[int] = set()
    for points in groups:
        fresh = set(points)
        shared |= seen & fresh
        seen |= fresh
        if len(fresh) < len(points):
            shared.update(point for point in fresh if points.count(point) > 1)
    return shared


def _check(points: tuple[int, ...], members: Sequence[Row]) -> None:
    if set(map(type, points)) != {int} or min(points) < 1 or max(points) > HIGHEST_POINT:
        raise BatchError("point", f"an integer from 1 to {HIGHEST_POINT}")
    times = [row.t_ms for row in members]
    if set(map(type, times)) != {int} or min(times) < 0 or max(times) > HIGHEST_MS:
        raise BatchError("t_ms", f"an integer from 0 to {HIGHEST_MS}")
    for row in members:
        if len(row.values) != len(points) or (row.qualities and len(row.qualities) != len(points)):
            raise BatchError("values", "as many values, and qualities, as points")
        if row.qualities and not QUALITIES.issuperset(row.qualities):
            raise BatchError("quality", f"0 to {max(QUALITIES)}")


def _table(points: tuple[int, ...], members: list[Row]) -> ColumnTable:
    """Rows of the same points."""
    times = [row.t_ms for row in members]
    if times != sorted(times):
        members = sorted(members, key=attrgetter("t_ms"))
        times.sort()
    columns = columns_of([row.values for row in members])
    qualities: Sequence[Sequence[int]] | None = None
    if any(row.qualities for row in members):
        good = (Quality.GOOD,) * len(points)
        qualities = list(zip(*(row.qualities or good for row in members), strict=True))
    if any(map(gt, points, points[1:])):
        order = sorted(range(len(points)), key=points.__getitem__)
        pick = itemgetter(*order)
        points, columns = pick(points), picked(columns, order)
        qualities = None if qualities is None else pick(qualities)
    return ColumnTable(points, times, columns, qualities)


def _tables_by_point(rows: Iterable[Row]) -> list[ColumnTable]:
    """Tables of one column each."""
    lone: defaultdict[int, list[Lone]] = defaultdict(list)
    for row in rows:
        qualities = row.qualities or repeat(Quality.GOOD, len(row.points))
        for point, value, quality in zip(row.points, row.values, qualities, strict=True):
            lone[point].append((row.t_ms, value, quality))
    tables = []
    for point, samples in lone.items():
        samples.sort(key=itemgetter(0))
        times, values, qualities = zip(*samples, strict=True)
        tables.append(ColumnTable((point,), times, (values,), (qualities,) if any(qualities) else None))
    return tables


@dataclass
class Block:
    """Columns by rising point. t_ms: of every column, one for all in a grid. qualities: None if all GOOD."""

    shape: int
    points: Sequence[int]
    t_ms: Sequence[Sequence[int]]
    columns: Sequence[Sequence[Value]]
    qualities: Sequence[Sequence[int]] | None


def blocks_of(tables: Iterable[ColumnTable]) -> list[Block]:
    """Grids by their least point, then what is ragged."""
    by_times: defaultdict[tuple[int, ...], list[ColumnTable]] = defaultdict(list)
    for table in tables:
        by_times[tuple(table.t_ms)].append(table)
    grids, ragged = [], []
    for times, members in by_times.items():
        if len(times) > 1 and (len(members) > 1 or len(members[0].points) > 1):
            grids.append(_block(GRID, members))
        else:
            ragged += members
    grids.sort(key=lambda block: block.points[0])
    return [*grids, _block(RAGGED, ragged)] if ragged else grids


def _block(shape: int, tables: Sequence[ColumnTable]) -> Block:
    points = list(chain.from_iterable(table.points for table in tables))
    columns = joined([table.columns for table in tables])
    times = list(chain.from_iterable(repeat(table.t_ms, len(table.points)) for table in tables))
    qualities: list[Sequence[int]] | None = None
    if any(table.qualities for table in tables):
        qualities = list(chain.from_iterable(map(_qualities, tables)))
    block = Block(shape, points, times, columns, qualities)
    if not any(map(gt, points, points[1:])):
        return block
    return _picked(block, sorted(range(len(points)), key=points.__getitem__))


def _qualities(table: ColumnTable) -> Sequence[Sequence[int]]:
    """Of every column."""
    return table.qualities or [(Quality.GOOD,) * len(table.t_ms)] * len(table.points)


def _picked(block: Block, order: Sequence[int]) -> Block:
    """The same columns in another order; at least two."""
    pick: Callable[[Any], Any] = itemgetter(*order)
    qualities = None if block.qualities is None else pick(block.qualities)
    columns = picked(block.columns, order) if block.columns else ()
    return Block(block.shape, pick(block.points), pick(block.t_ms), columns, qualities)


def write_blocks(writer: Writer, origin_ms: int, blocks: Sequence[Block]) -> bool:
    """Write the blocks and, when not every sample is GOOD, the qualities; whether these were written."""
    writer.varint(len(blocks))
    written = [_write_block(writer, origin_ms, block) for block in blocks]
    if not any(any(map(any, block.qualities)) for block in written if block.qualities):
        return False
    _write_qualities(writer, written)
    return True


def _write_block(writer: Writer, origin_ms: int, block: Block) -> Block:
    """The block as it was written: its columns by form."""
    groups = sorted(plan_block(block.columns).items())
    if len(groups) > 1:
        written = replace(block, columns=())  # they lie in the groups
        block = _picked(written, list(chain.from_iterable(group.places for _, group in groups)))
    writer.byte(block.shape)
    writer.varint(len(block.points))
    _write_times(writer, origin_ms, block)
    at = 0
    for form, group in groups:
        points = block.points[at : at + len(group.places)]
        at += len(points)
        write_form(writer, form)
        writer.varint(len(points))
        writer.varint(points[0])
        writer.packed(list(map(sub, points[1:], points)))
        write_columns(writer, form, group.columns)
    return block


def _write_times(writer: Writer, origin_ms: int, block: Block) -> None:
    if block.shape == GRID:
        times = block.t_ms[0]
        writer.varint(len(times))
        writer.zigzag(times[0] - origin_ms)
        writer.packed(list(map(sub, times[1:], times)))
        return
    writer.packed(list(map(len, block.t_ms)))
    writer.packed([times[0] - origin_ms for times in block.t_ms])
    writer.packed(
        list(chain.from_iterable(map(sub, times[1:], times) for times in block.t_ms if len(times) > 1))
    )


def _write_qualities(writer: Writer, blocks: Iterable[Block]) -> None:
    """Runs of equal quality over all samples, in the order in which they were written."""
    vectors = (block.qualities or [(Quality.GOOD,) * len(times) for times in block.t_ms] for block in blocks)
    flat = chain.from_iterable(map(chain.from_iterable, vectors))
    for quality, run in groupby(flat):
        writer.byte(quality)
        writer.varint(sum(1 for _ in run))
