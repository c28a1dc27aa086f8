"""What a gateway should have read and what it read: counts by slave, and the gaps with their reasons.

A read is one point in one of its periods; it is good when a value of quality GOOD arrived within the period.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from typing import Annotated

import msgspec

from edge_contract.fields import ControlMessage, Count, Hex16, Millis, Name, Sequence, Text
from edge_contract.limits import COLLECTION_GAPS, COLLECTION_POINTS, COLLECTION_RECORDS, COLLECTION_SPAN_MS


class Missed(StrEnum):
    """Why reads are missing. Minor versions add codes."""

    NO_ANSWER = "no_answer"
    BAD_FRAME = "bad_frame"
    DEVICE_ERROR = "device_error"
    OUT_OF_RANGE = "out_of_range"  # answered with what is no value of the point
    PORT_DOWN = "port_down"
    PORT_LOCKED = "port_lent"
    DISABLED = "disabled"  # nothing is expected
    LATE = "late"  # the port had no time: the schedule was missed
    FROZEN = "frozen"  # the whole agent stood still
    NOT_RUNNING = "not_running"  # stopped, killed or without power
    SWITCHING = "switching"  # from one configuration to another
    CLOCK_NOT_SET = "clock_not_set"
    CLOCK_MOVED = "clock_moved"  # the clock was put forward: this time never was, nothing is expected


class SlaveReads(ControlMessage, frozen=True, kw_only=True):
    """Reads of one slave. missed: expected less good, by Missed."""

    name: Name
    expected: Count
    good: Count
    missed: Annotated[dict[Name, Count], msgspec.Meta(max_length=20)] = {}


class PointReads(ControlMessage, frozen=True, kw_only=True):
    """Reads of a point that fared worse than its slave."""

    slave: Name
    point: Name
    expected: Count
    good: Count


class ReadGap(ControlMessage, frozen=True, kw_only=True):
    """Consecutive periods without a good read. slave: None for the whole gateway; points: none for all.

    by: to whom a port was lent. missed: reads, of the record that it is in.
    """

    slave: Name | None = None
    points: Annotated[list[Name], msgspec.Meta(max_length=20)] = []
    from_ms: Millis
    to_ms: Millis
    reason: Name
    by: Text = ""
    missed: Count = 0


class CollectionRecord(ControlMessage, frozen=True, kw_only=True):
    """One stretch of time. points: those worse than their slave, the worst first; more_gaps: left out."""

    seq: Sequence
    from_ms: Millis
    to_ms: Millis
    slaves: Annotated[list[SlaveReads], msgspec.Meta(max_length=1000)]
    points: Annotated[list[PointReads], msgspec.Meta(max_length=COLLECTION_POINTS)] = []
    gaps: Annotated[list[ReadGap], msgspec.Meta(max_length=COLLECTION_GAPS)] = []
    more_gaps: Count = 0

    def __post_init__(self) -> None:
        if not self.from_ms < self.to_ms <= self.from_ms + COLLECTION_SPAN_MS:
            raise ValueError("to_ms: after from_ms, by at most 7 days")


class Collection(ControlMessage, frozen=True, kw_only=True):
    """Records in rising order, acknowledged up to the last. stream: of the store, as a batch's."""

    stream: Hex16
    records: Annotated[list[CollectionRecord], msgspec.Meta(min_length=1, max_length=COLLECTION_RECORDS)]

    def __post_init__(self) -> None:
        if any(one.seq >= other.seq for one, other in pairwise(self.records)):
            raise ValueError("records: by rising seq")
        if sum(record.to_ms - record.from_ms for record in self.records) > COLLECTION_SPAN_MS:
            raise ValueError("records: at most 7 days together")
