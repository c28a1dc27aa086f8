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
from typing import Any, NamedTuple

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


class WrittenBlock(NamedTuple):
    """Bytes of a block and what its row says of them. series_mask: a bit for each series of the partition
    that has samples here.
    """

    partition: int
    first_ms: int
    last_ms: int
    samples: int
    series_mask: int
    packed: bytes


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


def write_plain(block: Block) -> list[WrittenBlock]:
    """A block for each partition, and another after BLOCK_SAMPLES samples, as plain arrays: fast to write and
    to read. Most are small, so the arrays of all are made at once and cut as bytes.
    """
    samples, count = block.samples, len(block)
    if not count:
        return []
    lengths = np.diff(block.ends, prepend=0)
    begins = _begins(np.repeat(block.series // PARTITION_SERIES, lengths))
    sizes = np.diff(begins, append=count)
    first_ms, last_ms = np.minimum.reduceat(samples.t_ms, begins), np.maximum.reduceat(samples.t_ms, begins)
    is_alike = np.minimum.reduceat(samples.kind, begins) == np.maximum.reduceat(samples.kind, begins)
    is_good = np.bitwise_or.reduceat(samples.quality, begins) == 0
    columns = np.union1d(begins, block.ends - lengths)  # a series that is cut has one in each block
    series = block.series[np.searchsorted(block.ends, columns, side="right")]
    places, of_block = series % PARTITION_SERIES, np.searchsorted(columns, begins)
    masks = np.bitwise_or.reduceat(np.left_shift(1, places), of_block)
    widths = np.diff(of_block, append=len(columns))
    ends = (np.append(columns[1:], count) - np.repeat(begins, widths)).astype("<u4").tobytes()
    series_bytes, numbers = places.astype(np.uint8).tobytes(), samples.number.astype("<f8").tobytes()
    offsets = samples.t_ms - np.repeat(first_ms, sizes)
    times = {width: offsets.astype(f"<u{width}").tobytes() for width in (4, 8)}
    kinds, qualities = samples.kind.astype(np.uint8).tobytes(), samples.quality.astype("<i4").tobytes()
    rows: list[WrittenBlock] = []
    facts = (begins, sizes, first_ms, last_ms, is_alike, is_good, of_block, widths, masks)
    for begin, size, first, last, alike, good, at, width, mask in zip(
        *(each.tolist() for each in facts), strict=True
    ):
        end, kind = begin + size, kinds[begin]
        time_bytes = 0 if first == last else 4 if last - first < 2**32 else 8
        flags = (_ALIKE_KIND if alike else 0) | (_GOOD if good else 0)
        parts = [
            _HEAD.pack(_PLAIN, width, time_bytes, flags, size, first, kind),
            series_bytes[at : at + width],
            ends[4 * at : 4 * (at + width)],
            numbers[8 * begin : 8 * end],
        ]
        if time_bytes:
            parts.append(times[time_bytes][time_bytes * begin : time_bytes * end])
        if not alike:
            parts.append(kinds[begin:end])
        if not good:
            parts.append(qualities[4 * begin : 4 * end])
        if kind != ValueKind.FLOAT or not alike:
            texts = [text for text in samples.text[begin:end].tolist() if text is not None]
            if texts:
                parts.append(json.dumps(texts, ensure_ascii=False).encode())
        partition = int(series[at]) // PARTITION_SERIES
        rows.append(WrittenBlock(partition, first, last, size, mask, _checked(b"".join(parts))))
    return rows


def _begins(partition: Ints) -> Ints:
    """Where the blocks begin of samples of these partitions, which rise."""
    begins = np.flatnonzero(np.append(True, partition[1:] != partition[:-1]))
    sizes = np.diff(begins, append=len(partition))
    if int(sizes.max()) <= BLOCK_SAMPLES:
        return begins
    spans = zip(begins.tolist(), (begins + sizes).tolist(), strict=True)
    return np.concatenate([np.arange(begin, end, BLOCK_SAMPLES) for begin, end in spans])


def write_packed(block: Block) -> WrittenBlock:
    """Samples of one partition, as chunks are packed."""
    head = _HEAD.pack(_PACKED, len(block.series), 0, 0, len(block), 0, 0)
    places, t_ms = block.series % PARTITION_SERIES, block.samples.t_ms
    ends = block.ends.astype("<u4").tobytes()
    data = _checked(head + places.astype(np.uint8).tobytes() + ends + pack_samples(block.samples))
    mask, partition = int(np.left_shift(1, places).sum()), int(block.series[0]) // PARTITION_SERIES
    return WrittenBlock(partition, int(t_ms.min()), int(t_ms.max()), len(block), mask, data)


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
