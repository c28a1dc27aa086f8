"""Signals and frames of a gateway while somebody watches them (C-240 to C-245)."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import msgspec

from edge_contract.fields import ControlMessage, Count, Millis, Sequence, Text
from edge_contract.limits import (
    MAX_TRACE_CHARACTERS,
    MAX_TRACE_ENTRIES,
    MAX_TRACE_FRAME,
    MAX_USER,
    TRACE_S,
)

TraceText = Annotated[str, msgspec.Meta(max_length=MAX_TRACE_CHARACTERS)]
Hexadecimal = Annotated[str, msgspec.Meta(pattern=r"^([0-9A-F]{2})*$(?!\n)", max_length=2 * MAX_TRACE_FRAME)]


class TraceKind(StrEnum):
    """FRAME: bytes of a port. PACKET: of a target of [[forwarders]]. The others are signals."""

    FRAME = "frame"
    PACKET = "packet"
    LINK = "link"  # to the cloud: up, down
    TARGET = "target"  # up, down
    PORT = "port"  # opened, closed
    DEVICE = "device"  # connected, lost
    CONFIGURATION = "configuration"  # the step of a deployment
    COMMAND = "command"  # taken, answered
    FIRMWARE = "firmware"  # the step of an upgrade
    LOG = "log"  # warning, error, critical


class TraceDirection(StrEnum):
    """As the gateway sees it."""

    SENT = "sent"
    RECEIVED = "received"


class TraceRequest(ControlMessage, frozen=True, kw_only=True):
    """Trace for so many seconds from now on; 0: nobody watches. by: who watches, for the gateway's audit."""

    seconds: Annotated[int, msgspec.Meta(ge=0, le=TRACE_S)]
    by: Annotated[str, msgspec.Meta(max_length=MAX_USER)] = ""


class TraceEntry(ControlMessage, frozen=True, kw_only=True):
    """One frame, packet or signal. seq: rises by one from entry to entry; a missing number was dropped.

    source: the port, the target, or what else it is of. device: slave, where it is known. code: of a signal
    (TraceKind). text: of a signal or packet. data: bytes, hexadecimal. size: bytes in all, those that are not
    in data included. hidden: data is left out because a secret may be in it. fields: what a decoder reads.
    error: why it cannot be decoded.
    """

    seq: Sequence
    t_ms: Millis
    kind: TraceKind
    source: Text = ""
    device: Text = ""
    direction: TraceDirection | None = None
    code: Text = ""
    text: TraceText = ""
    data: Hexadecimal = ""
    size: Count = 0
    hidden: bool = False
    fields: dict[str, Any] = {}
    error: Text = ""


class TraceReport(ControlMessage, frozen=True, kw_only=True):
    """Entries by rising seq. since_ms: when the trace that numbers them began. upto: the last number."""

    since_ms: Millis
    upto: Count
    entries: Annotated[list[TraceEntry], msgspec.Meta(max_length=MAX_TRACE_ENTRIES)] = []
