"""The trace while somebody watches: its end, what was noted, numbers, and how much of it may go."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count

import msgspec
from msgspec.structs import replace

from edge_agent.system.clock import Clock
from edge_contract.limits import (
    MAX_TRACE_BYTES,
    MAX_TRACE_ENTRIES,
    TRACE_BYTES_S,
    TRACE_ENTRIES_S,
)
from edge_contract.trace import TraceEntry, TraceReport, TraceRequest

log = logging.getLogger(__name__)

MAX_WAITING = 1000
"""Signals and packets between two reports, or while the link is down."""

BURST_S = 2.0
"""What was not used of so much time may be used at once."""

REPORT_HEAD_BYTES = 200
"""Of a report around its entries."""

Render = Callable[[], TraceEntry]
"""Makes an entry, whose seq is not yet the right one; called only for what is sent."""


@dataclass(frozen=True)
class Noted:
    """Something that is to be sent."""

    t_ms: int
    source: str
    render: Render


class TraceRecorder:
    """One of it in a process: a trace goes on through a switch of the configuration.

    changed: set when a trace begins.
    """

    def __init__(self, clock: Clock) -> None:
        self.changed = asyncio.Event()
        self._clock = clock
        self._lock = threading.Lock()  # log lines come from other threads too
        self._until_s = float("-inf")
        self._since_ms = 0
        self._seq = 0
        self._waiting: deque[Noted] = deque()
        self._lost = 0
        self._is_answered = True
        self._runs = False
        self._entries_left, self._bytes_left, self._refilled_s = 0.0, 0.0, 0.0

    @property
    def is_active(self) -> bool:
        """Whether somebody watches."""
        return self._clock.monotonic() < self._until_s

    @property
    def since_ms(self) -> int:
        """When the trace began; of one that has ended too."""
        return self._since_ms

    def take(self, request: TraceRequest) -> bool:
        """Begin, go on or end; True when a trace begins."""
        begins = request.seconds > 0 and not self.is_active
        if begins:
            log.info("audit: signals and frames are traced for %s", request.by or "the cloud")
            self._begin()
        self._until_s = self._clock.monotonic() + request.seconds
        self._is_answered = False
        if begins:
            self.changed.set()
        elif not request.seconds:
            self._end()
        return begins

    def note(self, noted: Noted) -> None:
        """Take it for the next report; beyond MAX_WAITING only its number."""
        if not self.is_active:
            return
        with self._lock:
            if len(self._waiting) < MAX_WAITING:
                self._waiting.append(noted)
            else:
                self._lost += 1

    def reports(self, frames: Iterable[Noted] = (), lost: int = 0) -> list[TraceReport]:
        """What is to be sent now. frames: that were collected since. lost: how many could not be."""
        if not self.is_active:
            self._end()
            return []
        with self._lock:
            noted, self._waiting = [*self._waiting, *frames], deque()
            lost, self._lost = lost + self._lost, 0
        if not (noted or lost) and self._is_answered:
            return []
        self._is_answered = True
        self._seq += lost
        first = self._seq + 1
        noted.sort(key=lambda one: one.t_ms)
        self._seq += len(noted)
        return self._divided(self._selected(noted, first))

    def _begin(self) -> None:
        self._forget()
        self._runs = True
        self._since_ms = max(self._clock.now_ms(), self._since_ms + 1)
        self._seq = 0
        self._refilled_s = self._clock.monotonic() - BURST_S
        self._entries_left = self._bytes_left = 0.0

    def _end(self) -> None:
        """Once for each trace, whatever ended it."""
        self._forget()
        if self._runs:
            self._runs = False
            log.info("audit: the trace of signals and frames has ended")

    def _forget(self) -> None:
        with self._lock:
            self._waiting.clear()
            self._lost = 0

    def _selected(self, noted: list[Noted], first: int) -> list[TraceEntry]:
        """As many as may go, of each source in its turn, by rising number."""
        self._refill()
        queues: defaultdict[str, deque[tuple[int, Noted]]] = defaultdict(deque)
        for seq, one in zip(count(first), noted, strict=False):
            queues[one.source].append((seq, one))
        chosen: list[TraceEntry] = []
        while queues and self._entries_left >= 1 and self._bytes_left > 0:
            for source in list(queues):
                seq, one = queues[source].popleft()
                entry = replace(one.render(), seq=seq, t_ms=max(one.t_ms, 0))
                size = len(msgspec.json.encode(entry))
                if size <= self._bytes_left:
                    self._entries_left -= 1
                    self._bytes_left -= size
                    chosen.append(entry)
                if not queues[source]:
                    del queues[source]
                if self._entries_left < 1:
                    break
        return sorted(chosen, key=lambda entry: entry.seq)

    def _refill(self) -> None:
        now = self._clock.monotonic()
        passed_s, self._refilled_s = now - self._refilled_s, now
        self._entries_left = min(self._entries_left + passed_s * TRACE_ENTRIES_S, BURST_S * TRACE_ENTRIES_S)
        self._bytes_left = min(self._bytes_left + passed_s * TRACE_BYTES_S, BURST_S * TRACE_BYTES_S)

    def _divided(self, entries: list[TraceEntry]) -> list[TraceReport]:
        """In reports of the size that one may have; the last one says up to where numbers were given."""
        parts: list[list[TraceEntry]] = [[]]
        size = REPORT_HEAD_BYTES
        for entry in entries:
            more = len(msgspec.json.encode(entry)) + 1
            if parts[-1] and (len(parts[-1]) >= MAX_TRACE_ENTRIES or size + more > MAX_TRACE_BYTES):
                parts.append([])
                size = REPORT_HEAD_BYTES
            parts[-1].append(entry)
            size += more
        return [
            TraceReport(
                since_ms=self._since_ms,
                upto=self._seq if part is parts[-1] else part[-1].seq,
                entries=part,
            )
            for part in parts
        ]
