"""What a fault must know of a protocol's frames: where checksum and address stand. Pure.

An answer that has no such part (a single ACK byte, a refusal) is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from firmware_sim.devices.modbus_codec import crc

Change = Callable[[bytes], bytes]

DLT_START, DLT_ADDRESS_BYTES = 0x68, 6
PPI_START, PPI_HEAD = 0x68, 4
STX, ETX = 0x02, 0x03


@dataclass(frozen=True, slots=True)
class Framing:
    """spoiled: the frame with a wrong checksum. moved: the frame, sound, from another address.

    serial: bytes may be lost, added and heard back; TCP keeps them whole.
    """

    title: str
    serial: bool
    spoiled: Change | None = None
    moved: Change | None = None


def _flipped(frame: bytes, at: int) -> bytes:
    """One byte of the frame with all bits turned."""
    changed = bytearray(frame)
    changed[at] ^= 0xFF
    return bytes(changed)


def _next(byte: int) -> int:
    """Another slave's number."""
    return byte % 247 + 1


def _rtu_moved(frame: bytes) -> bytes:
    body = bytes((_next(frame[0]),)) + frame[1:-2]
    return body + crc(body)


def _mbap_moved(frame: bytes) -> bytes:
    return frame[:6] + bytes((_next(frame[6]),)) + frame[7:]


def _dlt_moved(frame: bytes) -> bytes:
    start = frame.index(DLT_START)
    changed = bytearray(frame)
    changed[start + 1] = (changed[start + 1] & 0xF0) | ((changed[start + 1] & 0x0F) + 1) % 10
    changed[-2] = sum(changed[start:-2]) & 0xFF
    return bytes(changed)


def _is_ppi_data(frame: bytes) -> bool:
    return len(frame) > PPI_HEAD + 4 and frame[0] == PPI_START


def _ppi_spoiled(frame: bytes) -> bytes:
    return _flipped(frame, -2) if _is_ppi_data(frame) else frame


def _ppi_moved(frame: bytes) -> bytes:
    """SD2 frame: LE, LEr, SD2 again, DA, SA; the sum begins at DA."""
    if not _is_ppi_data(frame):
        return frame
    changed = bytearray(frame)
    changed[PPI_HEAD + 1] = changed[PPI_HEAD + 1] % 126 + 1
    changed[-2] = sum(changed[PPI_HEAD:-2]) & 0xFF
    return bytes(changed)


def _fx_spoiled(frame: bytes) -> bytes:
    """The sum is two hexadecimal digits behind ETX."""
    if len(frame) < 4 or frame[0] != STX or frame[-3] != ETX:
        return frame
    digit = b"1" if frame[-1:] == b"0" else b"0"
    return frame[:-1] + digit


def _mc_3e_moved(frame: bytes) -> bytes:
    """Answer D0 00, network, PC, ...: the network number, in binary or as two digits."""
    if frame[:4] == b"D000":
        return frame[:4] + b"%02X" % (int(frame[4:6], 16) + 1 & 0xFF) + frame[6:]
    return frame[:2] + bytes((frame[2] + 1 & 0xFF,)) + frame[3:]


FRAMINGS = {
    "modbus_tcp": Framing("Modbus TCP", serial=False, moved=_mbap_moved),
    "modbus_rtu": Framing("Modbus RTU", True, lambda frame: _flipped(frame, -1), _rtu_moved),
    "dlt645": Framing("DL/T 645", True, lambda frame: _flipped(frame, -2), _dlt_moved),
    "s7": Framing("S7", serial=False),
    "ppi": Framing("PPI", True, _ppi_spoiled, _ppi_moved),
    "fx": Framing("the FX programming port", True, _fx_spoiled),
    "mc_1e": Framing("MC 1E", serial=False),
    "mc_3e": Framing("MC 3E", serial=False, moved=_mc_3e_moved),
}
"""By what a line carries."""
