"""TPKT and COTP class 0 (RFC 1006, ISO 8073) in both roles: what carries S7 PDUs over TCP. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.errors import BadFrame

VERSION = 3
HEAD = 4
LONGEST = 8192 + HEAD + 3  # the largest TPDU of class 0
REQUEST, CONFIRM, DISCONNECT, DATA = 0xE0, 0xD0, 0x80, 0xF0
DATA_HEAD = b"\x02\xf0\x80"
LAST = 0x80
SIZE, CALLING, CALLED = 0xC0, 0xC1, 0xC2
TPDU_1024 = 0x0A


@dataclass(frozen=True)
class Connect:
    """A COTP packet other than data. code: REQUEST, CONFIRM, DISCONNECT; TSAPs are None when not given."""

    code: int
    calling: int | None = None
    called: int | None = None


def tpkt(payload: bytes) -> bytes:
    return bytes((VERSION, 0)) + (HEAD + len(payload)).to_bytes(2, "big") + payload


def encode_connect(connect: Connect, *, destination: int = 0, source: int = 1) -> bytes:
    """A whole packet. destination, source: COTP references."""
    options = b""
    for code, tsap in ((CALLING, connect.calling), (CALLED, connect.called)):
        if tsap is not None:
            options += bytes((code, 2)) + tsap.to_bytes(2, "big")
    options += bytes((SIZE, 1, TPDU_1024))
    body = (
        bytes((connect.code,)) + destination.to_bytes(2, "big") + source.to_bytes(2, "big") + b"\0" + options
    )
    return tpkt(bytes((len(body),)) + body)


def encode_data(pdu: bytes) -> bytes:
    """A whole packet with one PDU."""
    return tpkt(DATA_HEAD + pdu)


class Decoder:
    """Bytes of a connection to packets. After BadFrame the connection is of no more use: nothing in the
    stream says where the next packet begins."""

    def __init__(self) -> None:
        self._held = b""
        self._parts = b""

    @property
    def pending(self) -> int:
        """Bytes of a packet or PDU that is not whole yet."""
        return len(self._held) + len(self._parts)

    def feed(self, data: bytes) -> list[bytes | Connect]:
        """PDUs and connection packets that became whole.

        Raises BadFrame when the stream is no TPKT (RFC 1006, section 6).
        """
        held = self._held + data
        packets: list[bytes | Connect] = []
        while len(held) >= HEAD:
            length = int.from_bytes(held[2:HEAD], "big")
            if held[0] != VERSION or not HEAD + 3 <= length <= LONGEST:
                self._held = b""
                raise BadFrame(f"no TPKT header: {held[:HEAD].hex(' ')}")
            if len(held) < length:
                break
            packet = self._packet(held[HEAD:length])
            held = held[length:]
            if packet is not None:
                packets.append(packet)
        self._held = held
        return packets

    def _packet(self, cotp: bytes) -> bytes | Connect | None:
        size = cotp[0] + 1
        if size < 3 or size > len(cotp):
            raise BadFrame(f"COTP header of {size} bytes in a packet of {len(cotp)}")
        if cotp[1] & 0xF0 != DATA:
            return _connect(cotp[:size])
        if len(self._parts) + len(cotp) > LONGEST:
            raise BadFrame(f"PDU of more than {LONGEST} bytes")
        self._parts += cotp[size:]
        if not cotp[2] & LAST:
            return None
        pdu, self._parts = self._parts, b""
        return pdu


def _connect(cotp: bytes) -> Connect:
    tsaps: dict[int, int] = {}
    at = 7
    while at + 2 <= len(cotp):
        code, size = cotp[at], cotp[at + 1]
        if at + 2 + size > len(cotp):
            raise BadFrame("COTP parameter longer than its packet")
        tsaps[code] = int.from_bytes(cotp[at + 2 : at + 2 + size], "big")
        at += 2 + size
    return Connect(cotp[1] & 0xF0, tsaps.get(CALLING), tsaps.get(CALLED))
