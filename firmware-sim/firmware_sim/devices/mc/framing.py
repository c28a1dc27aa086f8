"""What a fault must know of MC frames. Pure."""

from __future__ import annotations

from firmware_sim.behaviours.framing import Framing


def _moved_3e(frame: bytes) -> bytes:
    """Answer D0 00, network, PC, ...: the network number, in binary or as two digits."""
    if frame[:4] == b"D000":
        return frame[:4] + b"%02X" % (int(frame[4:6], 16) + 1 & 0xFF) + frame[6:]
    return frame[:2] + bytes((frame[2] + 1 & 0xFF,)) + frame[3:]


FRAMING_1E = Framing("MC 1E", serial=False)
FRAMING_3E = Framing("MC 3E", serial=False, moved=_moved_3e)
