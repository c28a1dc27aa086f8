"""MQTT 3.1.1 packets of a client that speaks QoS 1: bytes made and headers taken apart. Pure."""

from __future__ import annotations

from collections.abc import Sequence

CONNACK, PUBLISH, PUBACK, SUBACK, PINGRESP = 2, 3, 4, 9, 13
PINGREQ = b"\xc0\x00"
DISCONNECT = b"\xe0\x00"
QOS = 0x06
RETAIN = 0x01
GRANTED = 0x02
"""The highest return code of a SUBACK that is no refusal."""

REFUSALS = {
    1: "unacceptable protocol version",
    2: "identifier rejected",
    3: "server unavailable",
    4: "bad user name or password",
    5: "not authorised",
}


class PacketError(Exception):
    """Bytes that no broker sends; the text names field and rule."""


def connect(client_id: str, username: str, password: str, keepalive_s: int) -> bytes:
    """CONNECT with a clean session and no will."""
    head = _text(b"MQTT") + bytes((4, 0x80 | 0x40 | 0x02)) + keepalive_s.to_bytes(2, "big")
    return packet(0x10, head + b"".join(_text(text.encode()) for text in (client_id, username, password)))


def subscribe(packet_id: int, filters: Sequence[str]) -> bytes:
    """SUBSCRIBE to all at QoS 1."""
    wanted = b"".join(_text(item.encode()) + b"\x01" for item in filters)
    return packet(0x82, packet_id.to_bytes(2, "big") + wanted)


def publish(topic: str, packet_id: int, payload: bytes) -> bytes:
    """PUBLISH at QoS 1, not retained."""
    return packet(0x32, _text(topic.encode()) + packet_id.to_bytes(2, "big") + payload)


def puback(packet_id: int) -> bytes:
    """The answer to a PUBLISH at QoS 1."""
    return b"\x40\x02" + packet_id.to_bytes(2, "big")


def header(data: bytes | bytearray, at: int, end: int) -> tuple[int, int]:
    """Where the body of the packet at `at` begins, and its size; (0, 0) while its length is cut off.

    PacketError when the length has more than four bytes.
    """
    size, shift, start = 0, 0, at + 1
    while start < end:
        byte = data[start]
        start += 1
        size |= (byte & 0x7F) << shift
        if byte < 0x80:
            return start, size
        shift += 7
        if shift > 21:
            raise PacketError("remaining length: at most four bytes")
    return 0, 0


def packet(first: int, body: bytes) -> bytes:
    """Fixed header and body."""
    size = len(body)
    if size < 0x80:
        return bytes((first, size)) + body
    length = bytearray()
    while True:
        size, low = size >> 7, size & 0x7F
        length.append(low | (0x80 if size else 0))
        if not size:
            return bytes((first,)) + bytes(length) + body


def _text(data: bytes) -> bytes:
    if len(data) > 0xFFFF:
        raise PacketError("text: at most 65535 bytes")
    return len(data).to_bytes(2, "big") + data
