"""What a fault must know of PPI telegrams. Pure."""

from __future__ import annotations

from firmware_sim.behaviours.framing import Framing, flipped

START, HEAD_BYTES = 0x68, 4


def _is_data(frame: bytes) -> bool:
    return len(frame) > HEAD_BYTES + 4 and frame[0] == START


def _spoiled(frame: bytes) -> bytes:
    return flipped(frame, -2) if _is_data(frame) else frame


def _moved(frame: bytes) -> bytes:
    """SD2 frame: LE, LEr, SD2 again, DA, SA; the sum begins at DA."""
    if not _is_data(frame):
        return frame
    changed = bytearray(frame)
    changed[HEAD_BYTES + 1] = changed[HEAD_BYTES + 1] % 126 + 1
    changed[-2] = sum(changed[HEAD_BYTES:-2]) & 0xFF
    return bytes(changed)


FRAMING = Framing("PPI", True, _spoiled, _moved)
