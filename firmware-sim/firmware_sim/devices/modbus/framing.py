"""What a fault must know of Modbus frames. Pure."""

from __future__ import annotations

from firmware_sim.behaviours.framing import Framing, flipped
from firmware_sim.devices.modbus.codec import crc


def _next(unit: int) -> int:
    """Another slave's number."""
    return unit % 247 + 1


def _rtu_moved(frame: bytes) -> bytes:
    body = bytes((_next(frame[0]),)) + frame[1:-2]
    return body + crc(body)


def _mbap_moved(frame: bytes) -> bytes:
    return frame[:6] + bytes((_next(frame[6]),)) + frame[7:]


TCP = Framing("Modbus TCP", serial=False, moved=_mbap_moved)
RTU = Framing("Modbus RTU", True, lambda frame: flipped(frame, -1), _rtu_moved)
