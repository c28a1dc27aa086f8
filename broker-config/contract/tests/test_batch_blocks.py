"""The blocks of a batch at their limits: what is read to the last, and what lies one beyond."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import pytest

from edge_contract._blocks import FlatColumns, read_blocks, read_qualities
from edge_contract._forms import Form, ValueKind
from edge_contract._packing import Reader, Writer
from edge_contract._values import write_form
from edge_contract.batch import decode, encode
from edge_contract.errors import BatchError
from edge_contract.model import Quality, Row

LAST_POINT, LAST_MS = 2**31 - 1, 2**53
ORIGIN = 1_790_000_000_000
GRID, RAGGED = 0, 1


def _group(writer: Writer, points: list[int]) -> None:
    """Columns of values that are all none."""
    write_form(writer, Form(ValueKind.NONE))
    writer.varint(len(points))
    if points:
        writer.varint(points[0])
        writer.packed([b - a for a, b in pairwise(points)])


def grid(points: list[int], times: list[int], *, count: int | None = None) -> bytes:
    writer = Writer()
    writer.byte(GRID)
    writer.varint(len(points) if count is None else count)
    writer.varint(len(times))
    if times:
        writer.zigzag(times[0] - ORIGIN)
        writer.packed([b - a for a, b in pairwise(times)])
    _group(writer, points)
    return bytes(writer.data)


def ragged(points: list[int], times: list[list[int]], *, shape: int = RAGGED) -> bytes:
    writer = Writer()
    writer.byte(shape)
    writer.varint(len(times))
    writer.packed([len(each) for each in times])
    writer.packed([each[0] - ORIGIN for each in times if each])
    if any(len(each) > 1 for each in times):
        writer.packed([b - a for each in times for a, b in pairwise(each)])
    _group(writer, points)
    return bytes(writer.data)


def read(samples: int, *blocks: bytes) -> list[tuple[int, list[int]]]:
    """Points with their times."""
    reader = Reader(bytes((len(blocks),)) + b"".join(blocks))
    flat = read_blocks(reader, ORIGIN, samples)
    assert reader.at_end and flat.qualities is None
    columns = list(flat.columns())
    assert all(len(each.values) == len(each.t_ms) == len(each.qualities) for each in columns)
    assert all(set(each.qualities) == {0} for each in columns)
    return [(each.point, list(each.t_ms)) for each in columns]


def refused(field: str, samples: int, *blocks: bytes) -> str:
    with pytest.raises(BatchError) as caught:
        read(samples, *blocks)
    assert caught.value.field == field
    return caught.value.rule


def test_blocks_in_the_order_in_which_they_were_written() -> None:
    assert read(4, grid([5, 6], [ORIGIN]), ragged([1, 3], [[ORIGIN], [ORIGIN + 1]])) == [
        (5, [ORIGIN]), (6, [ORIGIN]), (1, [ORIGIN]), (3, [ORIGIN + 1]),
    ]  # fmt: skip
    assert read(3, ragged([1, 2], [[ORIGIN], [ORIGIN - 5, ORIGIN]])) == [
        (1, [ORIGIN]),
        (2, [ORIGIN - 5, ORIGIN]),
    ]


@pytest.mark.parametrize("way", [grid, lambda points, times: ragged(points, [times] * len(points))])
def test_the_first_and_the_last_point_and_time(way: object) -> None:
    assert callable(way)
    assert read(2, way([1, LAST_POINT], [ORIGIN])) == [(1, [ORIGIN]), (LAST_POINT, [ORIGIN])]
    assert read(2, way([1], [0, LAST_MS])) == [(1, [0, LAST_MS])]
    assert read(1, way([1], [0])) == [(1, [0])] and read(1, way([1], [LAST_MS])) == [(1, [LAST_MS])]
    assert refused("point", 2, way([1, LAST_POINT + 1], [ORIGIN])) == f"rising, 1 to {LAST_POINT}"
    assert refused("point", 1, way([LAST_POINT + 1], [ORIGIN])) == f"at most {LAST_POINT}"
    for points in ([0, 1], [2, 2], [2, 1]):
        refused("point", 2, way(points, [ORIGIN]))
    for times in ([-1], [LAST_MS + 1]):
        assert refused("t_ms", 1, way([1], times)) == f"0 to {LAST_MS}"
    for times in ([-1, 5], [5, LAST_MS + 1]):
        assert refused("t_ms", 2, way([1], times)) == f"0 to {LAST_MS}"


def test_times_may_stand_still_and_do_not_fall() -> None:
    assert read(2, grid([1], [ORIGIN, ORIGIN])) == [(1, [ORIGIN, ORIGIN])]
    assert refused("t_ms", 2, grid([1], [ORIGIN, ORIGIN - 1])) == "must not fall within a column"
    refused("t_ms", 3, ragged([1, 2], [[ORIGIN], [ORIGIN, ORIGIN - 1]]))
    falling = [[ORIGIN], [ORIGIN - 9, ORIGIN - 9]]
    assert read(3, ragged([1, 2], falling)) == [(1, falling[0]), (2, falling[1])], "each for itself"


def test_times_of_every_column_have_the_limits() -> None:
    refused("t_ms", 2, ragged([1, 2], [[ORIGIN], [-1]]))
    refused("t_ms", 2, ragged([1, 2], [[LAST_MS + 1], [ORIGIN]]))
    refused("t_ms", 3, ragged([1, 2], [[ORIGIN, ORIGIN], [LAST_MS + 1]]))


def test_as_many_samples_as_the_header_says() -> None:
    words = "must be the number of samples in the body"
    two = grid([1, 2], [ORIGIN])
    for samples in (3, 5):
        assert refused("samples", samples, two) == words
    assert refused("samples", 3, grid([1, 2], [ORIGIN, ORIGIN])) == words
    assert refused("samples", 2, ragged([1], [[ORIGIN] * 3])) == words
    assert refused("samples", 2, grid([1], [])) == words
    assert refused("samples", 2, ragged([1, 2], [[ORIGIN], []])) == words
    assert refused("columns", 1, two) == "at most 1"
    refused("blocks", 1, two, two)


def test_no_columns_and_unknown_shapes() -> None:
    at_least = "at least 1"
    assert refused("columns", 2, grid([], [ORIGIN])) == at_least
    assert refused("columns", 2, grid([], [ORIGIN], count=1)) == at_least
    assert refused("columns", 2, ragged([], [])) == at_least
    assert refused("columns", 2, ragged([], [[ORIGIN]])) == at_least
    for shape in (2, 255):
        assert refused("shape", 1, ragged([1], [[ORIGIN]], shape=shape)) == "0 or 1"


def test_columns_times_samples_are_refused_before_memory_is_taken() -> None:
    """Each is no more than the header says, and their product is."""
    block = grid(list(range(1, 1001)), [ORIGIN] * 1000)
    tracemalloc.start()
    refused("samples", 1000, block)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 500_000


def qualities(data: bytes, *lengths: int) -> list[list[int]]:
    reader = Reader(data)
    flat = FlatColumns()
    flat.points, flat.lengths = list(range(1, len(lengths) + 1)), list(lengths)
    flat.t_ms, flat.values = [ORIGIN] * sum(lengths), [None] * sum(lengths)
    flat.qualities = read_qualities(reader, sum(lengths))
    assert reader.at_end
    return [list(each.qualities) for each in flat.columns()]


def test_qualities_are_runs_over_all_columns() -> None:
    last = max(Quality)
    assert qualities(bytes((0, 1, 2, 3, last, 1)), 2, 3) == [[0, 2], [2, 2, last]]
    for wrong in (bytes((0, 0)), bytes((last + 1, 5)), bytes((0, 4, 255, 1))):
        with pytest.raises(BatchError) as caught:
            qualities(wrong, 5)
        assert (caught.value.field, caught.value.rule) == ("quality", f"0 to {last}, in runs of at least 1")
    with pytest.raises(BatchError, match="quality: at most 2"):
        qualities(bytes((0, 3, 0, 3)), 5)


def flat(rows: list[Row]) -> list[tuple[int, int, object, int]]:
    _, columns = decode(encode("00000000000000aa", 1, "00000000000000bb", ORIGIN, rows))
    return [
        (column.point, *each)
        for column in columns
        for each in zip(column.t_ms, column.values, column.qualities, strict=True)
    ]


def test_points_that_do_not_rise_or_are_named_twice_in_a_row() -> None:
    rows = [Row((1, 3, 2, 1), ORIGIN, (10, 30, 20, 11), (0, 3, 2, 4))]
    assert flat(rows) == [
        (1, ORIGIN, 10, 0), (1, ORIGIN, 11, 4), (2, ORIGIN, 20, 2), (3, ORIGIN, 30, 3),
    ]  # fmt: skip


def test_rows_that_share_points() -> None:
    rows = [
        Row((1, 2), ORIGIN + 1, (10, 20)),
        Row((2, 3), ORIGIN, (21, 31)),
        Row((5, 4), ORIGIN, (51, 41), (2, 0)),
        Row((5, 4), ORIGIN - 1, (50, 40)),
    ]
    assert flat(rows) == [
        (1, ORIGIN + 1, 10, 0), (2, ORIGIN, 21, 0), (2, ORIGIN + 1, 20, 0), (3, ORIGIN, 31, 0),
        (4, ORIGIN - 1, 40, 0), (4, ORIGIN, 41, 0), (5, ORIGIN - 1, 50, 0), (5, ORIGIN, 51, 2),
    ]  # fmt: skip
