"""Samples of the series of one partition as a block: what the embedded store makes of a write. Pure.

A partition is PARTITION_SERIES series of neighbouring numbers, which are mostly of one gateway. A block that
a write makes is plain arrays, because it is read and written again within minutes; one that several were
folded into is packed as chunks are.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cloud.timeseries.base import SeriesColumn
from cloud.timeseries.columns import Samples, joined
from cloud.timeseries.columns import pack as pack_samples
from cloud.timeseries.columns import unpack as unpack_samples
from cloud.timeseries.packing import Ints
from cloud.timeseries.series_table import SeriesTable
from cloud.timeseries.values import EXACT, ValueKind, kind_of, storable
from edge_contract.model import Value

PARTITION_SERIES = 32
"""Enough that a gateway's write is few rows, and so few that packing a partition takes 50 ms."""

BLOCK_SAMPLES = 16_384
"""A longer one is cut, so that a step of packing has an end."""

_PLAIN, _PACKED = 0, 1
_HEAD = struct.Struct("<BBBBIqB")
"""Form, series, bytes of a time, flags, samples, first time, kind."""

_ALIKE_KIND, _GOOD = 1, 2
_KIND_OF: dict[type, int] = {
    float: ValueKind.FLOAT, int: ValueKind.INT, bool: ValueKind.BOOL, type(None): ValueKind.NONE
}  # fmt: skip
_OTHER = 0
"""Not looked at as a number: a text."""
_CHECKSUM = struct.Struct("<I")


@dataclass(frozen=True, eq=False)
class Block:
    """Samples by series, of each by rising time. series: rising; ends: place behind the last of each."""

    series: Ints
    ends: Ints
    samples: Samples

    def __len__(self) -> int:
        return len(self.samples)

    def of(self, series: int) -> Samples | None:
        """Samples of one series; None when it has none here."""
        at = int(np.searchsorted(self.series, series))
        if at == len(self.series) or self.series[at] != series:
            return None
        return self.samples.pick(slice(int(self.ends[at - 1]) if at else 0, int(self.ends[at])))

    def each(self) -> Iterator[tuple[int, Samples]]:
        """Every series with its samples."""
        begin = 0
        for series, end in zip(self.series.tolist(), self.ends.tolist(), strict=True):
            yield series, self.samples.pick(slice(begin, end))
            begin = end

    def by_partition(self) -> Iterator[tuple[int, Block]]:
        """Cut into partitions, and those into blocks of at most BLOCK_SAMPLES samples."""
        if not len(self):
            return
        partitions = self.series // PARTITION_SERIES
        firsts = np.flatnonzero(np.append(True, partitions[1:] != partitions[:-1]))
        for low, high in zip(firsts.tolist(), [*firsts[1:].tolist(), len(partitions)], strict=True):
            begin, end = int(self.ends[low - 1]) if low else 0, int(self.ends[high - 1])
            one = Block(
                self.series[low:high], self.ends[low:high] - begin, self.samples.pick(slice(begin, end))
            )
            for part in one.cut():
                yield int(partitions[low]), part

    def cut(self) -> Iterator[Block]:
        """Parts of at most BLOCK_SAMPLES samples."""
        if len(self) <= BLOCK_SAMPLES:
            yield self
            return
        owner = np.repeat(np.arange(len(self.series)), np.diff(self.ends, prepend=0))
        for begin in range(0, len(self), BLOCK_SAMPLES):
            part = slice(begin, min(begin + BLOCK_SAMPLES, len(self)))
            yield _block(self.series[owner[part]], self.samples.pick(part))

    @cached_property
    def mask(self) -> int:
        """A bit for each series of the partition that has samples here."""
        return int(np.left_shift(1, self.series % PARTITION_SERIES).sum())


def of_columns(columns: Sequence[SeriesColumn]) -> Block:
    """Columns in any order; of samples with the same series and time the last one stands.

    Raises OverflowError for a time or a series beyond 64 bits, ValueError for columns of unequal lengths.
    """
    table = SeriesTable.of(columns)
    series = np.array(table.series, np.int64)
    if not table.is_single:
        series = np.repeat(series, np.array(table.lengths, np.int64))
    t_ms = np.array(table.t_ms, np.int64)
    quality = np.array(table.qualities, np.int64)
    number, kind, text = _of_values(table.values, quality)
    order, is_last = _order(series, t_ms)
    order = order[is_last]
    return _block(series[order], Samples(t_ms, number, kind, quality, text).pick(order))


