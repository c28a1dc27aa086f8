"""Interface of the time series store. A series is an integer chosen by the caller.

A sample is (series, t_ms). Writing it again changes nothing; writing another value there replaces it,
whatever its type was. What comes back has the type that was written: 7 is not 7.0 and not True. NaN and
infinities become None with quality OUT_OF_RANGE. Integers beyond 2^53 keep their digits and take part in
aggregates as floats. `envelope` is for charts: every sample while they fit, else first, lowest, highest and
last of each pixel. `delete_before` deletes whole UTC days, of the samples or of one rollup; the wider
rollups stand for what is gone. Since when something is there never lies behind the day after its newest
sample: what comes next is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from edge_contract.model import Value


class TimeSeriesError(Exception):
    """The store cannot serve now; the same call may succeed later. A repeat spoils nothing."""


class TimeSeriesMisconfigured(TimeSeriesError):
    """The server answers, but what the settings name is not what would be read and written."""


class TimeSeriesRejected(TimeSeriesError):
    """The store refuses what it was given and always will; rule: its reason. Repeating the call is useless.

    What the store did not refuse of the same call is stored.
    """

    def __init__(self, rule: str) -> None:
        super().__init__(f"samples refused: {rule}")
        self.rule = rule


class DamagedSeries(TimeSeriesError):
    """Bytes of one series are not what was written; other series are served."""


class Damage(NamedTuple):
    """Time of which nothing can be read: its first and last millisecond, UTC."""

    start_ms: int
    end_ms: int


class SeriesColumn(msgspec.Struct, frozen=True, gc=False):
    """Samples of one series to write; the three sequences are equally long. t_ms: UTC milliseconds."""

    series: int
    t_ms: Sequence[int]
    values: Sequence[Value]
    qualities: Sequence[int]


@dataclass(frozen=True)
class StoredSample:
    """One sample as it was written."""

    t_ms: int
    value: Value
    quality: int


@dataclass(frozen=True)
class SampleBucket:
    """Numeric samples of good quality with start_ms <= t < start_ms + width; count 0 buckets are left out."""

    start_ms: int
    count: int
    min: float
    max: float
    mean: float
    first: float
    last: float


@dataclass(frozen=True, eq=False)
class DownsampledSeries:
    """What a chart of so many pixels can show of a range, by rising time.

    width_ms 0: every sample, NaN where it has no number of good quality. Else the first, lowest, highest and
    last numeric sample of good quality of each bucket of that width, at most four a bucket, each once.
    count: samples that they stand for. is_exact: each time is that of its sample; otherwise it is within its
    bucket.
    """

    t_ms: NDArray[np.int64]
    value: NDArray[np.float64]
    width_ms: int
    count: int
    is_exact: bool = True


class TimeSeries(Protocol):
    """Writing the same sample twice changes nothing; a sample is (series, t_ms)."""

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    async def check(self) -> None:
        """TimeSeriesError says why it does not serve now."""

    async def own_limit_s(self) -> int | None:
        """Age at which the store itself deletes samples, whatever is asked of it; None: never."""

    async def write(self, columns: Sequence[SeriesColumn]) -> None:
        """Durable when it returns; TimeSeriesError otherwise."""

    async def latest(self, series: Sequence[int]) -> dict[int, StoredSample]:
        """Newest sample of each series that has one."""

    async def samples(
        self, series: int, start_ms: int, end_ms: int, limit: int, *, newest_first: bool = False
    ) -> list[StoredSample]:
        """Raw samples with start_ms <= t < end_ms, at most limit."""

    async def count(self, series: int, start_ms: int, end_ms: int) -> int:
        """How many samples the range holds."""

    async def buckets(self, series: int, start_ms: int, end_ms: int, width_ms: int) -> list[SampleBucket]:
        """Aggregates by rising start; starts are start_ms + n * width_ms."""

    async def envelope(self, series: int, start_ms: int, end_ms: int, pixels: int) -> DownsampledSeries:
        """The range start_ms <= t < end_ms for a chart; no extreme of a bucket is lost."""

    async def older(self, series: Sequence[int], t_ms: int, width_ms: int = 0) -> set[int]:
        """Which of them have something that delete_before() would forget: samples, or for a width stored
        buckets or samples that stand for them. A late sample on its way to its level may be missed.
        """

    async def damage(self, series: int, start_ms: int, end_ms: int) -> list[Damage]:
        """What the reads so far have left out of start_ms <= t < end_ms because its bytes are not what was
        written, by rising time.
        """

    async def delete_before(self, series: int, t_ms: int, width_ms: int = 0) -> None:
        """Forget what is older than the UTC day of t_ms: samples (width_ms 0), or the stored buckets of that
        width. What arrives for that time later is not kept, but in rollups that are; a version that cannot
        add to them refuses it. An earlier t_ms than before, 0 for none, has what comes be kept again.
        """
