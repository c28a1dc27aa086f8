"""Packets in bytes: ##, length, segment, check digits, CR LF; one of them, or a stream of them. Pure.

A stream is cut by the length, never by CR LF or &&: an encrypted area holds any byte. What is no packet costs
one byte, after which the next ## is looked for; two would lose a packet behind an odd run of #.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from edge_agent.forwarding.hj212.packet import BadPacket, Packet
from edge_agent.forwarding.hj212.profile import Tolerance
from edge_agent.forwarding.hj212.segment import HEAD

MARK, TAIL = b"##", b"\r\n"
CRC, CRC_DIGITS = "CRC", 4
"""What a BadPacket calls the check digits, and how many there are."""
AROUND = HEAD + CRC_DIGITS + len(TAIL)
"""Bytes of a packet without its segment."""
MAX_LENGTH = 9999
HEX = frozenset(b"0123456789ABCDEFabcdef")

Open = Callable[[bytes, bytes], Packet]
"""What reads a segment with its check digits; it raises BadPacket."""


@dataclass(frozen=True)
class FrameRules:
    """max_segment: bytes, at most MAX_LENGTH. clause: of the packet's form."""

    max_segment: int
    tolerances: frozenset[Tolerance]
    clause: str

    def join(self, segment: bytes, crc: int) -> bytes:
        """The packet of a segment that is sent. BadPacket when it is too long."""
        if len(segment) > self.max_segment:
            rule = f"at most {self.max_segment} bytes"
            raise BadPacket("segment", None, str(len(segment)), rule, self.clause)
        return b"##%04d%b%04X\r\n" % (len(segment), segment, crc)

    def cut(self, data: bytes) -> tuple[bytes, bytes]:
        """Segment and check digits of one packet and nothing else. BadPacket says what is wrong."""
        size = len(data)
        if (
            size >= AROUND
            and data[:2] == MARK
            and data[2:6].isdigit()
            and int(data[2:6]) == size - AROUND <= self.max_segment
            and data[-2:] == TAIL
        ):
            digits = data[-6:-2]
            if HEX.issuperset(digits):
                return data[6:-6], digits
        return self._cut_exactly(data)

    def _cut_exactly(self, data: bytes) -> tuple[bytes, bytes]:
        size = len(data)
        if not data.startswith(MARK):
            raise BadPacket("head", 0, data[:2].decode("latin-1"), "##", self.clause)
        digits = data[2:6]
        if len(digits) < 4 or not digits.isdigit():
            raise BadPacket("length", 2, digits.decode("latin-1"), "4 decimal digits", self.clause)
        length = int(digits)
        if length > self.max_segment:
            raise BadPacket("length", 2, digits.decode(), f"at most {self.max_segment}", self.clause)
        if Tolerance.LENGTH_IN_CHARACTERS in self.tolerances and data.endswith(TAIL):
            length = self._length_of_characters(data[HEAD : -CRC_DIGITS - 2], length)
        end = HEAD + length + CRC_DIGITS
        tail = data[end : end + 2]
        if size < end or (tail != TAIL and not self._may_end(tail)):
            if size < end + 2:
                rule = f"followed by {length + AROUND} bytes in all, and there are {size}"
                raise BadPacket("length", 2, digits.decode(), rule, self.clause)
            raise BadPacket("tail", end, tail.hex(" ").upper(), "0D 0A after the length's bytes", self.clause)
        if size > end + len(tail):
            raise BadPacket(
                "packet", end + len(tail), str(size), f"{end + len(tail)} bytes long", self.clause
            )
        crc = data[end - CRC_DIGITS : end]
        if not HEX.issuperset(crc):
            given = crc.decode("latin-1")
            raise BadPacket(CRC, end - CRC_DIGITS, given, "4 hexadecimal digits", self.clause)
        return data[HEAD : end - CRC_DIGITS], crc

    def _may_end(self, tail: bytes) -> bool:
        return Tolerance.MISSING_TAIL in self.tolerances and TAIL.startswith(tail)

    def _length_of_characters(self, segment: bytes, length: int) -> int:
        """Bytes of a segment whose length counted characters; the length for any other."""
        text = segment.decode("utf-8", "replace")
        return len(segment) if len(text) == length and len(segment) <= self.max_segment else length


class PacketReader:
    """Cuts a stream into packets; holds at most one packet of the longest kind.

    What is framed like a packet and is none, as with wrong check digits, comes out as the BadPacket that says
    why. discarded_bytes: of which nothing came out.
    """

    def __init__(self, rules: FrameRules, open_segment: Open) -> None:
        self.discarded_bytes = 0
        self._rules = rules
        self._open = open_segment
        self._held = b""

    @property
    def pending(self) -> int:
        """Bytes held of a packet that is not complete yet, at most max_segment + AROUND."""
        return len(self._held)

    def feed(self, chunk: bytes) -> list[Packet | BadPacket]:
        """What is complete with these bytes. The same stream gives the same packets, however it is cut."""
        return self._read(self._held + chunk, ended=False)

    def give_up(self) -> list[Packet | BadPacket]:
        """What is in the held bytes when nothing more comes; nothing is held then."""
        return self._read(self._held, ended=True)

    def _read(self, data: bytes, *, ended: bool) -> list[Packet | BadPacket]:
        out: list[Packet | BadPacket] = []
        at = 0
        while True:
            start = data.find(MARK, at)
            if start < 0:
                start = len(data) - (not ended and data[at:].endswith(b"#"))
                self.discarded_bytes += start - at
                break
            self.discarded_bytes += start - at
            size = self._size(data, start, ended=ended)
            if size is None:
                break
            taken = self._taken(data[start : start + size], out) if size else 0
            self.discarded_bytes += not taken
            at = start + (taken or 1)
        self._held = data[start:]
        return out

    def _size(self, data: bytes, start: int, *, ended: bool) -> int | None:
        """Bytes of what begins there: 0 when it is no packet, None when that is still open."""
        incomplete = 0 if ended else None
        digits = data[start + 2 : start + HEAD]
        if digits and not digits.isdigit():
            return 0
        if len(digits) < HEAD - len(MARK):
            return incomplete
        if int(digits) > self._rules.max_segment:
            return 0
        end = start + HEAD + int(digits) + CRC_DIGITS
        if len(data) < end:
            return incomplete
        tail = data[end : end + len(TAIL)]
        if tail == TAIL:
            return end + len(TAIL) - start
        if TAIL.startswith(tail) and not ended:
            return None
        if Tolerance.LENGTH_IN_CHARACTERS in self._rules.tolerances:
            bound = start + self._rules.max_segment + AROUND
            found = data.find(TAIL, end, bound)
            if found >= 0:
                return found + len(TAIL) - start
            if len(data) < bound and not ended:
                return None
        return end - start if Tolerance.MISSING_TAIL in self._rules.tolerances else 0

    def _taken(self, candidate: bytes, out: list[Packet | BadPacket]) -> int:
        """Bytes that are done with; 0 for what only looked like a packet."""
        try:
            segment, digits = self._rules.cut(candidate)
        except BadPacket:
            return 0
        try:
            out.append(self._open(segment, digits))
        except BadPacket as error:
            if candidate.endswith(TAIL):
                out.append(error)
            return 0 if error.what == CRC else len(candidate)
        return len(candidate)
