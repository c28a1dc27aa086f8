"""Words that both sides share: quality of a value, one sample, one row of samples."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Literal

import msgspec

Value = float | int | bool | str | None
"""A point's value in engineering units; None when the quality allows none."""

Sort = Literal["switch", "number", "text"]
"""What the values of a point are."""


def sort_of(kind: str, data_type: str) -> Sort:
    """A calculated point counts as a number; it may give positions all the same."""
    if kind == "swh" or data_type == "bool":
        return "switch"
    return "text" if kind in ("str", "loc") else "number"


class Quality(IntEnum):
    """Why a value can or cannot be trusted. The numbers are part of the contract."""

    GOOD = 0
    NOT_YET_READ = 1
    STALE = 2
    BAD_FRAME = 3  # answer with wrong checksum, length, function or echo
    OUT_OF_RANGE = 4  # not representable: not BCD, not a number
    DEVICE_OFFLINE = 5  # slave did not answer
    DEVICE_ERROR = 6  # slave answered with an error of its own (exception, error byte)
    PORT_DOWN = 7  # serial port or connection could not be opened
    UNCERTAIN_TIME = 8  # value good, gateway clock was not set


class Sample(msgspec.Struct, frozen=True, array_like=True):
    """One value of one point.

    point: the gateway's number of the point (see payloads.PointEntry.id); t_ms: UTC milliseconds since 1970.
    """

    point: int
    t_ms: int
    value: Value
    quality: Quality = Quality.GOOD


class Row(msgspec.Struct, frozen=True, gc=False):
    """Samples of one time, as one request gives them.

    points, values and qualities are equally long; qualities: None when every one is GOOD.
    """

    points: tuple[int, ...]
    t_ms: int
    values: Sequence[Value]
    qualities: Sequence[Quality] | None = None

    def __len__(self) -> int:
        return len(self.points)

    @property
    def good(self) -> bool:
        return not self.qualities or not any(self.qualities)

    def samples(self) -> list[Sample]:
        """One by one."""
        qualities = self.qualities or (Quality.GOOD,) * len(self.points)
        return [
            Sample(point, self.t_ms, value, quality)
            for point, value, quality in zip(self.points, self.values, qualities, strict=True)
        ]


def rows_of(samples: Sequence[Sample]) -> list[Row]:
    """A row for each sample."""
    return [Row((s.point,), s.t_ms, (s.value,), (s.quality,) if s.quality else None) for s in samples]
