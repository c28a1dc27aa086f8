"""Numbers between the process and a device's memory: into bytes, and back to what was meant. Pure."""

from __future__ import annotations

import struct
from math import isfinite


def clamped(code: str, raw: float) -> bytes:
    """Big-endian bytes by a letter of struct; what an integer type cannot hold is held at the type's end."""
    if code in "fd":
        return struct.pack(">" + code, raw)
    bits = struct.calcsize(">" + code) * 8
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if code.islower() else (0, (1 << bits) - 1)
    number = round(raw) if isfinite(raw) else 0
    return struct.pack(">" + code, min(max(number, low), high))


def engineering(raw: float, scale: float, kind: str) -> float:
    """raw times scale, to the digits that the type holds."""
    value = raw * scale
    # 1.6 in four bytes is 1.60000002, which a limit of 1.6 must not refuse.
    return float(f"{value:.7g}") if kind == "float" else float(f"{value:.15g}")
