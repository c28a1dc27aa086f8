"""Batches of one moment, written fast: points 1..n, 16 bit values with one decimal, all good. Pure.

The layout is that of CONTRACT.md; the tests read every batch with the contract's own decoder. The contract's
encoder takes any samples and looks for their shape; a load generator knows its shape and has no time to look.
"""

from __future__ import annotations

import struct
import zlib

from edge_contract.batch import FORMAT, MAGIC
from firmware_sim.gateways.signals import DECIMALS

_GRID = 0
_DECIMAL = 3
_TWO_BYTES = 2 << 3  # index of the element width in a form's second byte
_COMPRESSED = 1
_RAW_DEFLATE = -15


class Snapshots:
    """Writes the batches of one gateway's stream. stream, catalog: 16 hexadecimal digits."""

    def __init__(self, stream: str, catalog: str, points: int) -> None:
        self._ids = bytes.fromhex(stream) + bytes.fromhex(catalog)
        self._points = points
        differences = b"" if points == 1 else varint(2) + b"\x00"  # least 1 (zigzag 2), width 0
        self._head = (
            varint(1)
            + bytes([_GRID])
            + varint(points)
            + varint(1)
            + varint(0)  # the time is the closing time
            + bytes([_DECIMAL])
            + bytes([DECIMALS | _TWO_BYTES])
            + varint(points)
            + varint(1)
            + differences
        )
        self._values = struct.Struct(f"<{points}h")

    def write(self, seq: int, t_ms: int, raw: list[int]) -> bytes:
        """A batch of every point at t_ms."""
        body, flags = self._head + self._values.pack(*raw), 0
        deflater = zlib.compressobj(1, zlib.DEFLATED, _RAW_DEFLATE)
        deflated = deflater.compress(body) + deflater.flush()
        if len(deflated) < len(body):
            body, flags = deflated, _COMPRESSED
        head = MAGIC + bytes([FORMAT, flags]) + self._ids
        inside = head + varint(seq) + varint(t_ms) + varint(self._points) + body
        return inside + zlib.crc32(inside).to_bytes(4, "little")


def varint(number: int) -> bytes:
    """Unsigned, 7 bits a byte, low bits first."""
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)
