"""The newest sample of a point after columns of any length is what its samples one by one leave."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.telemetry.newest import LastSample, take_newer
from cloud.timeseries.base import SeriesColumn, StoredSample
from cloud.timeseries.series_table import SeriesTable
from edge_contract.model import Value

NOW = 1_790_000_000_000
POINT = 7

VALUES: st.SearchStrategy[list[Value]] = st.lists(
    st.sampled_from([None, 1, 2.5, True, 0, False, "on"]), min_size=1, max_size=6
)


def expected(known: LastSample | None, t_ms: int, value: Value, quality: int) -> LastSample:
    """After one more sample."""
    known = known or LastSample(0, None, 0, 0)
    held, changed_ms, good = known.held, known.changed_ms, known.good
    if value is None:
        if known.value is not None:
            good = StoredSample(known.t_ms, known.value, known.quality)
        return LastSample(t_ms, None, quality, NOW, good, held, changed_ms)
    if value != held:
        held, changed_ms = value, None if held is None else t_ms
    return LastSample(t_ms, value, quality, NOW, None, held, changed_ms)


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_columns_of_any_length(columns: list[list[Value]]) -> None:
    newest: dict[int, LastSample] = {}
    one_by_one: LastSample | None = None
    t_ms = NOW - 60_000
    for values in columns:
        times = [t_ms + at for at in range(len(values))]
        t_ms += 100
        qualities = [0 if value is not None else 2 for value in values]
        take_newer(newest, SeriesTable.of([SeriesColumn(POINT, times, values, qualities)]), False, NOW)
        for sample in zip(times, values, qualities, strict=True):
            one_by_one = expected(one_by_one, *sample)
        assert newest[POINT] == one_by_one
