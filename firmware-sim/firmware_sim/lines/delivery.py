"""From a device's sound answer to the bytes on the wire: turnaround, faults, served-values log."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from firmware_sim.behaviours import Chunk, Exchange, Fault, Framing

MAX_WAITING = 64
"""Delayed answers of one line or connection; more than a master can have outstanding."""


class Segment:
    """What the devices of one line share: the framing of its protocol, and a fault of the line itself."""

    def __init__(self, name: str, framing: Framing) -> None:
        self.name = name
        self.framing = framing
        self.fault: Fault | None = None
        self.stations: list[Station] = []


class Station:
    """A device's place on a line, which a fault may be put on. last: the sound answer that it gave last."""

    def __init__(self, name: str, segment: Segment, *, turnaround_s: float = 0.0) -> None:
        self.name = name
        self.turnaround_s = turnaround_s
        self.segment = segment
        self.segment.stations.append(self)
        self.fault: Fault | None = None
        self.last = b""

    @property
    def direct(self) -> bool:
        """Answers leave at once and as they are."""
        return self.fault is None and not self.turnaround_s and self.segment.fault is None

    def foreign(self) -> bytes:
        """What another device of the line answered, or this one before; empty when nobody did."""
        others = [each.last for each in self.segment.stations if each is not self and each.last]
        return others[0] if others else self.last

    def chunks(self, request: bytes, answer: bytes) -> Sequence[Chunk]:
        """What the faults of the device, and then those of its line, make of a sound answer."""
        exchange = Exchange(request, answer, self.segment.framing, self.foreign())
        self.last = answer
        chunks: Sequence[Chunk] = (Chunk(answer),)
        for fault in (self.fault, self.segment.fault):
            if fault is not None:
                chunks = fault.applied(chunks, exchange)
        return chunks


class ServedLog(Protocol):
    """Holds what an answer has, before it leaves."""

    def note(self, device: str, values: Sequence[tuple[str, int]]) -> None: ...


@dataclass(frozen=True, slots=True, eq=False)
class _Answer:
    """chunks: that have not left yet, in order."""

    station: Station
    served: Sequence[tuple[str, int]]
    chunks: deque[Chunk]


class Delivery:
    """Sends the answers of one line or connection. write: False when nobody is there to take the bytes.

    An answer in several parts is not mixed with others: what is due between them waits for the last one.
    hang_up: ends the connection once everything that was written has left.
    """

    def __init__(
        self,
        write: Callable[[bytes], bool],
        served_log: ServedLog | None,
        hang_up: Callable[[], None] = lambda: None,
    ) -> None:
        self.dropped = 0
        self._write = write
        self._served_log = served_log
        self._hang_up = hang_up
        self._waiting: set[asyncio.TimerHandle] = set()
        self._begun: _Answer | None = None
        self._due: list[_Answer] = []

    def send(
        self, station: Station, request: bytes, answer: bytes, served: Sequence[tuple[str, int]] = ()
    ) -> None:
        """served: values of the answer that the served-values log must hold before they leave."""
        if station.direct and self._begun is None:
            station.last = answer
            self._write_chunk(station, Chunk(answer), served)
            return
        chunks = station.chunks(request, answer)
        if len(self._waiting) + len(self._due) + len(chunks) > MAX_WAITING:
            self.dropped += len(chunks)
            return
        one, delay_s = _Answer(station, served, deque(chunks)), 0.0
        for chunk in chunks:
            delay_s = max(delay_s, station.turnaround_s + chunk.delay_s)
            self._later(one, delay_s)

    def close(self) -> None:
        """Answers that wait do not leave any more."""
        for handle in self._waiting:
            handle.cancel()
        self._waiting.clear()
        self._due.clear()
        self._begun = None

    def _later(self, answer: _Answer, delay_s: float) -> None:
        if not delay_s:
            self._out(answer)
            return

        def due() -> None:
            self._waiting.discard(handle)
            self._out(answer)

        handle = asyncio.get_running_loop().call_later(delay_s, due)
        self._waiting.add(handle)

    def _out(self, answer: _Answer) -> None:
        """The next chunk of an answer is due; it, and what waited for it, leaves when nothing is begun."""
        self._due.append(answer)
        while self._due:
            one = self._due[0] if self._begun is None else self._begun
            if one not in self._due:
                return
            self._due.remove(one)
            chunk = one.chunks.popleft()
            self._begun = one if one.chunks else None
            self._write_chunk(one.station, chunk, one.served)

    def _write_chunk(self, station: Station, chunk: Chunk, served: Sequence[tuple[str, int]]) -> None:
        if served and chunk.sound and self._served_log is not None:
            self._served_log.note(station.name, served)
        if not self._write(chunk.data):
            self.dropped += 1
        if chunk.closes:
            self._hang_up()
