"""The binary form of several points' history. Pure.

Little-endian, all blocks at multiples of eight bytes:

    header  24 bytes: "HST1", uint32 number of points, float64 start_ms, float64 end_ms
    point   32 bytes each: uint32 dsid, uint32 n, uint32 flags, uint32 0, float64 width_ms, float64 count
    data    of each point in that order: n x float64 t_ms, n x float64 value

flags: 1 every time is that of its sample; without it a time is within its bucket. width_ms 0: every sample,
NaN where it has no number of good quality; else the first, lowest, highest and last sample of each bucket,
each once. count: samples that they stand for.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from cloud.timeseries.base import Envelope

MAGIC = b"HST1"
EXACT = 1

_HEADER = struct.Struct("<4sIdd")
_SERIES = struct.Struct("<IIIIdd")


def encode(series: Sequence[tuple[int, Envelope]], start_ms: int, end_ms: int) -> bytes:
    """Points by dsid in the order given."""
    parts = [_HEADER.pack(MAGIC, len(series), start_ms, end_ms)]
    for dsid, found in series:
        flags = EXACT if found.is_exact else 0
        parts.append(_SERIES.pack(dsid, len(found.t_ms), flags, 0, found.width_ms, found.count))
    for _, found in series:
        parts += [found.t_ms.astype("<f8").tobytes(), found.value.astype("<f8").tobytes()]
    return b"".join(parts)
