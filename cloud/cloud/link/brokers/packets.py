"""Which packets a client may send after CONNECT, by MQTT 3.1.1. amqtt takes malformed ones and goes on."""

from __future__ import annotations

from edge_contract.payloads import MAX_CONTROL_BYTES

MAX_PACKET_BYTES = MAX_CONTROL_BYTES + 4096
"""Largest packet: the largest control message, its topic and header."""

MAX_HEAD_BYTES = 5

PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP = 3, 4, 5, 6, 7
SUBSCRIBE, UNSUBSCRIBE, PINGREQ, DISCONNECT = 8, 10, 12, 14

_FLAGS = {
    PUBACK: 0,
    PUBREC: 0,
    PUBREL: 2,
    PUBCOMP: 0,
    SUBSCRIBE: 2,
    UNSUBSCRIBE: 2,
    PINGREQ: 0,
    DISCONNECT: 0,
}
_SIZES = {PUBACK: 2, PUBREC: 2, PUBREL: 2, PUBCOMP: 2, PINGREQ: 0, DISCONNECT: 0}


class ProtocolViolationError(ValueError):
    """A packet that the protocol forbids: the connection has to end."""


def check_first_byte(byte: int) -> None:
    """ProtocolViolationError unless a client may send this kind of packet with these flags."""
    kind, flags = byte >> 4, byte & 0x0F
    if kind == PUBLISH:
        if flags & 6 == 6:
            raise ProtocolViolationError("PUBLISH: no quality of service 3")
        if flags & 8 and not flags & 6:
            raise ProtocolViolationError("PUBLISH: no repetition with quality of service 0")
    elif kind not in _FLAGS:
        raise ProtocolViolationError(f"packet kind {kind}: not of a client that is connected")
    elif flags != _FLAGS[kind]:
        raise ProtocolViolationError(f"packet kind {kind}: flags must be {_FLAGS[kind]}")


def size_of(head: bytes) -> int | None:
    """Size of what follows the head; None when the head is not whole yet. Raises ProtocolViolationError."""
    check_first_byte(head[0])
    if len(head) == 1 or head[-1] & 0x80:
        if len(head) >= MAX_HEAD_BYTES:
            raise ProtocolViolationError("remaining length: at most 4 bytes")
        return None
    size = sum((byte & 0x7F) << (7 * place) for place, byte in enumerate(head[1:]))
    kind = head[0] >> 4
    if size > MAX_PACKET_BYTES:
        raise ProtocolViolationError(f"packet: at most {MAX_PACKET_BYTES} bytes")
    if size != _SIZES.get(kind, size):
        raise ProtocolViolationError(f"packet kind {kind}: must have {_SIZES[kind]} bytes")
    return size


def check_body(first: int, body: bytes) -> None:
    """ProtocolViolationError unless the body has the form that its first byte demands."""
    kind = first >> 4
    if kind == PUBLISH:
        topic, rest = _text(body, 0)
        if "#" in topic or "+" in topic:
            raise ProtocolViolationError("PUBLISH: no wildcards in the topic")
        if first & 6:
            _identifier(body[rest : rest + 2])
    elif kind in (SUBSCRIBE, UNSUBSCRIBE):
        _identifier(body[:2])
        at = 2
        while True:  # at least one filter
            _, at = _text(body, at)
            if kind == SUBSCRIBE:
                if len(body) <= at or body[at] > 2:
                    raise ProtocolViolationError("SUBSCRIBE: quality of service must be 0, 1 or 2")
                at += 1
            if at == len(body):
                break
    elif body:
        _identifier(body)


def topic_of(body: bytes) -> str:
    """Topic of a PUBLISH packet."""
    return _text(body, 0)[0]


def _identifier(two: bytes) -> None:
    if len(two) != 2 or two == b"\0\0":
        raise ProtocolViolationError("packet identifier: must be 1 to 65535")


def _text(body: bytes, at: int) -> tuple[str, int]:
    """The text that begins here, not empty, and where it ends."""
    end = at + 2 + int.from_bytes(body[at : at + 2])
    if len(body) < at + 3 or end > len(body) or end == at + 2:
        raise ProtocolViolationError("topic: must be whole and not empty")
    try:
        text = body[at + 2 : end].decode()
    except UnicodeDecodeError:
        raise ProtocolViolationError("topic: must be UTF-8") from None
    if "\0" in text:
        raise ProtocolViolationError("topic: no NUL")
    return text, end
