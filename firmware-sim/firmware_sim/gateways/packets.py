"""MQTT 3.1.1 packets of a gateway that publishes at QoS 1: bytes made and bytes taken apart. Pure."""

from __future__ import annotations

import struct
from dataclasses import dataclass

CONNACK, PUBLISH, PUBACK, SUBACK, PINGRESP = 2, 3, 4, 9, 13
PINGREQ = b"\xc0\x00"
DISCONNECT = b"\xe0\x00"
_QOS_1 = 0x02
_RETAIN = 0x01


class PacketError(Exception):
    """What a broker never sends."""


@dataclass(frozen=True)
class Will:
    """What the broker publishes, retained, when the connection breaks."""

    topic: str
    payload: bytes


def connect(client_id: str, password: str, will: Will, keepalive_s: int) -> bytes:
    """CONNECT with a clean session; the user name is the client id."""
    flags = 0x80 | 0x40 | 0x20 | 0x08 | 0x04 | 0x02  # user, password, will retained at QoS 1, clean session
    fields = (client_id.encode(), will.topic.encode(), will.payload, client_id.encode(), password.encode())
    head = _text(b"MQTT") + struct.pack(">BBH", 4, flags, keepalive_s)
    return _packet(0x10, head + b"".join(map(_text, fields)))


def subscribe(packet_id: int, topic_filter: str) -> bytes:
    """SUBSCRIBE at QoS 1."""
    return _packet(0x82, struct.pack(">H", packet_id) + _text(topic_filter.encode()) + b"\x01")


def publish(topic: bytes, packet_id: int, payload: bytes, *, retain: bool = False) -> bytes:
    """PUBLISH at QoS 1."""
    first = PUBLISH << 4 | _QOS_1 | (_RETAIN if retain else 0)
    return _packet(first, _text(topic) + packet_id.to_bytes(2, "big") + payload)


def puback(packet_id: int) -> bytes:
    """The answer to a PUBLISH at QoS 1."""
    return struct.pack(">BBH", PUBACK << 4, 2, packet_id)


def split(data: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """(first byte, body) of each whole packet, and what is left. Raises PacketError on a wrong length."""
    packets: list[tuple[int, bytes]] = []
    at, end = 0, len(data)
    while end - at >= 2:
        size, shift, start = 0, 0, at + 1
        while start < end:
            byte = data[start]
            start += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
            if shift > 21:
                raise PacketError("remaining length: at most four bytes")
        else:
            break
        if start + size > end:
            break
        packets.append((data[at], data[start : start + size]))
        at = start + size
    return packets, data[at:]


def message(first: int, body: bytes) -> tuple[bytes, int, bytes]:
    """Topic, packet id (0 at QoS 0) and payload of a PUBLISH. Raises PacketError when it is cut."""
    if len(body) < 2:
        raise PacketError("topic: cut")
    at = 2 + int.from_bytes(body[:2], "big")
    topic = body[2:at]
    if not first & 0x06:
        return topic, 0, body[at:]
    if len(body) < at + 2:
        raise PacketError("packet id: missing")
    return topic, int.from_bytes(body[at : at + 2], "big"), body[at + 2 :]


def _text(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


def _packet(first: int, body: bytes) -> bytes:
    size = len(body)
    if size < 0x80:
        return bytes((first, size)) + body
    if size < 0x4000:
        return bytes((first, size & 0x7F | 0x80, size >> 7)) + body
    length = bytearray()
    while True:
        size, low = size >> 7, size & 0x7F
        length.append(low | (0x80 if size else 0))
        if not size:
            return bytes((first,)) + bytes(length) + body
