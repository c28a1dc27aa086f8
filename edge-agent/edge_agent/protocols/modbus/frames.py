"""Modbus frames: request PDUs, the checksum, and what surrounds a PDU on TCP and on a serial line. Pure.

A PDU is the function code and its data, without unit, transaction number and checksum.
"""

from __future__ import annotations

import struct

READ_BITS, READ_REGISTERS = (1, 2), (3, 4)
WRITE_COIL, WRITE_REGISTER, WRITE_COILS, WRITE_REGISTERS = 5, 6, 15, 16
REPORT_ID, DEVICE_IDENTIFICATION = 0x11, 0x2B
COIL_ON = 0xFF00
EXCEPTION = 0x80

REQUEST = struct.Struct(">BHH")
"""Function, address, count or value; also what a device confirms a write with."""

MBAP = struct.Struct(">HHHB")
"""Transaction, protocol 0, length of what follows this field, unit."""

SHORTEST, LONGEST = 2, 254
"""Of the length field: the unit and a PDU of 1 to 253 bytes."""

SHORTEST_RTU = 4
"""Bytes of a frame on a serial line: unit, function, checksum."""

WRITE_BYTES = 8  # RTU frame of a write's confirmation, and of every request that carries no list
EXCEPTION_BYTES = 5


def read_request(function: int, start: int, count: int) -> bytes:
    return REQUEST.pack(function, start, count)


def write_coil(start: int, on: bool) -> bytes:
    return REQUEST.pack(WRITE_COIL, start, COIL_ON if on else 0)


def write_register(start: int, register: bytes) -> bytes:
    return REQUEST.pack(WRITE_REGISTER, start, int.from_bytes(register, "big"))


def write_coils(start: int, count: int, packed: bytes) -> bytes:
    """packed: the first coil in the lowest bit of the first byte."""
    return REQUEST.pack(WRITE_COILS, start, count) + bytes((len(packed),)) + packed


def write_registers(start: int, data: bytes) -> bytes:
    return REQUEST.pack(WRITE_REGISTERS, start, len(data) // 2) + bytes((len(data),)) + data


def mbap(transaction: int, unit: int, pdu: bytes) -> bytes:
    """A frame for TCP."""
    return MBAP.pack(transaction, 0, len(pdu) + 1, unit) + pdu


def rtu(unit: int, pdu: bytes) -> bytes:
    """A frame for a serial line."""
    body = bytes((unit,)) + pdu
    return body + crc(body)


def _crc_table() -> tuple[int, ...]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
        table.append(value)
    return tuple(table)


_CRC = _crc_table()


def crc(data: bytes) -> bytes:
    """CRC-16 of a serial line, low byte first as it is sent."""
    value = 0xFFFF
    for byte in data:
        value = value >> 8 ^ _CRC[(value ^ byte) & 0xFF]
    return value.to_bytes(2, "little")


def shortest_sound(data: bytes) -> int:
    """Bytes of the shortest RTU frame with a right checksum that data begins with; 0 when there is none.

    A frame's checksum, itself included, is 0: one pass finds it.
    """
    value = 0xFFFF
    for size, byte in enumerate(data, 1):
        value = value >> 8 ^ _CRC[(value ^ byte) & 0xFF]
        if not value and size >= SHORTEST_RTU:
            return size
    return 0


def answer_size(head: bytes, at: int = 0) -> int:
    """Bytes of the RTU answer that begins at `at`; 0 while that is not known, -1 when none begins there."""
    if len(head) < at + 3:
        return 0
    function, count = head[at + 1 : at + 3]
    if function & EXCEPTION:
        return EXCEPTION_BYTES if function & ~EXCEPTION in ANSWERED else -1
    if function == REPORT_ID:
        return count + 5
    if function in (*READ_BITS, *READ_REGISTERS):
        odd = function in READ_REGISTERS and count % 2
        return -1 if not count or odd or count > 250 else count + 5
    return WRITE_BYTES if function in ANSWERED else -1


ANSWERED = frozenset(
    (*READ_BITS, *READ_REGISTERS, WRITE_COIL, WRITE_REGISTER, WRITE_COILS, WRITE_REGISTERS, REPORT_ID)
)
"""Functions that this package asks for on a serial line."""


def expected_size(request: bytes) -> int:
    """Bytes of the RTU answer to a request's RTU frame; 0 when the answer itself says it."""
    function, count = request[1], int.from_bytes(request[4:6], "big")
    if function == REPORT_ID:
        return 0
    if function in READ_BITS:
        return 5 + (count + 7) // 8
    return 5 + 2 * count if function in READ_REGISTERS else WRITE_BYTES
