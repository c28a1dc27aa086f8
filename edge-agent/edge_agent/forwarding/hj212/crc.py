"""Check digits of a data segment. Pure.

HJ 212 (annex A) puts each byte on the high byte of the register and drops the low one, so that eight bits are
carried on. The step of those eight bits is linear over XOR, and eight steps are the identity: bytes whose
distance is a multiple of 8 may be added (XOR) first. A packet is folded to 8 bytes by shifts of one large
integer; each of them has a table.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

POLYNOMIAL = 0xA001
START = 0xFFFF
UNIVERSAL = 0xA55A
"""A value that some platforms send and take in place of any check digits."""


class CrcVariant(StrEnum):
    """Rule for the check digits. Only STANDARD is in the standard; the others are habits of platforms."""

    STANDARD = "standard"
    STANDARD_SWAPPED = "standard_swapped"
    MODBUS = "crc16_modbus"
    MODBUS_SWAPPED = "crc16_modbus_swapped"
    UNCHECKED = "unchecked"


def _entry(byte: int) -> int:
    for _ in range(8):
        byte = (byte >> 1) ^ POLYNOMIAL if byte & 1 else byte >> 1
    return byte


_TABLE = tuple(map(_entry, range(256)))


def _tables_by_distance() -> list[tuple[int, ...]]:
    """For the distances 0 to 7 from the last byte: what a byte there contributes to the result."""
    carried, tables = list(range(256)), []
    for _ in range(8):
        tables.append(tuple(_TABLE[byte] for byte in carried))
        carried = [_TABLE[byte] >> 8 for byte in carried]
    return tables


_T0, _T1, _T2, _T3, _T4, _T5, _T6, _T7 = _tables_by_distance()


def standard(data: bytes) -> int:
    """CRC of HJ 212, 0 to FFFFh: the same rule in 2005, 2017 and 2025."""
    size = len(data)
    if not size:
        return START
    folded = int.from_bytes(data, "big") ^ (0xFF << (8 * size - 8))
    shift = 64 << (((size - 1) >> 3).bit_length())
    while shift > 64:
        shift >>= 1
        folded ^= folded >> shift
    b7, b6, b5, b4, b3, b2, b1, b0 = (folded & 0xFFFF_FFFF_FFFF_FFFF).to_bytes(8, "big")
    return _T0[b0] ^ _T1[b1] ^ _T2[b2] ^ _T3[b3] ^ _T4[b4] ^ _T5[b5] ^ _T6[b6] ^ _T7[b7]


def modbus(data: bytes) -> int:
    """CRC of Modbus RTU, which some platforms take for the standard's."""
    register = START
    for byte in data:
        register = (register >> 8) ^ _TABLE[(register ^ byte) & 0xFF]
    return register


def swapped(value: int) -> int:
    """The two bytes of a CRC in the other order."""
    return value >> 8 | (value & 0xFF) << 8


CRCS: dict[CrcVariant, Callable[[bytes], int]] = {
    CrcVariant.STANDARD: standard,
    CrcVariant.STANDARD_SWAPPED: lambda data: swapped(standard(data)),
    CrcVariant.MODBUS: modbus,
    CrcVariant.MODBUS_SWAPPED: lambda data: swapped(modbus(data)),
    CrcVariant.UNCHECKED: standard,
}
"""What each variant sends; UNCHECKED sends the standard's and takes any."""


def fitting(data: bytes, given: int) -> CrcVariant | None:
    """The first variant whose check digits of data are `given`; None when none fits."""
    return next((variant for variant, crc in CRCS.items() if crc(data) == given), None)
