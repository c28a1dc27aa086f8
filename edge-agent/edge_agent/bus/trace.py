"""What went over one port, newest last: the first thing to look at when a device does not answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from edge_agent.model import Direction, Seen

MAX_CHUNKS = 400
MIN_CHUNKS = 40
CHUNKS_OF_ALL = 20_000  # about 5 MB, whatever the number of ports
MAX_CHUNK_BYTES = 1024  # a babbling line must not fill the memory; no frame of a field bus is longer
PAUSE_MS = 200  # a longer silence on the line ends a frame, whatever follows
MAX_FRAME_BYTES = 2048


@dataclass(frozen=True)
class TracedFrame:
    """t_ms: wall clock when its first byte was sent or taken; cut: bytes that were not stored. slave: whom it
    is of, empty where that is unknown. is_foreign: of a tunnel or tool that had locked the port.
    """

    t_ms: int
    direction: Direction
    data: bytes
    cut: int = 0
    slave: str = ""
    is_foreign: bool = False


@dataclass(frozen=True)
class NewFrames:
    """chunks: how many the port has seen up to the end of these frames. lost: chunks of which the ring had no
    place any more.
    """

    frames: list[TracedFrame]
    chunks: int
    lost: int


class _Chunk(NamedTuple):
    """What was handed over at once. size: bytes, those that are not stored included."""

    t_ms: int
    direction: Direction
    data: bytes
    size: int
    slave: str
    is_foreign: bool


class FrameTrace:
    """A ring of what a port sent and received.

    A serial line hands an answer over in chunks; those without a pause between them are shown as one frame.
    slave: that is being asked.
    """

    def __init__(self, now_ms: Callable[[], int], depth: int = MAX_CHUNKS) -> None:
        """depth: chunks stored."""
        self.slave = ""
        self._now_ms = now_ms
        self._chunks: deque[_Chunk] = deque(maxlen=depth)
        self._count = 0

    @property
    def chunks(self) -> int:
        """How many were seen until now."""
        return self._count

    def seen(self, direction: Direction, data: bytes) -> None:
        """Note bytes of the wire, up to MAX_CHUNK_BYTES of them."""
        self._note(direction, data, self.slave, is_foreign=False)

    def seen_locked(self, *, is_brief: bool) -> Seen:
        """As seen, for who has locked the port. is_brief: of a task of the agent's own."""

        def seen(direction: Direction, data: bytes) -> None:
            self._note(direction, data, "", is_foreign=not is_brief)

        return seen

    def _note(self, direction: Direction, data: bytes, slave: str, *, is_foreign: bool) -> None:
        stored = data if len(data) <= MAX_CHUNK_BYTES else data[:MAX_CHUNK_BYTES]
        self._chunks.append(_Chunk(self._now_ms(), direction, stored, len(data), slave, is_foreign))
        self._count += 1

    def frames(self) -> list[TracedFrame]:
        """Oldest first."""
        return [_frame(group) for group in _groups(tuple(self._chunks))]

    def since(self, chunks: int) -> NewFrames:
        """Frames after so many chunks; an answer that may still grow is left for the next time."""
        stored = tuple(self._chunks)
        oldest = self._count - len(stored)
        groups = list(_groups(stored[max(chunks - oldest, 0) :]))
        upto = self._count
        if groups and _may_grow(groups[-1], self._now_ms()):
            upto -= len(groups.pop())
        return NewFrames([_frame(group) for group in groups], upto, max(oldest - chunks, 0))


def _groups(chunks: Sequence[_Chunk]) -> Iterator[list[_Chunk]]:
    """Chunks of one frame each."""
    group: list[_Chunk] = []
    for chunk in chunks:
        before = group[-1] if group else None
        joins = (
            before is not None
            and chunk.direction == "answer" == before.direction
            and (chunk.slave, chunk.is_foreign) == (before.slave, before.is_foreign)
            and 0 <= chunk.t_ms - before.t_ms <= PAUSE_MS
        )
        if group and not joins:
            yield group
            group = []
        group.append(chunk)
    if group:
        yield group


def _frame(group: Sequence[_Chunk]) -> TracedFrame:
    first = group[0]
    size = sum(chunk.size for chunk in group)
    data = b"".join(chunk.data for chunk in group)[:MAX_FRAME_BYTES]
    return TracedFrame(first.t_ms, first.direction, data, size - len(data), first.slave, first.is_foreign)


def _may_grow(group: Sequence[_Chunk], now_ms: int) -> bool:
    last, size = group[-1], sum(len(chunk.data) for chunk in group)
    return last.direction == "answer" and 0 <= now_ms - last.t_ms <= PAUSE_MS and size < MAX_FRAME_BYTES


def depth_of(ports: int) -> int:
    """Chunks stored of each of so many ports."""
    return max(MIN_CHUNKS, min(MAX_CHUNKS, CHUNKS_OF_ALL // max(ports, 1)))
