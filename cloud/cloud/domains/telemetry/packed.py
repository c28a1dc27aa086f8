"""The binary form of several points' history. Pure.

Little-endian, all blocks at multiples of eight bytes:

    header  24 bytes: "HST1", uint32 number of points, float64 start_ms, float64 end_ms
    point   40 bytes each: uint32 dsid, uint32 n, uint32 flags, uint32 g, float64 width_ms, count and mean
    data    of each point in that order: n x float64 t_ms, n x float64 value
    gaps    of each point in that order: g x (float64 start_ms, float64 end_ms)

flags: 1 every time is that of its sample, without it a time is within its bucket; 2 there is more than was
answered, the newest is. width_ms 0: every sample, NaN where it has no number that can be trusted; else the
first, lowest, highest and last sample of each bucket, each once. count: samples that they stand for.
mean: of these samples; NaN for width_ms 0, where each of them is there. gaps: first and last
millisecond of what is damaged and cannot be read.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from cloud.timeseries.base import DownsampledSeries

MAGIC = b"HST1"
EXACT = 1
TRUNCATED = 2

_HEADER = struct.Struct("<4sIdd")
_SERIES = struct.Struct("<IIIIddd")


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a chart shows of a point. mean: NaN where every sample is there."""

    dsid: int
    envelope: DownsampledSeries
    mean: float = math.nan
    is_truncated: bool = False
    gaps: Sequence[tuple[int, int]] = ()


def encode(points: Sequence[Drawn], start_ms: int, end_ms: int) -> bytes:
    """Points in the order given."""
    parts = [_HEADER.pack(MAGIC, len(points), start_ms, end_ms)]
    for point in points:
        found = point.envelope
        flags = (EXACT if found.is_exact else 0) | (TRUNCATED if point.is_truncated else 0)
        parts.append(
            _SERIES.pack(
                point.dsid,
                len(found.t_ms),
                flags,
                len(point.gaps),
                found.width_ms,
                found.count,
                point.mean,
            )
        )
    for point in points:
        found = point.envelope
        parts += [found.t_ms.astype("<f8").tobytes(), found.value.astype("<f8").tobytes()]
    parts += [struct.pack("<2d", *gap) for point in points for gap in point.gaps]
    return b"".join(parts)
