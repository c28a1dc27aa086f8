"""PPI telegrams in both roles: what carries S7 PDUs over the serial line of an S7-200. Pure.

SD2 carries a PDU, SD1 polls for an answer, E5 acknowledges; SD4 (a token between masters) is skipped.
"""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.protocols.line_decoder import LineDecoder

SD1, SD2, SD4, SHORT, END = 0x10, 0x68, 0xDC, 0xE5, 0x16
REQUEST = 0x6C  # send and request, not counted
POLLS = (0x5C, 0x7C)  # the two counted requests, in turn
ANSWER = 0x08
LONGEST_PDU = 246  # the length byte is at most 249, three of it are addresses and control
LONGEST = LONGEST_PDU + 9
SD1_SIZE, SD4_SIZE = 6, 3


@dataclass(frozen=True)
class Telegram:
    """To and from which station. pdu: empty in a poll."""

    to: int
    by: int
    control: int
    pdu: bytes = b""


ACKNOWLEDGE = Telegram(-1, -1, SHORT)
"""E5 has no address."""


def encode(telegram: Telegram) -> bytes:
    """Wire bytes of a telegram. Raises ValueError for a PDU that is longer than one holds."""
    if telegram == ACKNOWLEDGE:
        return bytes((SHORT,))
    body = bytes((telegram.to, telegram.by, telegram.control)) + telegram.pdu
    tail = bytes((sum(body) & 0xFF, END))
    if not telegram.pdu:
        return bytes((SD1,)) + body + tail
    if len(telegram.pdu) > LONGEST_PDU:
        raise ValueError(f"a PPI telegram holds at most {LONGEST_PDU} bytes, {len(telegram.pdu)} were given")
    return bytes((SD2, len(body), len(body), SD2)) + body + tail


class Decoder(LineDecoder):
    """Bytes of the line to telegrams; what is none is skipped byte by byte."""

    def feed(self, data: bytes) -> list[Telegram]:
        held = self._held + data
        telegrams: list[Telegram] = []
        at = 0
        while at < len(held):
            size = _size(held[at : at + 4])
            if size > len(held) - at:
                break
            telegram = self._telegram(held[at : at + size]) if size else None
            if telegram is not None:
                telegrams.append(telegram)
            elif not size or held[at] != SD4:
                self.discarded_bytes += 1
                size = 1
            at += size
        self._held = held[at:]
        return telegrams

    def give_up(self) -> list[Telegram]:
        """The line is silent: what looked like a beginning is none; what hides behind it."""
        telegrams: list[Telegram] = []
        while self._held:
            held, self._held = self._held[1:], b""
            self.discarded_bytes += 1
            telegrams += self.feed(held)
        return telegrams

    def _telegram(self, raw: bytes) -> Telegram | None:
        if raw[0] == SHORT:
            return ACKNOWLEDGE
        if raw[0] == SD4:
            return None
        body = raw[1:-2] if raw[0] == SD1 else raw[4:-2]
        if raw[-1] != END:
            return None
        if sum(body) & 0xFF != raw[-2]:
            self.checksum_errors += 1
            return None
        return Telegram(body[0], body[1], body[2], body[3:])


def _size(head: bytes) -> int:
    """Bytes of the telegram that begins so, at least as many as are needed to tell; 0 when none does."""
    if head[0] == SHORT:
        return 1
    if head[0] == SD1:
        return SD1_SIZE
    if head[0] == SD4:
        return SD4_SIZE
    if head[0] != SD2:
        return 0
    if len(head) < 4:
        begins = len(head) < 3 or head[1] == head[2]
        return 4 if begins else 0
    if head[1] != head[2] or head[3] != SD2 or not 4 <= head[1] <= LONGEST_PDU + 3:
        return 0
    return head[1] + 6
