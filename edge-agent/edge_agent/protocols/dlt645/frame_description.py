"""One whole frame as named fields, for the frame trace and for people. Pure."""

from __future__ import annotations

from typing import Any

from edge_agent.errors import BadFrame
from edge_agent.model import Direction
from edge_agent.protocols.base import Raw
from edge_agent.protocols.dlt645.codec import END, HEAD, SHORTEST, START, WAKE_UP, Decoder, Frame
from edge_agent.protocols.dlt645.items import block_members
from edge_agent.protocols.dlt645.statutes import STATUTES, Command, Part, Statute, printed
from edge_agent.protocols.dlt645.values import digits_of, reader, value_of

SECRET = frozenset({"password", "new_password", "passwords"})
HIDDEN = "***"


def describe(data: bytes, direction: Direction | None, statute: str) -> dict[str, Any]:
    """Fields of a frame; multi-byte numbers as printed, value bytes in transmission order, all without 33h.

    A control code that the statute does not know is looked up in the other one; the frame says by itself
    which way it goes. Passwords are not shown. BadFrame names the field that is wrong and what was expected.
    """
    frame, wake_up = _frame(data)
    if direction is not None and frame.from_meter != (direction == "answer"):
        bit = "set" if direction == "answer" else "clear"
        raise BadFrame(f"control: {frame.control:02X}, expected bit 7 {bit} in {_article(direction)}")
    rules = _statute(frame, statute)
    command = rules.commands[frame.function]
    fields: dict[str, Any] = {
        "direction": "answer" if frame.from_meter else "request",
        "statute": rules.name,
        "wake_up": wake_up,
        "address": frame.address,
        "control": f"{frame.control:02X}",
        "command": command.name,
    }
    if frame.from_meter:
        fields |= {"refused": frame.refused, "more_follows": frame.more_follows}
    fields["length"] = len(frame.data)
    fields |= _refusal(frame, rules) if frame.refused else _fields(frame, command, rules)
    return fields | {"checksum": f"{data[-2]:02X}"}


def _frame(data: bytes) -> tuple[Frame, int]:
    body = data.lstrip(WAKE_UP)
    if len(body) < SHORTEST:
        raise BadFrame(f"length of the frame: {len(body)} bytes, expected at least {SHORTEST}")
    for name, at in (("first start", 0), ("second start", 7)):
        if body[at] != START:
            raise BadFrame(f"{name} byte: {body[at]:02X}, expected {START:02X}")
    size = body[HEAD - 1] + SHORTEST
    if len(body) < size:
        raise BadFrame(
            f"length: {body[HEAD - 1]} announces {size} bytes in all, expected {len(body)}, which are there"
        )
    checksum = sum(body[: size - 2]) & 0xFF
    if body[size - 2] != checksum:
        raise BadFrame(f"checksum: {body[size - 2]:02X}, expected {checksum:02X}")
    if body[size - 1] != END:
        raise BadFrame(f"end byte: {body[size - 1]:02X}, expected {END:02X}")
    if len(body) > size:
        raise BadFrame(f"trailing bytes: {body[size:].hex(' ').upper()}, expected none behind the end byte")
    (frame,) = Decoder().feed(body)
    return frame, len(data) - len(body)


def _statute(frame: Frame, own: str) -> Statute:
    for statute in (STATUTES[own], *STATUTES.values()):
        if frame.function in statute.commands:
            return statute
    known = sorted({code for statute in STATUTES.values() for code in statute.commands})
    raise BadFrame(
        f"control: {frame.control:02X}, expected a function of {', '.join(f'{code:02X}' for code in known)}"
    )


def _article(direction: Direction) -> str:
    return "an answer" if direction == "answer" else "a request"


def _refusal(frame: Frame, statute: Statute) -> dict[str, Any]:
    """Two bytes come from meters with a security module; none from careless ones."""
    if len(frame.data) > 2:
        raise BadFrame(f"length: {len(frame.data)}, expected 1 error byte")
    code = frame.data[0] if frame.data else 0
    return {"error": frame.data.hex().upper(), "meaning": statute.meaning(code)}


def _fields(frame: Frame, command: Command, statute: Statute) -> dict[str, Any]:
    parts = command.answer if frame.from_meter else command.request
    if parts is None:
        raise BadFrame(f"control: {frame.control:02X}, expected no answer to {command.name}")
    cut = _cut(frame.data, parts)
    fields: dict[str, Any] = {}
    for name, part in cut.items():
        if name in SECRET:
            fields[name] = HIDDEN
        elif name in ("value", "data"):
            fields[f"{name}_bytes"] = part.hex(" ").upper()
        elif name in ("level", "number", "new_level", "rate"):
            fields[name] = part[0]
        else:
            fields[name] = printed(part)
    if frame.from_meter and cut.get("value") and "di" in cut:
        fields |= _values(fields["di"], cut["value"], statute, first=command.name != "read_more")
    return fields


def _cut(data: bytes, parts: tuple[Part, ...]) -> dict[str, bytes]:
    fixed = sum(part.size or 0 for part in parts)
    elastic = any(part.size is None for part in parts)
    if len(data) < fixed or (len(data) > fixed and not elastic):
        words = f"at least {fixed}" if elastic else f"{fixed}"
        names = ", ".join(part.name for part in parts) or "no data"
        raise BadFrame(f"length: {len(data)}, expected {words} ({names})")
    by_name, at = {}, 0
    for part in parts:
        size = len(data) - fixed if part.size is None else part.size
        if size or part.size:
            by_name[part.name] = data[at : at + size]
        at += size
    return by_name


def _values(di: str, value: bytes, statute: Statute, *, first: bool) -> dict[str, Any]:
    """What the table says of the identifier; of a follow-up frame nobody knows where in the block it lies."""
    members = block_members(statute.name, di)
    if not members or not first:
        return {}
    if members[0][1].di == di:
        name, item = members[0]
        return {"item": name, "value": value_of(item, value), "unit": item.unit}
    digits = digits_of(value)
    values: dict[str, Raw] = {
        name: reader(item, item.position * item.length)(digits)
        for name, item in members
        if (item.position + 1) * item.length <= len(value)
    }
    return {"values": values, "unit": members[0][1].unit}
