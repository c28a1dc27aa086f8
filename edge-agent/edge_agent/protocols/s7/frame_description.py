"""One whole frame as fields for a trace, or the exact error in it. Pure."""

from __future__ import annotations

from typing import Any

from edge_agent.errors import BadFrame
from edge_agent.protocols.base import Direction
from edge_agent.protocols.s7 import codec, iso, ppi, szl
from edge_agent.protocols.s7.codec import Item, Message, Value
from edge_agent.protocols.s7.tables import header_meaning, item_meaning

FUNCTIONS = {codec.SETUP: "setup", codec.READ: "read", codec.WRITE: "write"}
AREAS = {
    0x04: "S", 0x05: "SM", 0x06: "AI", 0x07: "AQ", 0x1C: "C", 0x1D: "T", 0x1E: "C", 0x1F: "T",
    0x80: "P", 0x81: "I", 0x82: "Q", 0x83: "M", 0x84: "DB",
}  # fmt: skip
CONNECTIONS = {iso.REQUEST: "connect", iso.CONFIRM: "connected", iso.DISCONNECT: "disconnect"}


def iso_frame(data: bytes, direction: Direction | None) -> dict[str, Any]:
    """A TPKT packet. Raises BadFrame, which names the field."""
    if len(data) >= iso.HEAD and data[0] == iso.VERSION:
        length = int.from_bytes(data[2:4], "big")
        if length != len(data):
            raise BadFrame(f"TPKT length {length}: expected {len(data)}, the bytes of the frame")
    decoder = iso.Decoder()
    packets = decoder.feed(data)
    if not packets or decoder.pending:
        raise BadFrame(f"frame of {len(data)} bytes: at least {iso.HEAD + 3} and a last part were expected")
    packet = packets[0]
    if isinstance(packet, bytes):
        return message(codec.decode(packet), direction)
    known = CONNECTIONS.get(packet.code)
    if known is None:
        raise BadFrame(f"COTP code {packet.code:#04x}: expected one of E0, D0, 80, F0")
    came: Direction = "request" if packet.code == iso.REQUEST else "answer"
    _check(direction, came)
    tsaps = {"local_tsap": packet.calling, "remote_tsap": packet.called}
    printed = {name: f"{tsap:04X}" for name, tsap in tsaps.items() if tsap is not None}
    return {"direction": came, "function": known, **printed}


def ppi_frame(data: bytes, direction: Direction | None) -> dict[str, Any]:
    """A telegram: SD1, SD2 or E5."""
    telegram = _telegram(data)
    if telegram == ppi.ACKNOWLEDGE:
        _check(direction, "answer")
        return {"direction": "answer", "function": "acknowledge"}
    stations = {"to": telegram.to, "by": telegram.by, "control": f"{telegram.control:02X}"}
    checksum = {"checksum": f"{data[-2]:02X}"}
    if not telegram.pdu:
        _check(direction, "request")
        return {"direction": "request", "function": "poll", **stations, **checksum}
    fields = message(codec.decode(telegram.pdu), direction)
    return {"direction": fields.pop("direction"), **stations, **fields, **checksum}


def message(pdu: Message, direction: Direction | None) -> dict[str, Any]:
    """An S7 PDU. Raises BadFrame for a function that is unknown, or of the other direction."""
    if pdu.kind == codec.USERDATA:
        return _userdata(pdu, direction)
    came: Direction = "request" if pdu.kind == codec.JOB else "answer"
    _check(direction, came)
    fields: dict[str, Any] = {"direction": came, "reference": pdu.reference}
    if pdu.error:
        return {**fields, "error": f"{pdu.error:04X}", "meaning": header_meaning(pdu.error)}
    function = pdu.parameter[0] if pdu.parameter else -1
    if function not in FUNCTIONS:
        raise BadFrame(f"function {function:#04x}: expected one of F0, 04, 05")
    fields["function"] = FUNCTIONS[function]
    if function == codec.SETUP:
        return {**fields, "pdu": codec.setup_size(pdu)}
    if came == "request":
        return {**fields, **_job(pdu, function)}
    return {**fields, **_answer(pdu, function)}


