"""What a fault must know of frames of the FX programming port. Pure."""

from __future__ import annotations

from firmware_sim.behaviours.framing import Framing

STX, ETX = 0x02, 0x03


def _spoiled(frame: bytes) -> bytes:
    """The sum is two hexadecimal digits behind ETX."""
    if len(frame) < 4 or frame[0] != STX or frame[-3] != ETX:
        return frame
    digit = b"1" if frame[-1:] == b"0" else b"0"
    return frame[:-1] + digit


FRAMING = Framing("the FX programming port", True, _spoiled)
