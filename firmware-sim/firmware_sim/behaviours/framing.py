"""What a fault must know of a protocol's frames: where checksum and address stand. Pure.

An answer that has no such part (a single ACK byte, a refusal) is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

Change = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class Framing:
    """spoiled: the frame with a wrong checksum. moved: the frame, sound, from another address.

    serial: bytes may be lost, added and heard back; TCP keeps them whole.
    """

    title: str
    serial: bool
    spoiled: Change | None = None
    moved: Change | None = None


def flipped(frame: bytes, at: int) -> bytes:
    """One byte of the frame with all bits turned."""
    changed = bytearray(frame)
    changed[at] ^= 0xFF
    return bytes(changed)
