"""What a Siemens PLC holds: the description of one value, its bytes, and what is wrong with it. Pure."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec

from firmware_sim.errors import ScenarioError
from firmware_sim.plc.number_bytes import clamped
from firmware_sim.process.signals import Name

AreaName = Literal["Q", "I", "M", "DB", "T", "C", "V", "AI", "AQ", "S", "SM"]
Family = Literal["300", "1200", "200", "logo"]
Kind = Literal[
    "bit", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double",
    "string", "chars",
]  # fmt: skip

FORMATS = {
    "uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "uint32": "I", "int32": "i",
    "uint64": "Q", "int64": "q", "float": "f", "double": "d",
}  # fmt: skip

CODES: dict[Family, dict[str, int]] = {
    "300": {"Q": 0x82, "I": 0x81, "M": 0x83, "DB": 0x84, "T": 0x1D, "C": 0x1C},
    "1200": {"Q": 0x82, "I": 0x81, "M": 0x83, "DB": 0x84},
    "200": {
        "Q": 0x82, "I": 0x81, "M": 0x83, "V": 0x84, "S": 0x04, "SM": 0x05, "AI": 0x06, "AQ": 0x07,
        "T": 0x1F, "C": 0x1E,
    },
    "logo": {"V": 0x84},
}  # fmt: skip
"""Areas of a family and their codes on the wire; V is data block 1."""

ELEMENT_BYTES = {0x1C: 2, 0x1D: 2, 0x1E: 3, 0x1F: 5}
"""Of one timer or counter, by area code."""

S5_BASES_MS = (10, 100, 1000, 10_000)


class S7Value(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exactly one of signal, value, text says what it holds. address: byte, or number of a timer or counter.

    raw = engineering value / scale, in a timer of the 300 milliseconds. noise: standard deviation of the
    measurement. length: characters of a text. min, max: what may be written to it.
    """

    name: Name
    area: AreaName
    address: Annotated[int, msgspec.Meta(ge=0, le=65535)]
    db: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 0
    type: Kind = "uint16"
    bit: Annotated[int, msgspec.Meta(ge=0, le=7)] | None = None
    length: Annotated[int, msgspec.Meta(ge=1, le=254)] | None = None
    signal: str | None = None
    value: float | None = None
    text: Annotated[str, msgspec.Meta(max_length=254)] | None = None
    scale: float = 1.0
    noise: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    writable: bool = False
    min: float | None = None
    max: float | None = None


def value_errors(values: Sequence[S7Value], family: Family) -> Iterator[ScenarioError]:
    """What is wrong with the values, apart from the names of signals; each with its path from the device."""
    known = CODES[family]
    seen: set[str] = set()
    for number, value in enumerate(values):
        for field, rule in _errors(value, known):
            yield ScenarioError(f"values[{number}].{field}", rule)
        if value.name in seen:
            yield ScenarioError(f"values[{number}].name", f"{value.name} is there twice")
        seen.add(value.name)
    for number, value in enumerate(values):
        if value.scale == 0:
            yield ScenarioError(f"values[{number}].scale", "must not be 0")


def _errors(value: S7Value, known: dict[str, int]) -> Iterator[tuple[str, str]]:
    if value.area not in known:
        yield "area", f"must be one of {', '.join(known)}"
    if (value.area == "DB") != bool(value.db):
        yield "db", "must be given for area DB, and for no other"
    if [value.signal, value.value, value.text].count(None) != 2:
        yield "signal", "exactly one of signal, value, text must be given"
    text = value.type in ("string", "chars")
    if text != (value.text is not None) or text != (value.length is not None):
        yield "text", "must be given with length for a string or chars, and for no other type"
    if text and len((value.text or "").encode()) > (value.length or 0):
        yield "length", "must hold the text"
    if (value.type == "bit") != (value.bit is not None):
        yield "bit", "must be given for type bit, and for no other"
    if value.writable and value.value is not None:
        yield "writable", "must be a signal or a text"
    if value.area in ("T", "C") and (text or value.type == "bit"):
        yield "type", f"must be a number in area {value.area}"


def place_of(value: S7Value, family: Family) -> tuple[int, int, int]:
    """Area code, DB number and first byte of its area's memory."""
    code = CODES[family][value.area]
    db = 1 if value.area == "V" else value.db
    return code, db, value.address * ELEMENT_BYTES.get(code, 1)


def size_of(value: S7Value, family: Family) -> int:
    """Bytes taken."""
    code = CODES[family][value.area]
    if code in ELEMENT_BYTES:
        return ELEMENT_BYTES[code]
    if value.type == "bit":
        return 1
    if value.type in ("string", "chars"):
        return (value.length or 0) + header_of(value, family)
    return struct.calcsize(">" + FORMATS[value.type])


def header_of(value: S7Value, family: Family) -> int:
    """Length bytes before a text: maximum and current, of the 200 family and LOGO the current one only."""
    if value.type != "string":
        return 0
    return 1 if family in ("200", "logo") else 2


def text_bytes(value: S7Value, family: Family) -> bytes:
    data, length = (value.text or "").encode(), value.length or 0
    if value.type == "chars":
        return data.ljust(length)
    head = bytes((length, len(data)))[2 - header_of(value, family) :]
    return head + data.ljust(length, b"\0")


def to_bytes(value: S7Value, raw: float, family: Family) -> bytes:
    """Bytes of a number; what the type cannot hold is held at its end."""
    match CODES[family][value.area]:
        case 0x1F:
            return b"\2" + clamped("i", raw)
        case 0x1E:
            return b"\0" + clamped("h", raw)
        case 0x1D:
            return _s5_time(raw)
        case 0x1C:
            return int(str(min(max(round(raw), 0), 999)), 16).to_bytes(2, "big")
    return clamped(FORMATS[value.type], raw)


def from_bytes(value: S7Value, data: bytes, family: Family) -> float:
    """The number in such bytes. Raises ValueError when digits are none."""
    match CODES[family][value.area]:
        case 0x1D:
            return int(data.hex()[1:]) * S5_BASES_MS[data[0] >> 4 & 3]
        case 0x1C:
            return int(data.hex())
    number: float = struct.unpack(">" + FORMATS[value.type], data)[0]
    return number


def _s5_time(ms: float) -> bytes:
    """The finest base that holds it, and three BCD digits."""
    wanted = max(ms, 0.0)
    base = next((at for at, step in enumerate(S5_BASES_MS) if wanted <= 999 * step), 3)
    digits = min(round(wanted / S5_BASES_MS[base]), 999)
    return (base << 12 | int(str(digits), 16)).to_bytes(2, "big")
