"""What lies in the local history, read in portions: loop and storage cycle get their turn in between."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Container, Mapping
from dataclasses import dataclass
from typing import TypeVar

from edge_agent.history.archive import Archive
from edge_agent.history.base import Chunk, HistoryStore, StoredSample
from edge_agent.history.chunk import decoded
from edge_agent.history.storing import Storing
from edge_agent.model import PointKey
from edge_contract.errors import BatchError

CHUNKS_AT_ONCE = 4

T = TypeVar("T")


@dataclass(frozen=True)
class TimeSpan:
    """What is asked for; both ends belong to it. slave: None for all."""

    slave: str | None
    from_ms: int
    to_ms: int

    def covers(self, chunk: Chunk) -> bool:
        return self.from_ms <= chunk.first_ms and chunk.last_ms <= self.to_ms


class HistoryReader:
    """numbers: of the configured points. Every call may raise StoreError."""

    def __init__(self, archive: Archive, storing: Storing, numbers: Container[PointKey]) -> None:
        self._archive = archive
        self._storing = storing
        self._numbers = numbers

    def _wanted(self, one: StoredSample, span: TimeSpan) -> bool:
        return span.from_ms <= one.t_ms <= span.to_ms and one.key in self._numbers

    async def count(self, span: TimeSpan) -> int:
        """Samples of configured points; chunks that lie wholly in the span are not decoded."""

        def count(store: HistoryStore, chunks: list[Chunk]) -> int:
            keys = store.keys()
            strange = {key.slave for key in keys.values() if key not in self._numbers}
            return sum(
                chunk.samples
                if span.covers(chunk) and chunk.slave not in strange
                else sum(self._wanted(one, span) for one in _sound(chunk, keys, None))
                for chunk in chunks
            )

        newest, waiting = await self._storing.snapshot(None, span.slave)
        counts = [number async for number in self._visit(span, newest, count)]
        return sum(counts) + sum(self._wanted(one, span) for one in waiting)

    async def configured(self, span: TimeSpan) -> AsyncIterator[list[StoredSample]]:
        """What is stored of configured points, in portions, as it was when this began."""

        def read(store: HistoryStore, chunks: list[Chunk]) -> list[StoredSample]:
            keys = store.keys()
            return [one for c in chunks for one in _sound(c, keys, None) if self._wanted(one, span)]

        newest, waiting = await self._storing.snapshot(None, span.slave)
        async for part in self._visit(span, newest, read):
            yield part
        yield [one for one in waiting if self._wanted(one, span)]

    async def of_point(self, key: PointKey, span: TimeSpan) -> AsyncIterator[list[StoredSample]]:
        """What is stored of one point, in portions."""

        def read(store: HistoryStore, chunks: list[Chunk]) -> list[StoredSample]:
            keys = store.keys()
            samples = (one for chunk in chunks for one in _sound(chunk, keys, key))
            return [one for one in samples if span.from_ms <= one.t_ms <= span.to_ms]

        newest, waiting = await self._storing.snapshot(key, span.slave)
        async for part in self._visit(span, newest, read):
            yield part
        yield [one for one in waiting if span.from_ms <= one.t_ms <= span.to_ms]

    async def _visit(
        self, span: TimeSpan, newest: int, work: Callable[[HistoryStore, list[Chunk]], T]
    ) -> AsyncIterator[T]:
        """What work makes of a few chunks at a time, up to the newest."""
        after = 0
        while after < newest:
            last = after

            def visit(store: HistoryStore, after: int = last) -> tuple[int, T]:
                chunks = store.chunks(span.slave, span.from_ms, span.to_ms, after, newest, CHUNKS_AT_ONCE)
                return max((chunk.id for chunk in chunks), default=newest), work(store, chunks)

            after, made = await self._archive.call(visit)
            yield made


def _sound(chunk: Chunk, keys: Mapping[int, PointKey], only: PointKey | None) -> list[StoredSample]:
    """A damaged chunk costs its own samples, not the others'."""
    try:
        return list(decoded(chunk.payload, keys, only))
    except BatchError:
        return []
