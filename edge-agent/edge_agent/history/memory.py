"""The history store without a medium: gone with the process, for gateways whose flash must be spared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from edge_agent.errors import StoreFull
from edge_agent.history.base import Chunk, Extent, Usage, joined, remaining
from edge_agent.model import PointKey

CHUNK_BYTES = 400
"""What a chunk costs beside its payload."""


class MemoryHistoryStore:
    """history.base.HistoryStore; capacity_bytes bounds the chunks. What is noted stays with who noted it."""

    def __init__(self, capacity_bytes: int) -> None:
        self._capacity = capacity_bytes
        self._numbers: dict[PointKey, int] = {}
        self._chunks: dict[int, Chunk] = {}
        self._extents: dict[int, Extent] = {}
        self._next = 1
        self._used = self._evicted = 0

    def numbers(self, keys: Sequence[PointKey]) -> dict[PointKey, int]:
        return {key: self._numbers.setdefault(key, len(self._numbers) + 1) for key in keys}

    def keys(self) -> dict[int, PointKey]:
        return {number: key for key, number in self._numbers.items()}

    def note(self, payloads: Sequence[bytes]) -> None:
        """Nothing would outlive the process."""

    def noted(self) -> list[bytes]:
        return []

    def seal(self, chunks: Sequence[Chunk], extents: Mapping[int, Extent]) -> None:
        """Raises StoreFull when a chunk is larger than the whole store."""
        for chunk in chunks:
            size = len(chunk.payload) + CHUNK_BYTES
            if size > self._capacity:
                raise StoreFull("a chunk is larger than the whole local history")
            while self._used + size > self._capacity:
                self._evicted += self._drop(min(self._chunks.values(), key=_age).id)
            self._chunks[self._next] = replace(chunk, id=self._next)
            self._next += 1
            self._used += size
        for number, extent in extents.items():
            self._extents[number] = joined(self._extents.get(number), extent)

    def newest_id(self) -> int:
        return self._next - 1

    def chunks(
        self, slave: str | None, from_ms: int, to_ms: int, after: int, until: int, limit: int
    ) -> list[Chunk]:
        chunks = [
            chunk
            for chunk in self._chunks.values()
            if after < chunk.id <= until
            and slave in (None, chunk.slave)
            and chunk.last_ms >= from_ms
            and chunk.first_ms <= to_ms
        ]
        return chunks[:limit]

    def extents(self) -> dict[int, Extent]:
        oldest: dict[str, int] = {}
        for chunk in self._chunks.values():
            oldest[chunk.slave] = min(oldest.get(chunk.slave, chunk.first_ms), chunk.first_ms)
        return remaining(self._extents, self.keys(), oldest)

    def expire(self, before_ms: int) -> int:
        return sum(self._drop(c.id) for c in list(self._chunks.values()) if c.last_ms < before_ms)

    def usage(self) -> Usage:
        chunks = self._chunks.values()
        oldest = min((chunk.first_ms for chunk in chunks), default=None)
        return Usage(self._used, self._capacity, sum(c.samples for c in chunks), oldest, self._evicted)

    def close(self) -> None:
        """It stays: memory cannot be taken out."""

    def _drop(self, number: int) -> int:
        chunk = self._chunks.pop(number)
        self._used -= len(chunk.payload) + CHUNK_BYTES
        return chunk.samples


def _age(chunk: Chunk) -> tuple[int, int]:
    return chunk.last_ms, chunk.id
