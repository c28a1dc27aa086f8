"""Samples of one series as arrays, their packed form, and how a newer set replaces an older. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cloud.timeseries.base import StoredSample
from cloud.timeseries.packing import (
    Floats,
    Ints,
    get_bytes,
    get_floats,
    get_ints,
    put_bytes,
    put_floats,
    put_ints,
    squeeze,
    unsqueeze,
)
from cloud.timeseries.values import LAST_NUMERIC, ValueKind, restore
from edge_contract.model import Value

Row = tuple[int, Value, int, int]
"""t_ms, value, kind and quality, as a row of the tail."""

_GOOD = 0


@dataclass(frozen=True, eq=False)
class Samples:
    """By rising time. number: NaN where there is none; text: of texts and of integers beyond 2^53."""

    t_ms: Ints
    number: Floats
    kind: Ints
    quality: Ints
    text: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.t_ms)

    def pick(self, which: slice | NDArray[np.bool_] | Ints) -> Samples:
        """Some of them."""
        return Samples(
            self.t_ms[which], self.number[which], self.kind[which], self.quality[which], self.text[which]
        )

    def between(self, start_ms: int, end_ms: int) -> Samples:
        """Those with start_ms <= t < end_ms."""
        low, high = np.searchsorted(self.t_ms, [start_ms, end_ms])
        return self.pick(slice(int(low), int(high)))

    def numbers(self) -> tuple[Ints, Floats]:
        """Times and values of the numeric samples of good quality."""
        kept = (self.quality == _GOOD) & (self.kind <= LAST_NUMERIC)
        return (self.t_ms, self.number) if bool(kept.all()) else (self.t_ms[kept], self.number[kept])

    def stored(self) -> list[StoredSample]:
        """As samples."""
        columns = (self.t_ms, self.number, self.kind, self.quality, self.text)
        return [
            StoredSample(t_ms, number if kind == ValueKind.FLOAT else restore(kind, number, text), quality)
            for t_ms, number, kind, quality, text in zip(*(each.tolist() for each in columns), strict=True)
        ]


def of_rows(rows: Sequence[Row]) -> Samples:
    """Rows of rising time."""
    count = len(rows)
    t_ms, values, kinds, qualities = zip(*rows, strict=True) if rows else ((), (), (), ())
    kind = np.array(kinds, np.int64)
    text = np.full(count, None, np.object_)
    if count and int(kind.max()) < ValueKind.BIG:
        number = np.array(values, np.float64)
    else:
        number = np.full(count, np.nan)
        for index, value in enumerate(values):
            if kinds[index] == ValueKind.BIG and isinstance(value, str):
                number[index], text[index] = float(int(value)), value
            elif isinstance(value, str):
                text[index] = value
            elif value is not None:
                number[index] = value
    return Samples(np.array(t_ms, np.int64), number, kind, np.array(qualities, np.int64), text)


def joined(parts: Sequence[Samples]) -> Samples:
    """One behind the other."""
    if len(parts) <= 1:
        return parts[0] if parts else NONE
    return Samples(
        np.concatenate([part.t_ms for part in parts]),
        np.concatenate([part.number for part in parts]),
        np.concatenate([part.kind for part in parts]),
        np.concatenate([part.quality for part in parts]),
        np.concatenate([part.text for part in parts]),
    )


def merged(older: Samples, newer: Samples) -> Samples:
    """Both by rising time; where they have the same time the newer one stands."""
    if not len(older) or not len(newer):
        return newer if len(newer) else older
    whole = joined([older, newer])
    if older.t_ms[-1] < newer.t_ms[0]:
        return whole
    order = np.argsort(whole.t_ms, kind="stable")
    t_ms = whole.t_ms[order]
    is_last = np.append(t_ms[1:] != t_ms[:-1], True)
    return whole.pick(order[is_last])


def pack(samples: Samples) -> bytes:
    """As one object."""
    texts = [text for text in samples.text.tolist() if text is not None]
    return squeeze(
        put_ints(samples.t_ms),
        put_ints(samples.kind),
        put_ints(samples.quality),
        put_floats(samples.number[samples.kind <= ValueKind.BOOL]),
        put_bytes(json.dumps(texts, ensure_ascii=False).encode() if texts else b""),
    )


def unpack(blob: bytes) -> Samples:
    """What pack was given."""
    source = unsqueeze(blob)
    t_ms, kind, quality = get_ints(source), get_ints(source), get_ints(source)
    number = get_floats(source)
    texts = get_bytes(source)
    text = np.full(len(t_ms), None, np.object_)
    if len(number) < len(t_ms):
        spread = np.full(len(t_ms), np.nan)
        spread[kind <= ValueKind.BOOL] = number
        number = spread
    if texts:
        text[(kind == ValueKind.BIG) | (kind == ValueKind.TEXT)] = np.array(
            [*json.loads(texts), None], np.object_
        )[:-1]
        for index in np.flatnonzero(kind == ValueKind.BIG).tolist():
            number[index] = float(int(text[index]))
    return Samples(t_ms, number, kind, quality, text)


NONE = of_rows([])
