"""What a fault must know of frames of DL/T 645. Pure."""

from __future__ import annotations

from firmware_sim.behaviours.framing import Framing, flipped

START = 0x68


def _moved(frame: bytes) -> bytes:
    start = frame.index(START)
    changed = bytearray(frame)
    changed[start + 1] = (changed[start + 1] & 0xF0) | ((changed[start + 1] & 0x0F) + 1) % 10
    changed[-2] = sum(changed[start:-2]) & 0xFF
    return bytes(changed)


FRAMING = Framing("DL/T 645", True, lambda frame: flipped(frame, -2), _moved)
