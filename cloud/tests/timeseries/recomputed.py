"""What every version has to answer, recomputed from a plain dictionary of the samples that it was given."""

from __future__ import annotations

from hypothesis import strategies as st

from cloud.timeseries.base import SampleBucket, SeriesColumn, StoredSample, TimeSeries
from cloud.timeseries.rollups import ROLLUP_WIDTHS_MS
from edge_contract.model import Value

DAY_MS = 86_400_000
T0 = 20_000 * DAY_MS

Batches = list[list[tuple[int, Value, int]]]
Known = dict[int, tuple[Value, int]]

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.integers(-500, 500).map(lambda n: n / 10), st.integers(-99, 99), st.booleans(), st.none(),
    st.sampled_from(["on", "off"]), st.just(2**60 + 1), FLOATS.filter(lambda x: abs(x) < 1e100),
)  # fmt: skip
TIMES = st.one_of(
    st.integers(0, 3 * DAY_MS), st.integers(0, 200_000), st.integers(0, 80).map(lambda n: n * 30_000)
)
BATCHES = st.lists(
    st.lists(st.tuples(TIMES, VALUES, st.sampled_from([0, 0, 0, 5])), min_size=1, max_size=40),
    min_size=1, max_size=8,
)  # fmt: skip


def column(series: int, samples: list[tuple[int, Value, int]]) -> SeriesColumn:
    """One series' samples; of equal times the last."""
    kept = {T0 + t_ms: (value, quality) for t_ms, value, quality in samples}
    times = sorted(kept)
    return SeriesColumn(series, times, [kept[t][0] for t in times], [kept[t][1] for t in times])


def learn(known: Known, sent: SeriesColumn) -> None:
    """The samples of a write that was acknowledged."""
    for t_ms, value, quality in zip(sent.t_ms, sent.values, sent.qualities, strict=True):
        known[t_ms] = (value, int(quality))


def reference(
    known: Known, start: int, end: int, origin: int, width: int
) -> dict[int, tuple[int, float, float, float, float]]:
    """Count, lowest, highest, first and last of each bucket, from a plain dictionary of samples."""
    found: dict[int, list[float]] = {}
    for t_ms in sorted(known):
        value, quality = known[t_ms]
        if start <= t_ms < end and quality == 0 and isinstance(value, int | float):
            found.setdefault(origin + (t_ms - origin) // width * width, []).append(float(value))
    return {at: (len(v), min(v), max(v), v[0], v[-1]) for at, v in found.items()}


def exact(bucket: SampleBucket) -> tuple[int, float, float, float, float]:
    return bucket.count, bucket.min, bucket.max, bucket.first, bucket.last


async def equals(store: TimeSeries, series: int, known: Known) -> None:
    """Every answer about the series is the one that its samples give."""
    end = T0 + 4 * DAY_MS
    whole = [StoredSample(t, *known[t]) for t in sorted(known)]
    assert await store.samples(series, T0, end, 10_000) == whole
    assert await store.samples(series, T0, end, 7, newest_first=True) == whole[::-1][:7]
    assert await store.count(series, T0 + 1000, end) == sum(t >= T0 + 1000 for t in known)
    assert (await store.latest([series]))[series] == whole[-1]
    for width in (*ROLLUP_WIDTHS_MS, 4 * 3_600_000, 7777):
        for start in (T0, T0 + 1500):
            stop = end - 777
            got = {b.start_ms: exact(b) for b in await store.buckets(series, start, stop, width)}
            assert got == reference(known, start, stop, start, width)
