"""Samples to bytes and back, in the encoding of the contract's batches: columns, deflated, checked."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from edge_agent.history.base import Chunk, Extent, StoredSample
from edge_agent.model import PointKey, Quality, Row
from edge_contract import batch
from edge_contract.errors import BatchError
from edge_contract.limits import MAX_BATCH_SAMPLES

log = logging.getLogger(__name__)

NOBODY = "0" * 16
"""Stream and catalog of a chunk: it is of no stream, and its numbers are the store's."""


def encoded(
    samples: Sequence[StoredSample], numbers: Mapping[PointKey, int]
) -> Iterator[tuple[list[StoredSample], bytes]]:
    """Parts of the samples with the bytes of each; what no batch can carry is left out and logged."""
    for start in range(0, len(samples), MAX_BATCH_SAMPLES):
        yield from _encoded(list(samples[start : start + MAX_BATCH_SAMPLES]), numbers)


def _encoded(
    part: list[StoredSample], numbers: Mapping[PointKey, int]
) -> Iterator[tuple[list[StoredSample], bytes]]:
    try:
        yield part, batch.encode(NOBODY, 1, NOBODY, max(part[0].t_ms, 0), rows(part, numbers))
    except BatchError as error:
        if len(part) == 1:
            log.error("a sample of %s cannot be stored locally: %s", part[0].key, error)
            return
        for half in (part[: len(part) // 2], part[len(part) // 2 :]):
            yield from _encoded(half, numbers)


def rows(samples: Iterable[StoredSample], numbers: Mapping[PointKey, int]) -> list[Row]:
    """Samples of one time become one row; numbers: of their points."""
    made = []
    for t_ms, group in groupby(sorted(samples, key=attrgetter("t_ms")), key=attrgetter("t_ms")):
        same = list(group)
        qualities = tuple(Quality(one.quality) for one in same)
        made.append(
            Row(
                tuple(numbers[one.key] for one in same),
                t_ms,
                tuple(one.value for one in same),
                qualities if any(qualities) else None,
            )
        )
    return made


def chunks_of(samples: Iterable[StoredSample], numbers: Mapping[PointKey, int]) -> list[Chunk]:
    """Chunks of every slave."""
    by_slave: dict[str, list[StoredSample]] = {}
    for one in samples:
        by_slave.setdefault(one.key.slave, []).append(one)
    made = []
    for slave, own in by_slave.items():
        for part, payload in encoded(own, numbers):
            times = [one.t_ms for one in part]
            made.append(Chunk(0, slave, min(times), max(times), len(part), payload))
    return made


def extents_of(samples: Iterable[StoredSample], numbers: Mapping[PointKey, int]) -> dict[int, Extent]:
    """From when to when each point has samples, by number."""
    extents: dict[int, Extent] = {}
    for one in samples:
        number = numbers[one.key]
        known = extents.get(number, Extent(one.t_ms, one.t_ms))
        extents[number] = Extent(min(known.first_ms, one.t_ms), max(known.last_ms, one.t_ms))
    return extents


def decoded(
    payload: bytes, keys: Mapping[int, PointKey], only: PointKey | None = None
) -> Iterator[StoredSample]:
    """Samples of a payload, point by point; unknown numbers are left out. BatchError when damaged."""
    for column in batch.decode(payload)[1]:
        key = keys.get(column.point)
        if key is not None and only in (None, key):
            for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True):
                yield StoredSample(key, t_ms, value, quality)
