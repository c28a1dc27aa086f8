"""S7 PDUs in both roles: setup, read of many items, write of many items. Pure; every number is big-endian.

ISO-on-TCP and PPI carry the same PDUs. Whatever does not decode is BadFrame; nothing is guessed.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from edge_agent.errors import BadFrame

PROTOCOL = 0x32
JOB, ACK, ACK_DATA, USERDATA = 1, 2, 3, 7
ANSWERS = (ACK, ACK_DATA)
SETUP, READ, WRITE = 0xF0, 0x04, 0x05
OK = 0xFF
BIT, BYTE, WORD = 0x01, 0x02, 0x04
COUNTER, TIMER, COUNTER_200, TIMER_200 = 0x1C, 0x1D, 0x1E, 0x1F
DATA_BIT, DATA_WORD, DATA_OCTETS = 0x03, 0x04, 0x09
LENGTH_IN_BITS = {0x04, 0x05}
MAX_ITEMS = 20

ELEMENT_BYTES = {
    BIT: 1, BYTE: 1, 0x03: 1, WORD: 2, 0x05: 2, 0x06: 4, 0x07: 4, 0x08: 4,
    COUNTER: 2, TIMER: 2, COUNTER_200: 3, TIMER_200: 5,
}  # fmt: skip
"""Bytes of one element in a read answer, by item transport."""

HEAD = struct.Struct(">BBHHHH")  # protocol, kind, redundancy, reference, length of parameter, of data
ITEM = struct.Struct(">BBBBHHI")  # 12 0A 10, transport, count, db, area and 24 bits of address
VALUE = struct.Struct(">BBH")  # code, transport, length
SETUP_PARAMETER = struct.Struct(">BBHHH")
SPECIFICATION = b"\x12\x0a\x10"


@dataclass(frozen=True)
class Message:
    """A PDU. error: class and code of an answer as one number, 0 when there is none."""

    kind: int
    reference: int
    parameter: bytes = b""
    data: bytes = b""
    error: int = 0


@dataclass(frozen=True)
class Item:
    """What is read or written. address: byte * 8 + bit, or the number of a timer or counter."""

    transport: int
    count: int
    db: int
    area: int
    address: int

    @property
    def size(self) -> int:
        """Bytes of its value."""
        return self.count * ELEMENT_BYTES[self.transport]


@dataclass(frozen=True)
class Value:
    """One item's value in an answer, or in a write job, where the code is 0."""

    code: int
    transport: int = 0
    data: bytes = b""


def encode(message: Message) -> bytes:
    sizes = len(message.parameter), len(message.data)
    head = HEAD.pack(PROTOCOL, message.kind, 0, message.reference, *sizes)
    if message.kind in ANSWERS:
        head += message.error.to_bytes(2, "big")
    return head + message.parameter + message.data


def decode(pdu: bytes) -> Message:
    """A whole PDU, no byte more. Raises BadFrame when head and lengths do not fit."""
    if len(pdu) < HEAD.size or pdu[0] != PROTOCOL:
        raise BadFrame(f"no S7 PDU: {pdu[:10].hex(' ')}")
    _, kind, _, reference, parameter, data = HEAD.unpack_from(pdu)
    if kind not in (JOB, ACK, ACK_DATA, USERDATA):
        raise BadFrame(f"S7 PDU of unknown kind {kind}")
    at = HEAD.size + (2 if kind in ANSWERS else 0)
    if len(pdu) != at + parameter + data:
        raise BadFrame(f"S7 PDU of {len(pdu)} bytes, its header says {at + parameter + data}")
    error = int.from_bytes(pdu[HEAD.size : at], "big")
    return Message(kind, reference, pdu[at : at + parameter], pdu[at + parameter :], error)


def setup_job(reference: int, pdu_size: int) -> Message:
    """One job in flight; pdu_size: longest PDU wanted."""
    return Message(JOB, reference, SETUP_PARAMETER.pack(SETUP, 0, 1, 1, pdu_size))


def setup_answer(reference: int, pdu_size: int) -> Message:
    """pdu_size: longest PDU granted."""
    return Message(ACK_DATA, reference, SETUP_PARAMETER.pack(SETUP, 0, 1, 1, pdu_size))


def setup_size(message: Message) -> int:
    """PDU size asked for by a setup job, or granted by its answer.

    Raises BadFrame for parameters that are none of a setup.
    """
    if len(message.parameter) != SETUP_PARAMETER.size or message.parameter[0] != SETUP:
        raise BadFrame(f"no setup parameters: {message.parameter.hex(' ')}")
    size: int = SETUP_PARAMETER.unpack(message.parameter)[4]
    return size


