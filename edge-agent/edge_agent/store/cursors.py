"""Which consumer still needs which batch: pure bookkeeping over sequence numbers.

The primary consumer is the cloud. It acknowledges in any order, the ring evicts for it, and what it lost is
reported in the pulse. Every other one has a bound of its own (base.Bound).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from edge_agent.store.base import END, MAX_EVICTED_RANGES, Bound
from edge_contract.ranges import Range, join, overlap, without

PRIMARY = "cloud"
SPARE_SHARE = 16
"""A full store gives up what only others than the primary need first, down to this part of it."""


@dataclass(frozen=True)
class Cursor:
    """Where one consumer stands. It needs what is stored beyond upto_seq and not in done.

    batches, payload_bytes: that it needs. lost: the newest ranges that went without its acknowledgement.
    state: the consumer's own.
    """

    name: str
    bound: Bound
    upto_seq: int = 0
    done: tuple[Range, ...] = ()
    batches: int = 0
    payload_bytes: int = 0
    lost_batches: int = 0
    lost: tuple[Range, ...] = ()
    state: str = ""

    def needs(self, ranges: Sequence[Range]) -> list[Range]:
        """Numbers of the ranges that it needs, if they are stored."""
        return without(overlap(join(ranges), [(self.upto_seq + 1, END)]), self.done)

    def passed(self, ranges: Sequence[Range], batches: int, payload_bytes: int) -> Cursor:
        """It needs them no more. ranges: as needs() gave them, with what of them was stored."""
        upto_seq, done = self.upto_seq, join([*self.done, *ranges])
        while done and done[0][0] <= upto_seq + 1:
            upto_seq = max(upto_seq, done.pop(0)[1])
        return replace(
            self,
            upto_seq=min(upto_seq, END - 1),
            done=tuple(done),
            batches=self.batches - batches,
            payload_bytes=self.payload_bytes - payload_bytes,
        )

    def lost_too(self, ranges: Sequence[Range], batches: int) -> Cursor:
        """They went without its acknowledgement."""
        newest = tuple(join([*self.lost, *ranges])[-MAX_EVICTED_RANGES:])
        return replace(self, lost=newest, lost_batches=self.lost_batches + batches)


@dataclass(frozen=True)
class Holding:
    """What is stored, and for whom."""

    cursors: Mapping[str, Cursor] = field(default_factory=lambda: {PRIMARY: Cursor(PRIMARY, Bound(PRIMARY))})
    batches: int = 0
    payload_bytes: int = 0

    @property
    def primary(self) -> Cursor:
        """The cursor of the consumer PRIMARY."""
        return self.cursors[PRIMARY]

    @property
    def is_shared(self) -> bool:
        """There are others than the primary."""
        return len(self.cursors) > 1

    def free(self, name: str, ranges: Sequence[Range]) -> list[Range]:
        """Numbers of the ranges that nobody but this one needs."""
        rest = join(ranges)
        for cursor in self.cursors.values():
            if cursor.name != name and rest:
                rest = without(rest, cursor.needs(rest))
        return rest

    def spare(self, capacity_bytes: int) -> list[Range] | None:
        """Where to look for what goes first from a full store; None: anywhere, the oldest."""
        if self.payload_bytes - self.primary.payload_bytes <= capacity_bytes // SPARE_SHARE:
            return None
        return without([(1, END)], self.primary.needs([(1, END)]))

    def added(self, payload_bytes: int) -> Holding:
        """One batch more, which everybody needs."""
        cursors = {
            name: replace(one, batches=one.batches + 1, payload_bytes=one.payload_bytes + payload_bytes)
            for name, one in self.cursors.items()
        }
        return Holding(cursors, self.batches + 1, self.payload_bytes + payload_bytes)

    def changed(self, cursor: Cursor, batches: int = 0, payload_bytes: int = 0) -> Holding:
        """With another cursor of its name, and so much less stored."""
        if len(self.cursors) == 1:  # what it alone was stored for is gone: nothing to remember
            cursor = replace(cursor, done=())
        cursors = {**self.cursors, cursor.name: cursor}
        return Holding(cursors, self.batches - batches, self.payload_bytes - payload_bytes)
