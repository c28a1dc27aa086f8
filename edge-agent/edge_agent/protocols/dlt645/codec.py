"""Frames and BCD of DL/T 645, both roles: bytes to frames and back. Pure; knows no item and no session.

A frame on the wire (DL/T 645-2007 section 5.2): any number of FE, 68, six address bytes (lowest first), 68,
control, length, data bytes each increased by 33h, sum of everything from the first 68 modulo 256, 16.
"""

from __future__ import annotations

import re
import struct
from functools import lru_cache
from zlib import adler32

import msgspec

from edge_agent.protocols.line_decoder import LineDecoder

START = 0x68
END = 0x16
HEAD = 10  # 68, address, 68, control, length
SHORTEST = 12
LONGEST = HEAD + 255 + 2
WAKE_UP = b"\xfe"

FROM_METER = 0x80  # control bit 7
REFUSED = 0x40  # control bit 6
MORE_FOLLOWS = 0x20  # control bit 5
FUNCTION = 0x1F

WILDCARD = "AAAAAAAAAAAA"
BROADCAST = "999999999999"

_PLUS_33 = bytes((b + 0x33) & 0xFF for b in range(256))
_MINUS_33 = bytes((b - 0x33) & 0xFF for b in range(256))
_FIELDS = struct.Struct("<B6sBBB").unpack
_ADDRESS = re.compile(r"[0-9A]{12}")


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One frame. address: 12 digits or A (wildcard) in printed order; data: without the 33h offset."""

    address: str
    control: int
    data: bytes = b""

    @property
    def from_meter(self) -> bool:
        return bool(self.control & FROM_METER)

    @property
    def refused(self) -> bool:
        return bool(self.control & REFUSED)

    @property
    def more_follows(self) -> bool:
        return bool(self.control & MORE_FOLLOWS)

    @property
    def function(self) -> int:
        """Control code without its direction, refusal and follow-up bits."""
        return self.control & FUNCTION


def encode(frame: Frame, wake_up: int = 4) -> bytes:
    """Wire bytes of a frame behind wake_up bytes FE; ValueError when address or length does not fit."""
    if not _ADDRESS.fullmatch(frame.address):
        raise ValueError(f"address {frame.address!r}: must be 12 digits or A")
    if len(frame.data) > 255:
        raise ValueError(f"data of {len(frame.data)} bytes: at most 255 fit")
    body = b"".join(
        (
            b"\x68",
            bytes.fromhex(frame.address)[::-1],
            bytes((START, frame.control, len(frame.data))),
            frame.data.translate(_PLUS_33),
        )
    )
    return WAKE_UP * wake_up + body + bytes((sum(body) & 0xFF, END))


def _printed(address: bytes) -> str:
    """Address bytes as digits."""
    return address[::-1].hex().upper()


SUMMED = 256
"""Bytes whose sum adler32, begun with 0, holds whole in its low half; it is quicker at it than sum()."""

NO_HEAD = "", 0, -1


@lru_cache(maxsize=1024)
def _head(head: bytes) -> tuple[str, int, int]:
    """Address, control and bytes of the frame that begins so; a size of -1 where none does.

    Cached, because a line has few meters and hears the same heads all day.
    """
    if len(head) < HEAD:
        return NO_HEAD
    start, address, second, control, length = _FIELDS(head)
    if start != START or second != START or length > SUMMED - SHORTEST:
        return NO_HEAD
    return _printed(address), control, length + SHORTEST


def decode_single(data: bytes) -> Frame | None:
    """The frame that data is as a whole, wake-up bytes before it left out; None when it is anything else,
    or longer than most."""
    body = data.lstrip(WAKE_UP)
    address, control, size = _head(body[:HEAD])
    if len(body) != size or body[-1] != END:
        return None
    if (adler32(body, 0) - END - 2 * body[-2]) & 0xFF:
        return None
    return Frame(address, control, body[HEAD:-2].translate(_MINUS_33))


class Decoder(LineDecoder):
    """Bytes in any portions to frames. What is no frame is skipped one byte at a time, and counted.

    Bounded: holds at most one frame (267 bytes) that is still incomplete.
    """

    def give_up(self) -> list[Frame]:
        """The line fell silent within a frame: its first 68 was noise; look for frames behind it."""
        if not self._held:
            return []
        rest, self._held = self._held[1:], b""
        self.discarded_bytes += 1
        frames = self.feed(rest)
        while self._held:
            rest, self._held = self._held[1:], b""
            self.discarded_bytes += 1
            frames += self.feed(rest)
        return frames

    def feed(self, data: bytes) -> list[Frame]:
        """Frames that these bytes complete, in order of arrival."""
        if not self._held and (frame := decode_single(data)) is not None:
            return [frame]
        held = self._held + data if self._held else data
        frames: list[Frame] = []
        size = len(held)
        at = 0
        while True:
            start = held.find(START, at)
            if start < 0:
                self._skip(held, at, size)
                at = size
                break
            if start > at:
                self._skip(held, at, start)
            at = start
            if size - at < HEAD:
                if size - at > 7 and held[at + 7] != START:
                    self.discarded_bytes += 1
                    at += 1
                    continue
                break
            if held[at + 7] != START:
                self.discarded_bytes += 1
                at += 1
                continue
            end = at + held[at + 9] + SHORTEST
            if end > size:
                break
            if held[end - 1] != END or sum(held[at : end - 2]) & 0xFF != held[end - 2]:
                self.checksum_errors += 1
                self.discarded_bytes += 1
                at += 1
                continue
            frames.append(
                Frame(
                    _printed(held[at + 1 : at + 7]),
                    held[at + 8],
                    held[at + HEAD : end - 2].translate(_MINUS_33),
                )
            )
            at = end
        self._held = held[at:]
        return frames

    def _skip(self, held: bytes, start: int, stop: int) -> None:
        """Count what lies between frames; FE is a wake-up byte, not noise."""
        self.discarded_bytes += stop - start - held.count(0xFE, start, stop)


def bcd_to_int(data: bytes) -> int | None:
    """Packed BCD, lowest byte first, to a number; None when a nibble is above 9 or nothing is there."""
    text = data[::-1].hex()
    return int(text) if text.isdecimal() else None


def int_to_bcd(value: int, length: int) -> bytes:
    """A number to packed BCD of length bytes, lowest byte first; ValueError when it does not fit."""
    if value < 0 or value >= 100**length:
        raise ValueError(f"{value} does not fit into {length} BCD bytes")
    return bytes.fromhex(f"{value:0{2 * length}d}")[::-1]
