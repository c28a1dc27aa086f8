"""Bytes of packets that parameters name as text or hexadecimal digits. Pure."""

from __future__ import annotations

from typing import Literal

PacketFormat = Literal["text", "hex"]
MAX_PACKET = 200
"""Characters of a packet in a document."""


def packet_bytes(content: str, form: PacketFormat) -> bytes:
    """The bytes of a packet; blanks between hexadecimal digits do not count. ValueError names the rule."""
    if form == "text":
        return content.encode()
    try:
        return bytes.fromhex(content)
    except ValueError:
        raise ValueError("must be pairs of hexadecimal digits, such as 01 A0") from None
