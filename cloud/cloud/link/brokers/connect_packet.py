"""MQTT 3.1.1 CONNECT: what the embedded broker's door reads before anything else happens. Pure."""

from __future__ import annotations

import struct
from dataclasses import dataclass

MAX_CONNECT_BYTES = 64 * 1024
"""A will of the contract has some hundred bytes; the name and password have less. Many unidentified ones may
send one at a time."""

_CLEAN_SESSION = 0x02
_WILL = 0x04
_WILL_RETAIN = 0x20
_PASSWORD = 0x40
_USERNAME = 0x80


class ConnectError(Exception):
    """The bytes are no CONNECT packet of MQTT 3.1.1. level: True when only the protocol level is wrong."""

    def __init__(self, rule: str, level: bool = False) -> None:
        super().__init__(rule)
        self.level = level


@dataclass(frozen=True)
class ConnectPacket:
    """Fields of a CONNECT; flags_at: position of the flags within the packet's body."""

    client_id: str
    username: str | None
    password: str | None
    will_topic: str | None
    will_retain: bool
    keepalive_s: int
    flags_at: int


def parse(body: bytes) -> ConnectPacket:
    """Read variable header and payload; ConnectError names what is wrong."""
    reader = _Reader(body)
    if reader.text("protocol name") != "MQTT":
        raise ConnectError("protocol name: must be MQTT")
    level, flags = reader.take(2, "level and flags")
    flags_at = reader.position - 1
    if level != 4:
        raise ConnectError("protocol level: must be 4 (MQTT 3.1.1)", level=True)
    if flags & 0x01:
        raise ConnectError("flags: the reserved bit must be zero")
    (keepalive_s,) = struct.unpack(">H", reader.take(2, "keep-alive"))
    client_id = reader.text("client id")
    will_topic = None
    if flags & _WILL:
        will_topic = reader.text("will topic")
        reader.block("will message")
    username = reader.text("user name") if flags & _USERNAME else None
    password = reader.text("password") if flags & _PASSWORD else None
    if reader.position != len(body):
        raise ConnectError("packet: must end after its last field")
    return ConnectPacket(
        client_id, username, password, will_topic, bool(flags & _WILL_RETAIN), keepalive_s, flags_at
    )


def with_clean_session(body: bytes, packet: ConnectPacket) -> bytes:
    """The same packet, asking for a session that ends with its connection."""
    changed = bytearray(body)
    changed[packet.flags_at] |= _CLEAN_SESSION
    return bytes(changed)


class _Reader:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self.position = 0

    def take(self, size: int, name: str) -> bytes:
        """The next bytes; ConnectError names the field when there are not so many."""
        part = self._body[self.position : self.position + size]
        if len(part) != size:
            raise ConnectError(f"{name}: cut off")
        self.position += size
        return part

    def block(self, name: str) -> bytes:
        (size,) = struct.unpack(">H", self.take(2, name))
        return self.take(size, name)

    def text(self, name: str) -> str:
        """The next text; ConnectError names the field when it is cut off or no UTF-8."""
        try:
            return self.block(name).decode()
        except UnicodeDecodeError:
            raise ConnectError(f"{name}: must be UTF-8") from None
