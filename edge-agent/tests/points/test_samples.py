"""Blocks to samples, what is recorded, and the newest values."""

from __future__ import annotations

import math
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.config.model import Point
from edge_agent.model import Quality, RecordMode, Sample
from edge_agent.points import LiveTable, PointBlock, Recorder
from edge_agent.points.scale import value_of

NOW = 1_790_000_000_000


def points(*fields: dict[str, Any]) -> list[Point]:
    return [msgspec.convert({"slave": "s", "name": f"p{n}", **own}, Point) for n, own in enumerate(fields)]


SCALINGS = [
    {},
    {"ratio": 0.1},
    {"ratio": 10.0},
    {"bias": 2.0, "tofixed": 1},
    {"tofixed": 0},
    {"data_type": "float"},
]
RAW = st.one_of(st.integers(0, 65535), st.floats(width=32), st.none())


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(SCALINGS), RAW), min_size=1, max_size=12))
def test_a_block_gives_what_its_points_give_one_by_one(members: list[tuple[dict[str, Any], Any]]) -> None:
    own = points(*[fields for fields, _ in members])
    raw = [value for _, value in members]
    samples, good = PointBlock(own, range(1, len(own) + 1)).samples(raw, NOW)
    for number, (point, value, sample) in enumerate(zip(own, raw, samples, strict=True), start=1):
        expected = value_of(point, value)
        quality = Quality.OUT_OF_RANGE if expected is None else Quality.GOOD
        assert sample == Sample(number, NOW, expected, quality)
        assert type(sample.value) is type(expected)
    assert good is all(sample.quality is Quality.GOOD for sample in samples)


def test_values_of_an_unset_clock_are_uncertain() -> None:
    samples, good = PointBlock(points({}, {}), [1, 2]).samples([5, math.nan], 3_600_000)
    assert [sample.quality for sample in samples] == [Quality.UNCERTAIN_TIME, Quality.OUT_OF_RANGE]
    assert samples[0].value == 5
    assert not good


def recorder(*fields: dict[str, Any]) -> Recorder:
    return Recorder(dict(enumerate(points(*fields))))


def run(recording: Recorder, values: list[Any]) -> list[Any]:
    """What is stored of point 0; None in values stands for an offline device."""
    stored = []
    for value in values:
        quality = Quality.DEVICE_OFFLINE if value is None else Quality.GOOD
        stored += [sample.value for sample in recording.select([Sample(0, NOW, value, quality)])]
    return stored


def test_record_modes() -> None:
    assert run(recorder({"record": RecordMode.NONE}), [1, 2, None, 3]) == []
    assert run(recorder({}), [1, 1, None, None, 1]) == [1, 1, None, 1]
    assert run(recorder({"record": RecordMode.ON_CHANGE}), [1, 1, 2, None, None, 2, 2]) == [1, 2, None, 2]


def test_deadband_compares_with_what_was_stored() -> None:
    creeping = {"record": RecordMode.ON_CHANGE, "deadband": 0.5}
    assert run(recorder(creeping), [10, 10.3, 10.5, 10.6, 11.0, 10.1]) == [10, 10.6]
    assert run(recorder(creeping | {"type": "str"}), ["a", "a", "b"]) == ["a", "b"]


def test_each_change_of_quality_is_recorded_once() -> None:
    recording = recorder({})
    qualities = [
        Quality.PORT_DOWN,
        Quality.PORT_DOWN,
        Quality.DEVICE_OFFLINE,
        Quality.BAD_FRAME,
        Quality.BAD_FRAME,
    ]
    stored = [s.quality for q in qualities for s in recording.select([Sample(0, NOW, None, q)])]
    assert stored == [Quality.PORT_DOWN, Quality.DEVICE_OFFLINE, Quality.BAD_FRAME]


def test_a_plain_block_after_trouble_clears_the_trouble() -> None:
    recording = recorder({}, {})
    recording.select([Sample(0, NOW, None, Quality.PORT_DOWN)])
    good = [Sample(0, NOW, 1), Sample(1, NOW, 2)]
    assert recording.select(good, True) == good
    assert recording.quality_of(0) is Quality.GOOD
    assert recording.select([Sample(0, NOW, None, Quality.PORT_DOWN)]) != []


def test_live_table() -> None:
    live = LiveTable()
    assert live.get(1) is None
    assert live.age_ms(1, NOW) is None
    live.update([Sample(1, NOW, 5), Sample(2, NOW, 6)])
    live.update([Sample(1, NOW + 1000, 7)])
    assert live.get(1) == Sample(1, NOW + 1000, 7)
    assert sorted(sample.point for sample in live.snapshot()) == [1, 2]
    assert live.age_ms(2, NOW + 2500) == 2500
    assert live.age_ms(2, NOW - 1) == 0
