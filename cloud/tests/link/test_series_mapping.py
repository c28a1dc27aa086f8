"""Points of a batch become series; what nobody knows or no clock can have said is left out and counted."""

from __future__ import annotations

import pytest

from cloud.link.metrics import UNSTORED_SAMPLES
from cloud.link.series_mapping import to_series
from edge_contract.batch import decode_flat, encode
from edge_contract.limits import CLOCK_AHEAD_MS, EARLIEST_MS
from edge_contract.model import Quality, Row

NOW_MS = 1_790_000_000_000
LATEST_MS = NOW_MS + CLOCK_AHEAD_MS
POINTS = {1: 11, 2: 12, 3: 13}


def mapped(*rows: Row) -> list[tuple[int, int, object, int]]:
    _, columns = decode_flat(encode("0" * 16, 1, "a" * 16, NOW_MS, rows))
    return [
        (column.series, *sample)
        for column in to_series(columns, POINTS, NOW_MS)
        for sample in zip(column.t_ms, column.values, column.qualities, strict=True)
    ]


@pytest.fixture(autouse=True)
def counts(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    counted: dict[str, float] = {}

    class Counter:
        def __init__(self, reason: str) -> None:
            self.reason = reason

        def inc(self, count: float) -> None:
            if count:
                counted[self.reason] = counted.get(self.reason, 0) + count

    monkeypatch.setattr(UNSTORED_SAMPLES, "labels", Counter)
    return counted


def test_every_point_is_known(counts: dict[str, float]) -> None:
    rows = [
        Row((1, 3), NOW_MS, (1.5, True)),
        Row((1, 3), NOW_MS + 1, (7, None), (Quality.GOOD, Quality.STALE)),
    ]
    assert mapped(*rows) == [
        (11, NOW_MS, 1.5, 0), (11, NOW_MS + 1, 7, 0), (13, NOW_MS, True, 0), (13, NOW_MS + 1, None, 2),
    ]  # fmt: skip
    assert counts == {}


def test_unknown_points_are_counted_by_sample(counts: dict[str, float]) -> None:
    assert mapped(Row((1, 8, 9), NOW_MS, (1, 2, 3)), Row((8,), NOW_MS + 1, (4,))) == [(11, NOW_MS, 1, 0)]
    assert counts == {"unknown_point": 3}
    assert mapped(Row((8,), NOW_MS, (1,))) == []


def test_times_that_cannot_be(counts: dict[str, float]) -> None:
    assert mapped(Row((1,), EARLIEST_MS, (1,)), Row((1,), LATEST_MS, (2,))) == [
        (11, EARLIEST_MS, 1, 0),
        (11, LATEST_MS, 2, 0),
    ]
    assert counts == {}
    rows = [Row((1, 2), t_ms, (1, 2)) for t_ms in (EARLIEST_MS - 1, NOW_MS, LATEST_MS + 1)]
    assert mapped(*rows, Row((3,), LATEST_MS + 1, (3,), (Quality.STALE,))) == [
        (11, NOW_MS, 1, 0),
        (12, NOW_MS, 2, 0),
    ]
    assert counts == {"clock_ahead": 3, "clock_not_set": 2}
