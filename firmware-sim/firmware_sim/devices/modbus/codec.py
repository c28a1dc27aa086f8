"""Frames of Modbus, the slave's side: RTU and MBAP, bits to bytes. Pure.

Written from the protocol's specification and not from the agent's client library, so that the two check
each other.
"""

from __future__ import annotations

MBAP = 7  # transaction, protocol 0, length, unit
LONGEST_PDU = 253
LONGEST_RTU = 256
MAX_REGISTERS, MAX_BITS = 125, 2000
MAX_WRITTEN_REGISTERS, MAX_WRITTEN_BITS = 123, 1968

ILLEGAL_FUNCTION, ILLEGAL_ADDRESS, ILLEGAL_VALUE = 1, 2, 3

_TO_DIGITS = bytes([0x30, *[0x31] * 255])


def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
        table.append(value)
    return tuple(table)


_CRC = _crc_table()


def crc(data: bytes) -> bytes:
    """CRC-16 of the serial line, low byte first as it is sent."""
    value = 0xFFFF
    for byte in data:
        value = value >> 8 ^ _CRC[(value ^ byte) & 0xFF]
    return value.to_bytes(2, "little")


def rtu(unit: int, pdu: bytes) -> bytes:
    """A frame for the serial line."""
    body = bytes((unit,)) + pdu
    return body + crc(body)


def mbap(transaction: bytes, unit: int, pdu: bytes) -> bytes:
    """A frame for TCP. transaction: the request's two bytes."""
    return transaction + b"\0\0" + (len(pdu) + 1).to_bytes(2, "big") + bytes((unit,)) + pdu


def exception(function: int, code: int) -> bytes:
    """PDU of a refusal."""
    return bytes((function | 0x80, code))


def request_length(head: bytes) -> int | None:
    """Bytes of the RTU request that starts so, checksum included; None while that cannot be told.

    0: a function whose requests have no known length; it ends where the line falls silent.
    """
    if len(head) < 2:
        return None
    if head[1] in (1, 2, 3, 4, 5, 6):
        return 8
    if head[1] in (15, 16):
        return 9 + head[6] if len(head) > 6 else None
    return 0


def pack_bits(bits: bytes) -> bytes:
    """Bytes 0 or 1, one a bit, to packed bits, the first one lowest."""
    size = (len(bits) + 7) // 8
    return int(bits[::-1].translate(_TO_DIGITS), 2).to_bytes(size, "little")


def unpack_bits(data: bytes, count: int) -> bytes:
    """Packed bits to bytes 0 or 1."""
    packed = int.from_bytes(data, "little")
    return bytes(packed >> at & 1 for at in range(count))


class RtuRequests:
    """Bytes of a serial line to requests: unit and PDU. The caller says when the line was silent."""

    def __init__(self) -> None:
        self.checksum_errors = 0
        self._held = b""

    @property
    def pending(self) -> bool:
        return bool(self._held)

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Requests that are whole and sound; they need not wait for silence."""
        self._held += data
        requests = []
        while True:
            length = request_length(self._held)
            if not length or len(self._held) < length:
                break
            frame = self._held[:length]
            if crc(frame[:-2]) != frame[-2:]:
                break  # noise in front or a damaged request: silence decides
            requests.append((frame[0], frame[1:-2]))
            self._held = self._held[length:]
        if len(self._held) > LONGEST_RTU:
            self._held = b""
            self.checksum_errors += 1
        return requests

    def silence(self) -> list[tuple[int, bytes]]:
        """The line fell silent: what is held is one whole request of another function, or nothing."""
        frame, self._held = self._held, b""
        if len(frame) >= 4 and crc(frame[:-2]) == frame[-2:]:
            return [(frame[0], frame[1:-2])]
        if frame:
            self.checksum_errors += 1
        return []