def read_job(reference: int, items: Sequence[Item]) -> Message:
    return Message(JOB, reference, _items_parameter(READ, items))


def write_job(reference: int, items: Sequence[Item], values: Sequence[Value]) -> Message:
    return Message(JOB, reference, _items_parameter(WRITE, items), encode_values(values))


def job_items(message: Message) -> tuple[Item, ...]:
    """Items of a read or write job.

    Raises BadFrame when the parameters do not hold as many items as they say.
    """
    parameter = message.parameter
    if len(parameter) < 2 or len(parameter) != 2 + parameter[1] * ITEM.size:
        raise BadFrame(f"parameters of {len(parameter)} bytes do not hold whole items")
    items = []
    for head, kind, syntax, transport, count, db, place in ITEM.iter_unpack(parameter[2:]):
        if bytes((head, kind, syntax)) != SPECIFICATION:
            raise BadFrame("item is no S7 address")
        if transport not in ELEMENT_BYTES:
            raise BadFrame(f"item of unknown transport {transport:#04x}")
        items.append(Item(transport, count, db, place >> 24, place & 0xFFFFFF))
    return tuple(items)


def read_answer(reference: int, values: Sequence[Value]) -> Message:
    return Message(ACK_DATA, reference, bytes((READ, len(values))), encode_values(values))


def write_answer(reference: int, codes: Sequence[int]) -> Message:
    return Message(ACK_DATA, reference, bytes((WRITE, len(codes))), bytes(codes))


def read_values(message: Message, items: Sequence[Item]) -> list[Value]:
    """Values of an answer, one for each item asked for, each as long as its item.

    Raises BadFrame for another number or size of items.
    """
    _check_answer(message, READ, len(items))
    values = decode_values(message.data, len(items), OK)
    for item, value in zip(items, values, strict=True):
        if value.code == OK and len(value.data) != item.size:
            raise BadFrame(f"item of {len(value.data)} bytes, {item.size} asked for")
    return values


def write_codes(message: Message, count: int) -> list[int]:
    """Return code of each item written. Raises BadFrame for another number of codes."""
    _check_answer(message, WRITE, count)
    if len(message.data) != count:
        raise BadFrame(f"{len(message.data)} return codes for {count} items")
    return list(message.data)


def job_values(message: Message) -> list[Value]:
    """Values of a write job."""
    return decode_values(message.data, message.parameter[1], 0)


def encode_values(values: Sequence[Value]) -> bytes:
    """Odd values are filled up, but not the last. A value with an error code has no data."""
    data = bytearray()
    for value in values:
        data += bytes(len(data) % 2)
        length = len(value.data) * (8 if value.transport in LENGTH_IN_BITS else 1)
        data += VALUE.pack(value.code, value.transport, length) + value.data
    return bytes(data)


def decode_values(data: bytes, count: int, ok: int) -> list[Value]:
    """Values behind each other; behind the last one at most a fill byte. ok: the code that data follow.

    The length field of a refused item means nothing and no data follow it.

    Raises BadFrame when the data end within a value, or behind the last.
    """
    values: list[Value] = []
    at = 0
    for number in range(count):
        if at >= len(data):
            raise BadFrame(f"values of {number} items, {count} announced")
        code = data[at]
        if code != ok:
            values.append(Value(code))
            at += VALUE.size
            continue
        if at + VALUE.size > len(data):
            raise BadFrame("value without a whole header")
        _, transport, length = VALUE.unpack_from(data, at)
        size = (length + 7) // 8 if transport in LENGTH_IN_BITS else length
        at += VALUE.size
        if at + size > len(data):
            raise BadFrame(f"value of {size} bytes, {len(data) - at} are there")
        values.append(Value(code, transport, data[at : at + size]))
        at += size + (size % 2 if number < count - 1 else 0)
    if len(data) > at + 1:
        raise BadFrame(f"{len(data) - at} bytes behind the last value")
    return values


def _items_parameter(function: int, items: Sequence[Item]) -> bytes:
    packed = [
        ITEM.pack(*SPECIFICATION, item.transport, item.count, item.db, item.area << 24 | item.address)
        for item in items
    ]
    return bytes((function, len(items))) + b"".join(packed)


def _check_answer(message: Message, function: int, count: int) -> None:
    if message.kind != ACK_DATA or message.parameter[:1] != bytes((function,)) or len(message.parameter) != 2:
        raise BadFrame(f"no answer to function {function}: {message.parameter.hex(' ')}")
    if message.parameter[1] != count:
        raise BadFrame(f"answer with {message.parameter[1]} items, {count} asked for")
