"""The same bytes read as every data type in every byte order, beside a value that somebody expects. Pure."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from math import isclose, isfinite

FORMATS = {"int16": "h", "uint16": "H", "int32": "i", "uint32": "I", "float": "f",
           "int64": "q", "uint64": "Q", "double": "d"}  # fmt: skip
ORDERS = ("ABCD", "CDAB", "BADC", "DCBA")
REGISTER_ORDERS = {"ABCD": "AB", "DCBA": "BA"}
RATIOS = (1.0, 0.1, 0.01, 0.001, 0.0001, 10.0, 100.0, 1000.0)
"""Scales that makers use; the plainest first."""

TEXT_ORDERS = {"AB": "ABCD", "BA": "BADC"}
TOLERANCE = 0.005  # of an expected value: it was read from a display a moment ago


@dataclass(frozen=True)
class Interpretation:
    """at: byte offset. ratio: with which the value is the expected one; None when it is not."""

    at: int
    data_type: str
    order: str
    value: float | int
    ratio: float | None = None


def interpretations(data: bytes, expected: float | None = None) -> list[Interpretation]:
    """Every reading that fits into data at every second byte; the ones that meet expected come first.

    Readings that are no finite number are left out.
    """
    candidates = []
    for at in range(0, len(data) - 1, 2):
        for data_type, code in FORMATS.items():
            size = struct.calcsize(f">{code}")
            part = data[at : at + size]
            if len(part) < size:
                continue
            for order in REGISTER_ORDERS if size == 2 else ORDERS:
                (value,) = struct.unpack(f">{code}", in_order(part, order))
                if isfinite(value):
                    named = REGISTER_ORDERS.get(order, order) if size == 2 else order
                    candidates.append(Interpretation(at, data_type, named, value, ratio_to(value, expected)))
    if expected is not None:
        candidates.sort(
            key=lambda one: (one.ratio is None, RATIOS.index(one.ratio) if one.ratio else 0, one.at)
        )
    return candidates


def texts(data: bytes) -> dict[str, str]:
    """The bytes as ASCII, as they lie and with each two swapped; a dot for what cannot be printed."""
    even = data[: len(data) // 2 * 2]
    return {
        name: "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in in_order(even, order))
        for name, order in TEXT_ORDERS.items()
    }


def in_order(data: bytes, order: str) -> bytes:
    """Bytes as they lie to most significant first; order says what lies where, A is the most significant."""
    if order in ("BADC", "DCBA"):
        swapped = bytearray(data)
        swapped[0::2], swapped[1::2] = data[1::2], data[0::2]
        data = bytes(swapped)
    if order in ("CDAB", "DCBA"):
        data = b"".join(data[at : at + 2] for at in range(len(data) - 2, -1, -2))
    return data


def ratio_to(value: float, expected: float | None) -> float | None:
    """The plainest scale with which value is the expected one."""
    if expected is None:
        return None
    if expected == 0:
        return 1.0 if value == 0 else None
    return next((ratio for ratio in RATIOS if isclose(value * ratio, expected, rel_tol=TOLERANCE)), None)
