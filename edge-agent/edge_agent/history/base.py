"""Types of the local history, and the interface of a store for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from edge_agent.model import PointKey, Value


class StoredSample(NamedTuple):
    """One stored sample, with the time and quality that it was read with."""

    key: PointKey
    t_ms: int
    value: Value
    quality: int


@dataclass(frozen=True)
class Chunk:
    """Samples of one slave as they lie on the medium. id: rising in the order of storing, 0 before that."""

    id: int
    slave: str
    first_ms: int
    last_ms: int
    samples: int
    payload: bytes


@dataclass(frozen=True)
class Extent:
    """Time of the oldest and newest stored sample of a point."""

    first_ms: int
    last_ms: int


@dataclass(frozen=True)
class Usage:
    """What a store holds. evicted_samples: dropped before their retention ended, because it was full."""

    used_bytes: int
    capacity_bytes: int
    samples: int
    oldest_ms: int | None
    evicted_samples: int


class HistoryStore(Protocol):
    """Synchronous; one thread at a time. Every call may raise StoreFull, StoreCorrupt or StoreError.

    Numbers of points are the store's own and never used twice in it: a medium goes from gateway to gateway.
    """

    def numbers(self, keys: Sequence[PointKey]) -> dict[PointKey, int]:
        """Numbers of these points, new ones where they have none."""

    def keys(self) -> dict[int, PointKey]:
        """Every point that has a number."""

    def note(self, payloads: Sequence[bytes]) -> None:
        """Keep samples that are not yet in a chunk, durably, in one transaction."""

    def noted(self) -> list[bytes]: ...

    def seal(self, chunks: Sequence[Chunk], extents: Mapping[int, Extent]) -> None:
        """Chunks take the place of everything noted, in one transaction; the oldest chunks go when full."""

    def newest_id(self) -> int:
        """Of the chunk that was stored last; 0 when there was none."""

    def chunks(
        self, slave: str | None, from_ms: int, to_ms: int, after: int, until: int, limit: int
    ) -> list[Chunk]:
        """Chunks with a sample that may lie in [from_ms, to_ms] and after < id <= until, by rising id."""

    def extents(self) -> dict[int, Extent]:
        """Of points by number, as far as their chunks are still there."""

    def expire(self, before_ms: int) -> int:
        """Delete chunks without a sample of before_ms or later; how many samples."""

    def usage(self) -> Usage: ...

    def close(self) -> None: ...


def joined(known: Extent | None, more: Extent) -> Extent:
    """From the earlier beginning to the later end."""
    if known is None:
        return more
    return Extent(min(known.first_ms, more.first_ms), max(known.last_ms, more.last_ms))


def remaining(
    extents: Mapping[int, Extent], keys: Mapping[int, PointKey], oldest: Mapping[str, int]
) -> dict[int, Extent]:
    """Extents cut to the oldest chunk of each slave that is left."""
    cut: dict[int, Extent] = {}
    for number, extent in extents.items():
        first_ms = oldest.get(keys[number].slave)
        if first_ms is not None and extent.last_ms >= first_ms:
            cut[number] = Extent(max(extent.first_ms, first_ms), extent.last_ms)
    return cut
