"""One whole frame as fields for a reader: the frame trace and "decode". Pure.

Every check of the specification that a frame alone allows is made; BadFrame names the field and the rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edge_agent.errors import BadFrame
from edge_agent.model import Direction
from edge_agent.protocols.modbus.codec import BitDecoder
from edge_agent.protocols.modbus.frames import (
    COIL_ON,
    DEVICE_IDENTIFICATION,
    EXCEPTION,
    LONGEST,
    MBAP,
    READ_BITS,
    READ_REGISTERS,
    REPORT_ID,
    REQUEST,
    SHORTEST,
    WRITE_COIL,
    WRITE_COILS,
    WRITE_REGISTER,
    WRITE_REGISTERS,
    crc,
    shortest_sound,
)
from edge_agent.protocols.modbus.identity import identity_of, identity_request

NAMES = {
    1: "read coils",
    2: "read inputs",
    3: "read holding registers",
    4: "read input registers",
    WRITE_COIL: "write coil",
    WRITE_REGISTER: "write register",
    WRITE_COILS: "write coils",
    WRITE_REGISTERS: "write registers",
    REPORT_ID: "report server id",
    DEVICE_IDENTIFICATION: "read device identification",
}

MEANING = {
    1: "illegal function",
    2: "illegal data address",
    3: "illegal data value",
    4: "device failure",
    5: "acknowledged, still working",
    6: "device busy",
    7: "negative acknowledge",
    8: "memory parity error",
    0x0A: "gateway path unavailable",
    0x0B: "gateway target did not answer",
}
"""Of exception codes."""

MAX_COUNTS = {1: 2000, 2: 2000, 3: 125, 4: 125, WRITE_COILS: 1968, WRITE_REGISTERS: 123}
EITHER = "request or answer"

Fields = dict[str, Any]


def describe_tcp(frame: bytes, direction: Direction | None) -> Fields:
    """Raises BadFrame when header or PDU break a rule (Modbus Messaging on TCP/IP, section 3.1.3)."""
    if len(frame) < MBAP.size + 1:
        raise BadFrame(f"length: {len(frame)} bytes, at least {MBAP.size + 1} expected")
    transaction, protocol, length, unit = MBAP.unpack_from(frame)
    if protocol:
        raise BadFrame(f"protocol: {protocol}, 0 expected")
    if not SHORTEST <= length <= LONGEST:
        raise BadFrame(f"length: {length}, {SHORTEST} to {LONGEST} expected")
    _same("length of what follows", len(frame) - 6, length)
    said, fields = _pdu(frame[MBAP.size :], direction)
    return {"direction": said, "transaction": transaction, "length": length, "unit": unit} | fields


def describe_rtu(frame: bytes, direction: Direction | None) -> Fields:
    """Raises BadFrame when checksum or PDU break a rule (Modbus over Serial Line, section 2.5.1)."""
    if not 4 <= len(frame) <= 256:
        raise BadFrame(f"length: {len(frame)} bytes, 4 to 256 expected")
    expected = crc(frame[:-2])
    if frame[-2:] != expected:
        raise BadFrame(f"checksum: {frame[-2:].hex()}, {expected.hex()} expected{_behind(frame)}")
    try:
        said, fields = _pdu(frame[1:-2], direction)
    except BadFrame as error:  # this checksum does not see zeros behind a frame
        raise BadFrame(f"{error}{_behind(frame)}") from None
    return {"direction": said, "unit": frame[0]} | fields | {"checksum": frame[-2:].hex()}


def _behind(frame: bytes) -> str:
    """Words about bytes behind a frame that is sound without them."""
    size = shortest_sound(frame)
    if not 0 < size < len(frame):
        return ""
    return f"; the first {size} bytes are a sound frame, {len(frame) - size} stand behind it"


def _pdu(pdu: bytes, direction: Direction | None) -> tuple[str, Fields]:
    """Direction and fields."""
    function = pdu[0]
    known = function & ~EXCEPTION
    if known not in NAMES:
        raise BadFrame(f"function: {known}, one of {', '.join(map(str, NAMES))} expected")
    head = {"function": function, "name": NAMES[known]}
    if function & EXCEPTION:
        if direction == "request":
            raise BadFrame(f"function: {function}, below {EXCEPTION} expected in a request")
        _same("length of an exception", len(pdu), 2)
        meaning = MEANING.get(pdu[1], "unknown")
        return "answer", head | {"exception": pdu[1], "meaning": meaning}
    if function in (WRITE_COIL, WRITE_REGISTER):
        return direction or EITHER, head | _single(pdu)
    if function in (REPORT_ID, DEVICE_IDENTIFICATION):
        return _identification(pdu, direction, head)
    said: Direction = direction or ("request" if _is_request(pdu) else "answer")
    return said, head | SHAPES[said, function in MAX_COUNTS and function > WRITE_REGISTER](pdu)


def _identification(pdu: bytes, direction: Direction | None, head: Fields) -> tuple[str, Fields]:
    request = identity_request(tcp=pdu[0] == DEVICE_IDENTIFICATION)
    if direction == "request" or (direction is None and len(pdu) == len(request)):
        _same("length of the PDU", len(pdu), len(request))
        return "request", head | {"data": pdu[1:].hex()}
    return "answer", head | {"data": pdu[1:].hex(), "text": identity_of(pdu)}


def _is_request(pdu: bytes) -> bool:
    """By the length. A read of 17 to 24 coils from an address 03xx can be both; it is taken for a request."""
    if pdu[0] in (WRITE_COILS, WRITE_REGISTERS):
        return len(pdu) != REQUEST.size
    return len(pdu) == REQUEST.size and not (pdu[0] in READ_BITS and pdu[1] == 3 and not _count_fits(pdu))


def _count_fits(pdu: bytes) -> bool:
    return 1 <= int.from_bytes(pdu[3:5], "big") <= MAX_COUNTS[pdu[0]]


def _single(pdu: bytes) -> Fields:
    _same("length of the PDU", len(pdu), REQUEST.size)
    function, address, value = REQUEST.unpack(pdu)
    if function == WRITE_COIL and value not in (0, COIL_ON):
        raise BadFrame(f"value: {value:04x}, 0000 or ff00 expected")
    return {"address": address, "value": int(value == COIL_ON) if function == WRITE_COIL else value}


def _span(pdu: bytes) -> Fields:
    """Start and count, as reads ask for and writes of several confirm."""
    _same("length of the PDU", len(pdu), REQUEST.size)
    return _counted(pdu)


def _counted(pdu: bytes) -> Fields:
    function, start, count = REQUEST.unpack_from(pdu)
    if not 1 <= count <= MAX_COUNTS[function]:
        raise BadFrame(f"count: {count}, 1 to {MAX_COUNTS[function]} expected")
    if start + count > 65536:
        raise BadFrame(f"start: {start} and count {count}, at most 65536 together expected")
    return {"start": start, "count": count}


def _read_answer(pdu: bytes) -> Fields:
    if len(pdu) < 2:
        raise BadFrame("length of the PDU: 1, at least 3 expected")
    data = pdu[2:]
    _same("byte count", pdu[1], len(data))
    if not data or len(data) > 250:
        raise BadFrame(f"byte count: {len(data)}, 1 to 250 expected")
    if pdu[0] in READ_REGISTERS and len(data) % 2:
        raise BadFrame(f"byte count: {len(data)}, an even number expected")
    return {"byte_count": pdu[1]} | _values(pdu[0], data, 8 * len(data))


def _write_request(pdu: bytes) -> Fields:
    if len(pdu) <= REQUEST.size:
        raise BadFrame(f"length of the PDU: {len(pdu)}, at least {REQUEST.size + 2} expected")
    span = _counted(pdu)
    data = pdu[REQUEST.size + 1 :]
    size = (span["count"] + 7) // 8 if pdu[0] == WRITE_COILS else 2 * span["count"]
    _same("byte count", pdu[REQUEST.size], size)
    _same("data bytes", len(data), size)
    return span | {"byte_count": size} | _values(pdu[0], data, span["count"])


def _values(function: int, data: bytes, count: int) -> Fields:
    if function in (*READ_BITS, WRITE_COILS):
        return {"data": data.hex(), "bits": list(BitDecoder(range(count), ())(data))}
    registers = [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]
    return {"data": data.hex(), "registers": registers}


SHAPES: dict[tuple[Direction, bool], Callable[[bytes], Fields]] = {
    ("request", False): _span,
    ("answer", False): _read_answer,
    ("request", True): _write_request,
    ("answer", True): _span,
}
"""By direction and whether several are written."""


def _same(field: str, actual: int, expected: int) -> None:
    if actual != expected:
        raise BadFrame(f"{field}: {actual}, {expected} expected")
