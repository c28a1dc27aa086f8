"""Blocks to rows, what is recorded of them, and the newest values."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.config.model import Point
from edge_agent.model import Quality, RecordMode, Row, Sample
from edge_agent.points import LiveTable, PointBlock, Recorder
from edge_agent.points.scale import value_of
from edge_contract.limits import EARLIEST_MS

NOW = 1_790_000_000_000


def points(*fields: dict[str, Any]) -> list[Point]:
    return [msgspec.convert({"slave": "s", "name": f"p{n}", **own}, Point) for n, own in enumerate(fields)]


SCALINGS = [
    {},
    {"ratio": 0.1},
    {"ratio": 10.0},
    {"bias": 2.0, "tofixed": 1},
    {"ratio": 0.5, "bias": 3.0},
    {"tofixed": 0},
    {"data_type": "float"},
]
RAW = st.one_of(st.integers(0, 65535), st.floats(width=32), st.none())


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(SCALINGS), RAW), min_size=1, max_size=12))
def test_a_block_gives_what_its_points_give_one_by_one(members: list[tuple[dict[str, Any], Any]]) -> None:
    own = points(*[fields for fields, _ in members])
    raw = [value for _, value in members]
    row = PointBlock(own, range(1, len(own) + 1)).row(raw, NOW)
    samples = row.samples()
    for number, (point, value, sample) in enumerate(zip(own, raw, samples, strict=True), start=1):
        expected = value_of(point, value)
        quality = Quality.OUT_OF_RANGE if expected is None else Quality.GOOD
        assert sample == Sample(number, NOW, expected, quality)
        assert type(sample.value) is type(expected)
    assert row.good is all(sample.quality is Quality.GOOD for sample in samples)


@pytest.mark.parametrize(
    ("members", "raw", "values"),
    [
        ([{"ratio": 0.5, "bias": 3.0}] * 2, [5, 7], [5.5, 6.5]),
        ([{"ratio": 4.0, "bias": -1.0}, {"bias": 2.0}], [5, 7], [19, 9]),
        ([{"ratio": 0.5, "bias": 3.0}, {"ratio": 0.5, "bias": 3.0, "tofixed": 0}], [6, 6], [6.0, 6.0]),
        ([{"ratio": 0.5, "bias": 3.0}, {"ratio": 0.25, "bias": 1.0, "tofixed": 1}], [5, 7], [5.5, 2.8]),
        ([{"ratio": 4.0}, {}], [5, 7], [20, 7]),
        ([{"bias": 4.0}, {}], [5, 7], [9, 7]),
    ],
)
def test_ratio_and_bias_with_and_without_rounding(
    members: list[dict[str, Any]], raw: list[Any], values: list[Any]
) -> None:
    row = PointBlock(points(*members), [1, 2]).row(raw, NOW)
    assert list(row.values) == values
    assert row.good


def test_a_block_of_several_kinds() -> None:
    row = PointBlock(points({"ratio": 2.0}, {"type": "swh"}), [1, 2]).row([5, 1], NOW)
    assert [(type(value), value) for value in row.values] == [(int, 10), (bool, True)]
    assert row.qualities is None


@pytest.mark.parametrize("kind", [{}, {"type": "swh"}])
def test_the_clock_is_set_from_the_earliest_time_on(kind: dict[str, Any]) -> None:
    block = PointBlock(points(kind), [1])
    assert block.row([1], EARLIEST_MS).qualities is None
    assert block.row([1], EARLIEST_MS - 1).qualities == [Quality.UNCERTAIN_TIME]


def test_values_of_an_unset_clock_are_uncertain() -> None:
    row = PointBlock(points({}, {}), [1, 2]).row([5, math.nan], 3_600_000)
    assert row.qualities == [Quality.UNCERTAIN_TIME, Quality.OUT_OF_RANGE]
    assert row.values == [5, None]


def run(fields: dict[str, Any], values: list[Any]) -> list[Any]:
    """What is stored of one point; None in values stands for an offline device."""
    block, recorder = PointBlock(points(fields), [1]), Recorder()
    stored: list[Any] = []
    for value in values:
        row = block.without_value(Quality.DEVICE_OFFLINE, NOW) if value is None else block.row([value], NOW)
        chosen = recorder.select(row, block)
        stored += chosen.values if chosen else []
    return stored


def test_record_modes() -> None:
    assert run({"record": RecordMode.NONE}, [1, 2, None, 3]) == []
    assert run({}, [1, 1, None, None, 1]) == [1, 1, None, 1]
    assert run({"record": RecordMode.ON_CHANGE}, [1, 1, 2, None, None, 2, 2]) == [1, 2, None, 2]


@pytest.mark.clause("C-143")
@pytest.mark.parametrize("record", [RecordMode.ALWAYS, RecordMode.ON_CHANGE])
def test_a_deadband_acts_in_every_mode_that_stores(record: RecordMode) -> None:
    assert run({"record": record, "deadband": 0.5}, [10, 10.3, 10.5, 10.6, 11.0, 10.1]) == [10, 10.6]


def test_deadband_compares_with_what_was_stored() -> None:
    creeping = {"record": RecordMode.ON_CHANGE, "deadband": 0.5}
    assert run(creeping, [10, 10.3, 10.5, 10.6, 11.0, 10.1]) == [10, 10.6]
    assert run(creeping | {"type": "str"}, ["a", "a", "b"]) == ["a", "b"]


@given(
    st.lists(
        st.lists(
            st.one_of(st.integers(0, 9), st.sampled_from([0.25, 4.5, math.nan])), min_size=3, max_size=3
        ),
        max_size=12,
    ),
    st.lists(
        st.tuples(st.sampled_from(list(RecordMode)), st.sampled_from([0.0, 0.5, 3.0])), min_size=3, max_size=3
    ),
)
def test_a_block_records_what_its_points_record_separately(
    readings: list[list[Any]], modes: list[tuple[RecordMode, float]]
) -> None:
    fields = [{"record": mode, "deadband": deadband} for mode, deadband in modes]
    block, recorder = PointBlock(points(*fields), [7, 8, 9]), Recorder()
    together: dict[int, list[Any]] = {7: [], 8: [], 9: []}
    for reading in readings:
        chosen = recorder.select(block.row(reading, NOW), block)
        for sample in chosen.samples() if chosen else []:
            together[sample.point].append(sample.value)
    alone = []
    for at, own in enumerate(fields):
        single, recorder = PointBlock(points(own), [1]), Recorder()
        rows = [recorder.select(single.row([reading[at]], NOW), single) for reading in readings]
        alone.append([row.values[0] for row in rows if row])
    assert list(together.values()) == alone


def test_each_change_of_quality_is_recorded_once() -> None:
    block, recorder = PointBlock(points({}), [1]), Recorder()
    qualities = [
        Quality.PORT_DOWN,
        Quality.PORT_DOWN,
        Quality.DEVICE_OFFLINE,
        Quality.BAD_FRAME,
        Quality.BAD_FRAME,
    ]
    rows = [recorder.select(block.without_value(quality, NOW), block) for quality in qualities]
    stored = [row.qualities[0] for row in rows if row and row.qualities]
    assert stored == [Quality.PORT_DOWN, Quality.DEVICE_OFFLINE, Quality.BAD_FRAME]


def test_a_good_row_after_trouble_clears_the_trouble() -> None:
    block, recorder = PointBlock(points({}, {}), [1, 2]), Recorder()
    down = block.without_value(Quality.PORT_DOWN, NOW)
    assert recorder.select(down, block) is down
    assert recorder.select(down, block) is None
    good = block.row([1, 2], NOW)
    assert recorder.select(good, block) is good
    assert recorder.select(down, block) is down


def test_a_value_that_recovers_is_recorded_though_it_did_not_move() -> None:
    block, recorder = PointBlock(points({"record": RecordMode.ON_CHANGE}), [1]), Recorder()
    row = block.row([5], NOW)
    assert recorder.select(row, block) is row
    assert recorder.select(row, block) is None
    recorder.select(block.without_value(Quality.STALE, NOW), block)
    assert recorder.select(row, block) is row


def test_live_table() -> None:
    live = LiveTable()
    assert live.get(1) is None
    assert live.age_ms(1, NOW) is None
    live.update(Row((1, 2), NOW, (5, 6)))
    live.update(Row((1,), NOW - 1000, (7,), (Quality.UNCERTAIN_TIME,)))
    assert live.get(1) == Sample(1, NOW - 1000, 7, Quality.UNCERTAIN_TIME), (
        "what was read last, whatever its clock"
    )
    assert sorted(live.snapshot(), key=lambda sample: sample.point) == [live.get(1), Sample(2, NOW, 6)]
    live.update(Row((1, 2), NOW, (8, 9)))
    assert live.get(1) == Sample(1, NOW, 8)
    assert live.age_ms(2, NOW + 2500) == 2500
    assert live.age_ms(2, NOW - 1) == 0


def test_a_point_without_a_value_reads_as_its_last_good_one_with_the_quality_of_now() -> None:
    live, stale = LiveTable(), Quality.STALE
    live.update(Row((1, 2), NOW, (5, None), (Quality.GOOD, stale)))
    live.update(Row((1, 2), NOW + 1, (None, None), (stale, stale)))
    live.update(Row((1, 2), NOW + 2, (None, None), (stale, stale)))
    assert live.readable() == [Sample(1, NOW, 5, stale), Sample(2, NOW + 2, None, stale)]
    live.update(Row((1,), NOW + 3, (None,), (stale,)))
    assert min(live.readable(), key=lambda sample: sample.point) == Sample(1, NOW, 5, stale)
    live.update(Row((1, 2), NOW + 4, (7, 8)))
    assert sorted(live.readable(), key=lambda sample: sample.point) == [
        Sample(1, NOW + 4, 7), Sample(2, NOW + 4, 8)
    ]  # fmt: skip


def test_equal_blocks_are_one_whichever_tuple_they_come_in() -> None:
    """A command or an offline slave makes a block of its own, with numbers equal to those of a poll."""
    live = LiveTable()
    polled = tuple(range(1, 40))
    for turn in range(200):
        live.update(Row(polled if turn % 2 else tuple(range(1, 40)), NOW + turn, (turn,) * 39))
        assert live.get(7) == Sample(7, NOW + turn, turn)
    assert len(live.snapshot()) == 39
    assert len(live._rows) == len(live._same) == 1
