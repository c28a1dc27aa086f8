"""System status list: the one part of S7 userdata that is used, to learn what a CPU is. Pure, both roles."""

from __future__ import annotations

import struct

from edge_agent.errors import BadFrame
from edge_agent.protocols.s7.codec import OK, USERDATA, VALUE, Message

MODULE_IDENTIFICATION = 0x0011
MODULE, HARDWARE, FIRMWARE = 0x0001, 0x0006, 0x0007
REQUEST = bytes.fromhex("000112 04 11 44 01 00")
ANSWER_HEAD = bytes.fromhex("000112 08 12 84 01")
ANSWER_SIZE = 12  # the head, sequence, two bytes of parts, error
OCTETS = 0x09
LIST = struct.Struct(">HHHH")  # id, index, bytes of a record, number of records
RECORD = struct.Struct(">H20sHHH")  # index, order number, three words of version


def request(reference: int) -> Message:
    """Identification of a CPU, every record of it."""
    header = VALUE.pack(OK, OCTETS, 4) + struct.pack(">HH", MODULE_IDENTIFICATION, 0)
    return Message(USERDATA, reference, REQUEST, header)


def is_request(message: Message) -> bool:
    """Whether a PLC is asked for its identification."""
    wanted = MODULE_IDENTIFICATION.to_bytes(2, "big")
    return message.parameter == REQUEST and message.data[VALUE.size : VALUE.size + 2] == wanted


def answer(reference: int, order_number: str) -> Message:
    """What a CPU says; without an order number, that it has no such list."""
    parameter = ANSWER_HEAD + bytes((1, 0, 0)) + (b"\0\0" if order_number else b"\xd4\x01")
    if not order_number:
        return Message(USERDATA, reference, parameter, bytes((0x0A, 0, 0, 0)))
    record = RECORD.pack(MODULE, order_number.encode("ascii").ljust(20), 0, 0, 1)
    body = LIST.pack(MODULE_IDENTIFICATION, 0, RECORD.size, 1) + record
    return Message(USERDATA, reference, parameter, VALUE.pack(OK, OCTETS, len(body)) + body)


def order_number(message: Message) -> str:
    """What an answer says the CPU is; empty when the PLC refuses to answer. BadFrame."""
    parameter, data = message.parameter, message.data
    if len(parameter) != ANSWER_SIZE or parameter[: len(ANSWER_HEAD)] != ANSWER_HEAD:
        raise BadFrame(f"no answer of the system status list: {parameter.hex(' ')}")
    if parameter[-2:] != b"\0\0" or not data or data[0] != OK:
        return ""
    if len(data) < VALUE.size + LIST.size:
        raise BadFrame(f"system status list of {len(data)} bytes: at least {VALUE.size + LIST.size} expected")
    _, _, size, count = LIST.unpack_from(data, VALUE.size)
    at = VALUE.size + LIST.size
    for _ in range(count):
        if size != RECORD.size or at + size > len(data):
            break
        index, text, *_ = RECORD.unpack_from(data, at)
        if index == MODULE:
            printable: str = text.decode("ascii", errors="replace").strip("\0 ")
            return printable
        at += size
    return ""
