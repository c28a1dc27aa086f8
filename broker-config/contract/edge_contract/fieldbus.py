"""What a pulse says of the gateway's internal slave and of its loop-write tasks (C-190 to C-192)."""

from __future__ import annotations

from typing import Annotated

import msgspec

from edge_contract.fields import ControlMessage, Count, Millis, Name, Text

MAX_LOOP_WRITES = 100
MAX_MASTERS = 64
SlaveId = Annotated[int, msgspec.Meta(ge=1, le=254)]


class MasterFigures(ControlMessage, frozen=True, kw_only=True):
    """One connection. requests: since since_ms."""

    peer: Text
    since_ms: Millis
    requests: Count = 0


class InternalSlaveFigures(ControlMessage, frozen=True, kw_only=True):
    """Of the slave that runs; counts since it began. listens: addresses and lines, in words.

    fault: why it cannot be reached, empty when it can. exceptions: of requests; refused: connections of
    others than the allowed masters, or beyond their limit. bad_frames: connections that ended by bytes that
    are no frame; discarded_bytes: of a line. last_error: the newest exception in words.
    """

    id: SlaveId
    points: Count
    listens: Text = ""
    fault: Text = ""
    masters: Annotated[list[MasterFigures], msgspec.Meta(max_length=MAX_MASTERS)] = []
    requests: Count = 0
    exceptions: Count = 0
    values_written: Count = 0
    refused: Count = 0
    bad_frames: Count = 0
    discarded_bytes: Count = 0
    last_error: Text = ""
    last_error_ms: Millis = 0


class LoopWriteFigures(ControlMessage, frozen=True, kw_only=True):
    """Of one task; counts since it began. outcome: done, waiting, disabled, clock_not_set, or the code of
    what went wrong. last_ms: of the newest message, 0 for none yet. missed: intervals while a message was
    under way. last_error: of the newest message that failed, in words.
    """

    name: Name
    outcome: Text
    last_ms: Millis = 0
    sent: Count = 0
    failed: Count = 0
    missed: Count = 0
    last_error: Text = ""
    last_error_ms: Millis = 0


class FieldbusFigures(ControlMessage, frozen=True, kw_only=True):
    """internal_slave: None when none runs. loop_writes: in the configuration's order."""

    internal_slave: InternalSlaveFigures | None = None
    loop_writes: Annotated[list[LoopWriteFigures], msgspec.Meta(max_length=MAX_LOOP_WRITES)] = []