def _order(series: Ints, t_ms: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Places by series, and of one series by time and as they came; and which of them are the last of their
    time.
    """
    order = np.argsort(series, kind="stable")
    by_order, times = series[order], t_ms[order]
    is_next = by_order[1:] == by_order[:-1]
    if bool((is_next & (times[1:] < times[:-1])).any()):  # the rest came by rising time
        order = np.lexsort((t_ms, series))
        times = t_ms[order]
    return order, np.append(~is_next | (times[1:] != times[:-1]), True)[: len(order)]


def _of_values(values: list[Value], quality: Ints) -> tuple[NDArray[np.float64], Ints, NDArray[np.object_]]:
    """Number, kind and text of each; a quality changes where a number is not finite."""
    types = set(map(type, values))
    text = np.full(len(values), None, np.object_)
    if types == {float}:
        kind = np.full(len(values), int(ValueKind.FLOAT), np.int64)
        number = np.array(values, np.float64)
        special = ~np.isfinite(number)
    else:
        kind = np.array([_KIND_OF.get(type(value), _OTHER) for value in values], np.int64)
        others = types - _KIND_OF.keys()
        plain = [None if type(value) in others else value for value in values] if others else values
        try:
            number = np.array(plain, np.float64)  # NaN for None
        except OverflowError:  # an integer beyond any float
            number = np.full(len(values), np.nan)
        special = ((kind != ValueKind.NONE) & ~np.isfinite(number)) | (np.abs(number) >= EXACT)
    for at in np.flatnonzero(special).tolist():
        value, quality[at] = storable(values[at], int(quality[at]))
        kind[at] = which = kind_of(value)
        number[at] = value if isinstance(value, (int, float)) else np.nan
        if isinstance(value, str) or which is ValueKind.BIG:
            text[at] = str(value)
    return number, kind, text


def _block(series: Ints, samples: Samples) -> Block:
    """series: of each sample, rising."""
    firsts = np.flatnonzero(np.append(True, series[1:] != series[:-1])[: len(series)])
    return Block(series[firsts], np.append(firsts[1:], len(series))[: len(firsts)], samples)


def folded(blocks: Sequence[Block]) -> Block:
    """One of several; of samples with the same series and time that of the later block stands."""
    if len(blocks) == 1:
        return blocks[0]
    series = np.concatenate([np.repeat(each.series, np.diff(each.ends, prepend=0)) for each in blocks])
    samples = joined([each.samples for each in blocks])
    order, is_last = _order(series, samples.t_ms)
    order = order[is_last]
    return _block(series[order], samples.pick(order))


def of_parts(parts: Sequence[tuple[int, Samples]]) -> Block:
    """Of samples by series; the series rise."""
    series = np.array([series for series, _ in parts], np.int64)
    ends = np.cumsum([len(samples) for _, samples in parts])
    return Block(series, ends.astype(np.int64), joined([samples for _, samples in parts]))


def write_plain(block: Block) -> bytes:
    """Plain arrays: fast to write and to read."""
    samples, count = block.samples, len(block)
    first = int(samples.t_ms.min())
    span = int(samples.t_ms.max()) - first
    width = 0 if span == 0 else 4 if span < 2**32 else 8
    kind, flags = int(samples.kind[0]), 0
    if bool((samples.kind == kind).all()):
        flags |= _ALIKE_KIND
    if not samples.quality.any():
        flags |= _GOOD
    parts = [
        _HEAD.pack(_PLAIN, len(block.series), width, flags, count, first, kind),
        (block.series % PARTITION_SERIES).astype(np.uint8).tobytes(),
        block.ends.astype("<u4").tobytes(),
        samples.number.astype("<f8").tobytes(),
    ]
    if width:
        parts.append((samples.t_ms - first).astype(f"<u{width}").tobytes())
    if not flags & _ALIKE_KIND:
        parts.append(samples.kind.astype(np.uint8).tobytes())
    if not flags & _GOOD:
        parts.append(samples.quality.astype("<i4").tobytes())
    if kind != ValueKind.FLOAT or not flags & _ALIKE_KIND:
        texts = [text for text in samples.text.tolist() if text is not None]
        if texts:
            parts.append(json.dumps(texts, ensure_ascii=False).encode())
    return _checked(b"".join(parts))


def write_packed(block: Block) -> bytes:
    """As chunks are packed."""
    head = _HEAD.pack(_PACKED, len(block.series), 0, 0, len(block), 0, 0)
    places = (block.series % PARTITION_SERIES).astype(np.uint8).tobytes()
    return _checked(head + places + block.ends.astype("<u4").tobytes() + pack_samples(block.samples))


def _checked(data: bytes) -> bytes:
    return data + _CHECKSUM.pack(zlib.crc32(data))


def read(partition: int, data: bytes) -> Block:
    """What a write_ function was given. Raises ValueError, struct.error or zlib.error for other bytes."""
    data, checksum = data[: -_CHECKSUM.size], data[-_CHECKSUM.size :]
    if checksum != _CHECKSUM.pack(zlib.crc32(data)):
        raise ValueError("the checksum differs")
    form, series_count, width, flags, count, first, kind = _HEAD.unpack_from(data)
    at = _HEAD.size

    def take(dtype: str, length: int) -> Any:
        nonlocal at
        found = np.frombuffer(data, dtype, length, at)
        at += found.nbytes
        return found

    series = take("u1", series_count).astype(np.int64) + partition * PARTITION_SERIES
    ends = take("<u4", series_count).astype(np.int64)
    if form == _PACKED:
        samples = unpack_samples(data[at:])
        if len(samples) != count:
            raise ValueError("the number of samples differs")
        return Block(series, ends, samples)
    number = take("<f8", count).astype(np.float64)
    t_ms = np.full(count, first, np.int64)
    if width:
        t_ms += take(f"<u{width}", count).astype(np.int64)
    is_alike = flags & _ALIKE_KIND
    kinds = np.full(count, kind, np.int64) if is_alike else take("u1", count).astype(np.int64)
    quality = np.zeros(count, np.int64) if flags & _GOOD else take("<i4", count).astype(np.int64)
    text = np.full(count, None, np.object_)
    if at < len(data):
        text[(kinds == ValueKind.BIG) | (kinds == ValueKind.TEXT)] = np.array(
            [*json.loads(data[at:]), None], np.object_
        )[:-1]
    return Block(series, ends, Samples(t_ms, number, kinds, quality, text))
