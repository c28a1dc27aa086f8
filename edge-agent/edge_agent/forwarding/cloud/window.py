"""Which batch is sent next: a pure state machine over sequence numbers, without clock or I/O.

Two lanes share the window. live: batches made since this connection began, newest first. history: older ones,
oldest first. Times are seconds of any rising clock, given by the caller.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from edge_contract.limits import RESEND_AFTER_S, WINDOW
from edge_contract.ranges import without

HISTORY_MAX = WINDOW * 3 // 4
"""History never takes the whole window, so a live batch never waits for an acknowledgement of history."""
HISTORY_BESIDE_LIVE = WINDOW // 2
HISTORY_WAITING = 4 * WINDOW
"""History numbers held in memory; the rest stays in the store."""
RESEND_PAUSE_S = 1.0
"""A batch that the cloud asks for again was possibly under way; it is not sent more often than this."""

OVERTAKEN_S = 3.0
"""The cloud confirms in the order of arrival; no two batches change places by as much as this."""


@dataclass(frozen=True)
class Sending:
    """One batch to publish now."""

    seq: int
    live: bool


class Window:
    """State of one connection. live_from: the first number that belongs to the live queue."""

    def __init__(self, live_from: int, late: Callable[[int], bool] = lambda seq: False) -> None:
        """late: of a number from live_from on, whether it is history all the same."""
        self.live_from = live_from
        self._late = late
        self._next_seq = live_from
        self._in_flight: dict[int, float] = {}  # number -> when it was sent last
        self._live: list[tuple[int, int]] = []  # waiting ranges, rising; the newest is at the end
        self._history: deque[int] = deque()  # waiting numbers, the next one first
        self._cursor = 0  # history up to here was offered

    @property
    def in_flight(self) -> int:
        """Batches that are sent and not acknowledged."""
        return len(self._in_flight)

    @property
    def is_empty(self) -> bool:
        """Nothing waits and nothing is in flight."""
        return not (self._in_flight or self._live or self._history)

    @property
    def history_in_flight(self) -> int:
        """Of these, those that count as history."""
        return sum(not self._is_live(seq) for seq in self._in_flight)

    @property
    def live_waits(self) -> bool:
        """Whether a live batch waits for its turn."""
        return bool(self._live)

    @property
    def history_cursor(self) -> int | None:
        """Number after which more history is wanted; None when enough waits."""
        return self._cursor if len(self._history) <= HISTORY_WAITING // 2 else None

    def offer_history(self, numbers: Sequence[int]) -> None:
        """Take older batches, by rising number, that the store holds after history_cursor."""
        known = {*self._in_flight, *self._history}
        for seq in numbers:
            self._cursor = max(self._cursor, seq)
            if seq < self.live_from and seq not in known:
                self._history.append(seq)

    def committed(self, next_seq: int) -> None:
        """Every number below next_seq exists now."""
        if next_seq <= self._next_seq:
            return
        first, self._next_seq = self._next_seq, next_seq
        for seq in range(first, next_seq):
            if not self._is_live(seq):
                self._history.append(seq)
            elif self._live and self._live[-1][1] == seq - 1:
                self._live[-1] = (self._live[-1][0], seq)
            else:
                self._live.append((seq, seq))

    def _is_live(self, seq: int) -> bool:
        return seq >= self.live_from and not self._late(seq)

    def take(self, now: float, count: int) -> list[Sending]:
        """Batches to send now, at most so many, in this order; they are in flight from here on."""
        chosen: list[Sending] = []
        while len(chosen) < count:
            seq = self._choose(now)
            if seq is None:
                break
            self._in_flight[seq] = now
            chosen.append(Sending(seq, self._is_live(seq)))
        return chosen

    def _choose(self, now: float) -> int | None:
        """Newest live batch, else the one overdue for longest, else the oldest history."""
        free = len(self._in_flight) < WINDOW
        if free and self._live:
            return self._pop_live()
        oldest = min(self._in_flight.items(), key=lambda item: item[1], default=None)
        if oldest is not None and oldest[1] + RESEND_AFTER_S <= now:
            return oldest[0]
        limit = HISTORY_BESIDE_LIVE if self._live else HISTORY_MAX
        if free and self._history and self.history_in_flight < limit:
            return self._history.popleft()
        return None

    def _pop_live(self) -> int:
        first, last = self._live.pop()
        if first < last:
            self._live.append((first, last - 1))
        return last

    def next_due(self) -> float | None:
        """When the next batch becomes overdue; None when none is in flight."""
        return min(self._in_flight.values()) + RESEND_AFTER_S if self._in_flight else None

    def acknowledged(self, ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Drop what the cloud holds; the ranges that the store may forget, cut to numbers that exist."""
        end = self._next_seq - 1
        forget = [(first, min(last, end)) for first, last in ranges if first <= min(last, end)]
        newest = float("-inf")
        for first, last in forget:
            for seq in [seq for seq in self._in_flight if first <= seq <= last]:
                newest = max(newest, self._in_flight.pop(seq))
            self._live = without(self._live, [(first, last)])
            self._history = deque(seq for seq in self._history if not first <= seq <= last)
        self._overtaken(newest)
        return forget

    def _overtaken(self, newest: float) -> None:
        """What was sent well before a batch that is confirmed now has been lost: it is due at once.

        So a cloud that was away for less than RESEND_AFTER_S is served again with its first answer.
        """
        for seq, sent in self._in_flight.items():
            if sent + OVERTAKEN_S <= newest:
                self._in_flight[seq] = sent - RESEND_AFTER_S

    def requested(self, numbers: Iterable[int], now: float) -> None:
        """The cloud asks for batches that the store still holds: they go before other history."""
        for seq in sorted(set(numbers), reverse=True):
            if seq in self._in_flight:
                if now - self._in_flight[seq] >= RESEND_PAUSE_S:
                    self._in_flight[seq] = now - RESEND_AFTER_S
            elif seq < self.live_from and len(self._history) < HISTORY_WAITING:
                if seq in self._history:
                    self._history.remove(seq)
                self._history.appendleft(seq)

    def gone(self, seq: int) -> None:
        """The store no longer holds this batch: it was evicted, or forgotten after an earlier answer."""
        self._in_flight.pop(seq, None)
