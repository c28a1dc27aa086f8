"""What went over one port, newest last: the first thing to look at when a device does not answer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from edge_agent.model import Direction

MAX_CHUNKS = 400
MIN_CHUNKS = 40
CHUNKS_OF_ALL = 20_000  # about 5 MB, whatever the number of ports
MAX_CHUNK_BYTES = 1024  # a babbling line must not fill the memory; no frame of a field bus is longer
PAUSE_MS = 200  # a longer silence on the line ends a frame, whatever follows
MAX_FRAME_BYTES = 2048


@dataclass(frozen=True)
class TracedFrame:
    """t_ms: wall clock when its first byte was sent or taken; cut: bytes that were not stored."""

    t_ms: int
    direction: Direction
    data: bytes
    cut: int = 0


class FrameTrace:
    """A ring of what a port sent and received.

    A serial line hands an answer over in chunks; those without a pause between them are shown as one frame.
    """

    def __init__(self, now_ms: Callable[[], int], depth: int = MAX_CHUNKS) -> None:
        """depth: chunks stored."""
        self._now_ms = now_ms
        self._chunks: deque[tuple[int, Direction, bytes, int]] = deque(maxlen=depth)

    def seen(self, direction: Direction, data: bytes) -> None:
        """Note bytes of the wire, up to MAX_CHUNK_BYTES of them."""
        stored = data if len(data) <= MAX_CHUNK_BYTES else data[:MAX_CHUNK_BYTES]
        self._chunks.append((self._now_ms(), direction, stored, len(data)))

    def frames(self) -> list[TracedFrame]:
        """Oldest first."""
        frames: list[TracedFrame] = []
        last_ms = 0
        for t_ms, direction, data, size in tuple(self._chunks):
            before = frames[-1] if frames else None
            joins = (
                before is not None
                and direction == "answer" == before.direction
                and 0 <= t_ms - last_ms <= PAUSE_MS
            )
            if before is not None and joins:
                joined = before.data + data
                stored = joined[:MAX_FRAME_BYTES]
                cut = before.cut + size - len(data) + len(joined) - len(stored)
                frames[-1] = TracedFrame(before.t_ms, direction, stored, cut)
            else:
                frames.append(TracedFrame(t_ms, direction, data, size - len(data)))
            last_ms = t_ms
        return frames


def depth_of(ports: int) -> int:
    """Chunks stored of each of so many ports."""
    return max(MIN_CHUNKS, min(MAX_CHUNKS, CHUNKS_OF_ALL // max(ports, 1)))
