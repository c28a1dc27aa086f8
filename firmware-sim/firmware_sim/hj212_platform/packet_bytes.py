"""Bytes of HJ 212 packets, written from the standard and not from the agent's codec, so that each checks the
other. Pure.

A packet is ##, four digits of length, a segment, four hexadecimal check digits, CR LF (2017: packet table;
annex A for the check digits).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

HEAD, TAIL, AROUND = 6, b"\r\n", 12
AREA, END = b"CP=&&", b"&&"
LENGTH = re.compile(rb"[0-9]{0,4}")
DIGITS = re.compile(rb"[0-9A-Fa-f]{4}")
UNIVERSAL = 0xA55A
"""Taken in place of any check digits where a station may send it."""


def crc16(segment: bytes) -> int:
    """Check digits of annex A: each byte meets the register's high byte, its low byte is dropped."""
    register = 0xFFFF
    for byte in segment:
        register = _TABLE[(register >> 8) ^ byte]
    return register


def crc16_modbus(segment: bytes) -> int:
    """What some stations send in its place: each byte meets the low byte, the high one moves down."""
    register = 0xFFFF
    for byte in segment:
        register = (register >> 8) ^ _TABLE[(register ^ byte) & 0xFF]
    return register


def _entry(value: int) -> int:
    for _ in range(8):
        value, odd = value >> 1, value & 1
        value ^= 0xA001 * odd
    return value


_TABLE = [_entry(value) for value in range(256)]


def _bytes_swapped(value: int) -> int:
    high, low = divmod(value, 256)
    return low * 256 + high


CHECKS: dict[str, Callable[[bytes], int]] = {
    "standard": crc16,
    "standard_swapped": lambda segment: _bytes_swapped(crc16(segment)),
    "crc16_modbus": crc16_modbus,
    "crc16_modbus_swapped": lambda segment: _bytes_swapped(crc16_modbus(segment)),
}
"""By variant: what the four digits must be."""


def fits(variant: str, segment: bytes, digits: bytes, *, universal: bool = False) -> bool:
    """Whether the digits are those of the segment. variant: of CHECKS, any other takes all digits."""
    given = int(digits, 16)
    check = CHECKS.get(variant)
    return check is None or given == check(segment) or (universal and given == UNIVERSAL)


@dataclass(frozen=True, slots=True)
class Framed:
    """A segment between its marks. sound: its check digits fit."""

    segment: bytes
    digits: bytes
    sound: bool

    @property
    def data(self) -> bytes:
        """All bytes of the packet."""
        return b"##%04d%b%b\r\n" % (len(self.segment), self.segment, self.digits)


class PacketCutter:
    """Cuts a stream by the lengths; what is no packet costs one byte. sound: whether digits fit a segment.

    Holds at most one packet of max_segment bytes. discarded_bytes: of which no packet came.
    """

    def __init__(self, max_segment: int, sound: Callable[[bytes, bytes], bool]) -> None:
        self.discarded_bytes = 0
        self._max_segment = max_segment
        self._sound = sound
        self._held = b""

    def feed(self, data: bytes) -> Iterator[Framed]:
        """Packets that these bytes complete, those with wrong check digits among them."""
        stream = self._held + data
        at = 0
        while True:
            start = stream.find(b"#", at)
            start = len(stream) if start < 0 else start
            self.discarded_bytes += start - at
            at = start
            size = self._size(stream, at)
            if size is None:
                break
            framed = self._framed(stream[at : at + size]) if size else None
            if framed is not None:
                yield framed
            taken = framed is not None and framed.sound
            self.discarded_bytes += not taken
            at += size if taken else 1
        self._held = stream[at:]

    def _framed(self, data: bytes) -> Framed | None:
        segment, digits = data[HEAD:-6], data[-6:-2]
        if not DIGITS.fullmatch(digits):
            return None
        return Framed(segment, digits, self._sound(segment, digits))

    def _size(self, stream: bytes, at: int) -> int | None:
        """Bytes of the packet that begins there; 0: none does; None: more bytes must come to say so."""
        head = stream[at : at + HEAD]
        length = head[2:]
        if not b"##".startswith(head[:2]) or not LENGTH.fullmatch(length):
            return 0
        if len(head) < HEAD:
            return None
        size = int(length) + AROUND
        if size > self._max_segment + AROUND:
            return 0
        tail = stream[at + size - 2 : at + size]
        if not TAIL.startswith(tail):
            return 0
        return size if len(tail) == 2 else None


def header(segment: bytes) -> dict[str, str]:
    """Fields before CP, and those behind the area, without blanks around them; of two with one name the
    last.
    """
    before, _, rest = segment.partition(AREA)
    behind = rest[len(_area(rest)) :].removeprefix(END)
    return dict(_halves(part) for part in (before + behind).decode("latin-1").split(";") if part)


def items(segment: bytes) -> list[tuple[str, str]]:
    """Names and values of the area, without blanks around them."""
    area = _area(segment.partition(AREA)[2]).decode("utf-8", "replace")
    return [_halves(part) for part in re.split("[,;]", area) if part]


def _area(rest: bytes) -> bytes:
    """Up to the last &&; all of what has none. rest: of a segment behind CP=&&."""
    return rest[: rest.rindex(END)] if END in rest else rest


def _halves(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    return name.strip(" "), value.strip(" ")


def with_field(data: bytes, name: str, change: Callable[[str], str]) -> bytes:
    """A packet with another value of a field or item, and check digits to it; itself when it has none."""
    segment, digits = data[HEAD:-6], data[-6:-2]
    changed = re.sub(
        rb"(?<![^;&,])" + name.encode() + rb"=([^;,&]*)",
        lambda match: f"{name}={change(match[1].decode())}".encode(),
        segment,
        count=1,
    )
    if changed == segment:
        return data
    variant = next((each for each in CHECKS if fits(each, segment, digits)), "standard")
    return b"##%04d%b%04X\r\n" % (len(changed), changed, CHECKS[variant](changed))
