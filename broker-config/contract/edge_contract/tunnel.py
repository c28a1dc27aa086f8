"""Frames of a tunnel: one byte stream in each direction between the cloud and something at the gateway.

Layout, little endian: "ET", format 1, kind, tunnel[8], seq u32, payload. Each direction numbers its frames
from 1 without holes: a number that was seen is ignored, a hole ends the tunnel with code "lost". Bytes are
carried as they are. A sender never has more than WINDOW bytes on their way that CREDIT did not confirm.
"""

from __future__ import annotations

import struct
from enum import IntEnum, StrEnum
from typing import Annotated, Literal

import msgspec

from edge_contract.errors import PayloadError
from edge_contract.fields import ControlMessage, Name, Text

WINDOW = 64 * 1024
"""Bytes of one direction on their way."""
MAX_DATA = 16 * 1024
"""Bytes in one DATA frame."""
MAX_FRAME = 32 * 1024
"""Bytes of any frame."""
LONGEST_S = 8 * 3600
"""No tunnel lives longer."""

_HEAD = struct.Struct("<2sBB8sI")
_TOTAL = struct.Struct("<Q")


class Kind(IntEnum):
    """What a frame is. OPEN comes from the cloud, OPENED from the gateway, the rest from both.

    A gateway tells the LINE of a COM port before OPENED, and answers each LINE of the cloud with one.
    """

    OPEN = 0
    OPENED = 1
    DATA = 2
    CREDIT = 3  # u64: bytes that the sender of this frame has taken from the stream so far
    LINE = 4  # serial settings: from the cloud to be set, from the gateway as they are
    CLOSE = 5


class Target(StrEnum):
    """Where a tunnel ends at the gateway."""

    PORT = "port"  # a COM or NET port of the configuration, lent whole: polling on it pauses
    PAGE = "page"  # the gateway's local page


class Line(ControlMessage, frozen=True, kw_only=True):
    """Settings of a serial line; of a NET port they mean nothing."""

    baud: Annotated[int, msgspec.Meta(ge=300, le=921_600)] = 9600
    parity: Literal["N", "O", "E"] = "N"
    data_bits: Literal[7, 8] = 8
    stop_bits: Literal[1, 2] = 1


class Open(ControlMessage, frozen=True, kw_only=True):
    """Payload of OPEN. line: None keeps the port's own settings."""

    target: Target
    port: Name | None = None
    line: Line | None = None
    idle_s: Annotated[int, msgspec.Meta(ge=5, le=LONGEST_S)] = 600
    longest_s: Annotated[int, msgspec.Meta(ge=5, le=LONGEST_S)] = 3600
    who: Text = ""  # for the gateway's audit


class Close(ControlMessage, frozen=True, kw_only=True):
    """Payload of CLOSE. code: done, idle, expired, busy, no_port, port_down, not_allowed, refused, lost,
    link, stopped.
    """

    code: Text
    detail: Text = ""


class Frame(msgspec.Struct, frozen=True):
    """One frame. tunnel: 16 hexadecimal digits."""

    tunnel: str
    seq: int
    kind: Kind
    payload: bytes = b""


def encode(frame: Frame) -> bytes:
    """PayloadError: a field that the layout cannot carry."""
    if not 1 <= frame.seq < 2**32:
        raise PayloadError("seq", "1 to 2^32-1")
    if frame.kind is Kind.DATA and len(frame.payload) > MAX_DATA:
        raise PayloadError("payload", f"at most {MAX_DATA} bytes of data")
    data = _HEAD.pack(b"ET", 1, frame.kind, _tunnel(frame.tunnel), frame.seq) + frame.payload
    if len(data) > MAX_FRAME:
        raise PayloadError("payload", f"at most {MAX_FRAME} bytes in all")
    return data


def decode(payload: bytes) -> Frame:
    """PayloadError names the field and the rule."""
    if not _HEAD.size <= len(payload) <= MAX_FRAME:
        raise PayloadError("frame", f"{_HEAD.size} to {MAX_FRAME} bytes")
    magic, version, kind, tunnel, seq = _HEAD.unpack_from(payload)
    if magic != b"ET" or version != 1:
        raise PayloadError("frame", "must begin with ET and format 1")
    if kind not in Kind.__members__.values():
        raise PayloadError("kind", f"0 to {len(Kind) - 1}")
    if seq == 0:
        raise PayloadError("seq", "1 to 2^32-1")
    rest = payload[_HEAD.size :]
    if kind == Kind.DATA and not 1 <= len(rest) <= MAX_DATA:
        raise PayloadError("payload", f"1 to {MAX_DATA} bytes of data")
    return Frame(tunnel.hex(), seq, Kind(kind), rest)


def credit(total: int) -> bytes:
    """Payload of CREDIT."""
    return _TOTAL.pack(total)


def read_credit(payload: bytes) -> int:
    """PayloadError when it is none."""
    if len(payload) != _TOTAL.size:
        raise PayloadError("credit", f"{_TOTAL.size} bytes")
    (total,) = _TOTAL.unpack(payload)
    return int(total)


def _tunnel(text: str) -> bytes:
    try:
        tunnel = bytes.fromhex(text)
    except ValueError:
        tunnel = b""
    if len(tunnel) != 8 or len(text) != 16:
        raise PayloadError("tunnel", "16 hexadecimal digits")
    return tunnel