def _userdata(pdu: Message, direction: Direction | None) -> dict[str, Any]:
    """The list that a CPU's order number stands in; of other lists the bytes."""
    came: Direction = "request" if pdu.parameter[4:5] == b"\x11" else "answer"
    _check(direction, came)
    fields = {"direction": came, "reference": pdu.reference, "function": "userdata"}
    if came == "answer" and pdu.parameter.startswith(szl.ANSWER_HEAD):
        return {**fields, "order_number": szl.order_number(pdu)}
    return {**fields, "parameter": pdu.parameter.hex(" "), "data": pdu.data.hex(" ")}


def _job(pdu: Message, function: int) -> dict[str, Any]:
    items = codec.job_items(pdu)
    described = [_item(item) for item in items]
    if function == codec.READ:
        if pdu.data:
            raise BadFrame(f"data of {len(pdu.data)} bytes: expected none in a read job")
        return {"items": described}
    for fields, value in zip(described, codec.job_values(pdu), strict=True):
        fields["data"] = value.data.hex(" ")
    return {"items": described}


def _answer(pdu: Message, function: int) -> dict[str, Any]:
    if len(pdu.parameter) != 2:
        raise BadFrame(f"parameter of {len(pdu.parameter)} bytes: expected 2, function and item count")
    count = pdu.parameter[1]
    if function == codec.WRITE:
        return {"items": [_code(code) for code in codec.write_codes(pdu, count)]}
    return {"items": [_value(value) for value in codec.decode_values(pdu.data, count, codec.OK)]}


def _item(item: Item) -> dict[str, Any]:
    fields: dict[str, Any] = {"area": AREAS.get(item.area, f"{item.area:02X}")}
    if item.db:
        fields["db"] = item.db
    if item.transport in (codec.TIMER, codec.COUNTER, codec.TIMER_200, codec.COUNTER_200):
        fields["address"] = item.address
    else:
        fields["address"] = item.address >> 3
        if item.transport == codec.BIT:
            fields["bit"] = item.address & 7
    return {**fields, "transport": f"{item.transport:02X}", "count": item.count}


def _code(code: int) -> dict[str, Any]:
    return {"code": f"{code:02X}", "meaning": "ok" if code == codec.OK else item_meaning(code)}


def _value(value: Value) -> dict[str, Any]:
    return {"data": value.data.hex(" ")} if value.code == codec.OK else _code(value.code)


def _check(expected: Direction | None, came: Direction) -> None:
    if expected is not None and expected != came:
        raise BadFrame(f"direction: expected {expected}, the frame is of the other kind")


def _telegram(data: bytes) -> ppi.Telegram:
    """Exactly one telegram; BadFrame says which byte of it is wrong."""
    if not data:
        raise BadFrame("start: expected one of 68, 10, E5, no byte is there")
    if data[0] not in (ppi.SD1, ppi.SD2, ppi.SHORT):
        raise BadFrame(f"start {data[0]:02X}: expected one of 68, 10, E5")
    if data[0] == ppi.SHORT:
        if len(data) > 1:
            raise BadFrame(f"length: expected 1 byte, {len(data)} are there")
        return ppi.ACKNOWLEDGE
    if data[0] == ppi.SD2:
        if len(data) < 4:
            raise BadFrame(f"length: expected at least 4 bytes, {len(data)} are there")
        if data[1] != data[2] or data[3] != ppi.SD2:
            raise BadFrame(f"head {data[:4].hex(' ')}: expected 68, a length, the length again, 68")
    size, first = (ppi.SD1_SIZE, 1) if data[0] == ppi.SD1 else (data[1] + 6, 4)
    if len(data) != size:
        raise BadFrame(f"length: expected {size} bytes, {len(data)} are there")
    checksum = sum(data[first:-2]) & 0xFF
    if data[-2] != checksum:
        raise BadFrame(f"checksum {data[-2]:02X}: expected {checksum:02X}")
    if data[-1] != ppi.END:
        raise BadFrame(f"end {data[-1]:02X}: expected 16")
    telegrams = ppi.Decoder().feed(data)
    if len(telegrams) != 1:
        raise BadFrame(f"length {data[1]}: expected 4 to {ppi.LONGEST_PDU + 3}")
    return telegrams[0]
