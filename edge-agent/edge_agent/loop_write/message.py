"""Bytes of a loop-write task's message: a number, the time, hex, or a text. Pure.

Times are local ones that the caller gives; layouts are listed in README.md.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from edge_agent.config.model import LoopWrite
from edge_agent.errors import BadValue
from edge_agent.points.scale import integral
from edge_agent.protocols.modbus.codec import EIGHT_BIT, LOW_BYTE_FIRST, Field, encode, swap_registers
from edge_agent.protocols.modbus.config import ORDERS
from edge_agent.protocols.modbus.frames import crc
from edge_agent.protocols.packing import SIZES, bit_of, packed

MAX_REGISTER_BYTES = 246
"""123 registers, of one request 10H."""
MAX_MESSAGE_BYTES = 512
TIME = "{time}"
"""In a custom message's value: where the time stands."""


def register_bytes(task: LoopWrite, moment: datetime) -> bytes:
    """Registers of a Modbus message, or one byte 0 or 1 for a coil. Raises BadValue with the rule."""
    if task.reg_type == "0X":
        if task.content != "number" or isinstance(task.value, str) or task.value is None:
            raise BadValue("must be the number 0 or 1 for a coil")
        return bytes((bit_of(task.value),))
    data = _content(task, moment)
    if len(data) % 2:
        if task.content != "string":
            raise BadValue("must fill whole registers")
        data += b"\0"
    if not 2 <= len(data) <= MAX_REGISTER_BYTES:
        raise BadValue(f"must be 1 to {MAX_REGISTER_BYTES // 2} registers, not {len(data) // 2}")
    is_laid_out = task.content == "string" or (task.content == "real_time" and task.time_format != "unix")
    return swap_registers(data) if is_laid_out and ORDERS[task.endian] in LOW_BYTE_FIRST else data


def custom_bytes(task: LoopWrite, moment: datetime) -> bytes:
    """Bytes of a custom message with its checksum. Raises BadValue with the rule."""
    if task.content == "real_time":
        before, sign, behind = _text(task, TIME).partition(TIME)
        if not sign or TIME in behind:
            raise BadValue(f"must hold {TIME} once, with hex around it, such as 68 {TIME} 16")
        data = hex_bytes(before) + _content(task, moment) + hex_bytes(behind)
    else:
        data = _content(task, moment)
    data += CHECKSUMS[task.checksum](data)
    if not 1 <= len(data) <= MAX_MESSAGE_BYTES:
        raise BadValue(f"must be 1 to {MAX_MESSAGE_BYTES} bytes, not {len(data)}")
    return data


def hex_bytes(text: str) -> bytes:
    """Raises BadValue for anything but pairs of hexadecimal digits, with blanks between as one likes."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise BadValue("must be pairs of hexadecimal digits, such as 01 A0") from None


def _sum8(data: bytes) -> bytes:
    return bytes((sum(data) & 0xFF,))


CHECKSUMS: dict[str, Callable[[bytes], bytes]] = {"none": lambda data: b"", "crc16": crc, "sum8": _sum8}
"""Of a custom message, behind it. crc16: of Modbus RTU, low byte first; sum8: of all bytes, modulo 256."""


def _content(task: LoopWrite, moment: datetime) -> bytes:
    if task.content == "number":
        return _number(task)
    if task.content == "real_time":
        return _time(task, moment)
    text = _text(task, "")
    return hex_bytes(text) if task.content == "hex" else text.encode()


def _text(task: LoopWrite, usual: str) -> str:
    value = usual if task.value is None else task.value
    if not isinstance(value, str):
        raise BadValue(f"must be a text for content {task.content}")
    return value


def _number(task: LoopWrite) -> bytes:
    value = task.value
    if value is None or isinstance(value, str):
        raise BadValue("must be a number for content number")
    if isinstance(value, float) and task.data_type not in ("float", "double"):
        value = integral(value)
    return _encoded(task, task.data_type, value)


def _encoded(task: LoopWrite, data_type: str, value: float) -> bytes:
    if data_type in EIGHT_BIT:
        return packed(">", data_type, value)
    return encode(Field(0, 0, SIZES[data_type], data_type, ORDERS[task.endian]), value)


def _time(task: LoopWrite, moment: datetime) -> bytes:
    if task.time_format == "unix":
        return _encoded(task, "uint32", int(moment.timestamp()))
    parts = [moment.month, moment.day, moment.hour, moment.minute, moment.second]
    if task.time_format == "bytes":
        return bytes((moment.year % 100, *parts))
    if task.time_format == "bcd_bytes":
        return bytes(map(_bcd, (moment.year % 100, *parts)))
    numbers = [moment.year, *parts]
    if task.time_format == "bcd_registers":
        numbers = [_bcd(number) for number in numbers]
    return b"".join(number.to_bytes(2, "big") for number in numbers)


def _bcd(number: int) -> int:
    """Each decimal digit as four bits."""
    return int(str(number), 16)
