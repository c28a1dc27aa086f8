"""Batch reads and writes of the MC protocol without their frames: what is asked, what is answered. Pure.

Data are the same in every frame and code: words as bytes, low byte first; bits as bytes 0 and 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from edge_agent.errors import BadFrame
from edge_agent.protocols.mc.tables import FrameName

Code = Literal["binary", "ascii"]
Command = Literal["read", "write", "model"]

HEX = frozenset(b"0123456789ABCDEF")
OK = 0

_TO_TEXT = bytes.maketrans(b"\0\1", b"01")
_FROM_TEXT = bytes.maketrans(b"01", b"\0\1")
_HIGH_OF = bytes(byte >> 4 for byte in range(256))
_LOW_OF = bytes(byte & 15 for byte in range(256))


@dataclass(frozen=True, slots=True)
class Route:
    """Which PLC answers. The default is the one that the connection leads to; 1E knows pc only."""

    network: int = 0x00
    pc: int = 0xFF
    io: int = 0x03FF
    station: int = 0x00


@dataclass(frozen=True, slots=True)
class Request:
    """A batch read or write, or the question which model the PLC is. timer: in units of 250 ms.

    bits: bits are asked, not words; device: its code; start: its first number; count: bits or words; data: of
    a write.
    """

    command: Command
    bits: bool = False
    device: int = 0
    start: int = 0
    count: int = 0
    timer: int = 4
    route: Route = Route()
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class Answer:
    """end_code: 0 when the request was carried out; of 1E 5Bxx, with the abnormal code in its low byte.

    data of a model: 1E its code and 00; 3E its name, 16 characters, and its code, low byte first.
    """

    end_code: int = OK
    data: bytes = b""


class Frame(Protocol):
    """One frame type in one data code, in both roles. Every decoder raises BadFrame with field and rule."""

    name: FrameName
    code: Code

    def encode_request(self, request: Request) -> bytes: ...

    def request_size(self, data: bytes) -> int | None:
        """Bytes of the request that data begins with; None while too few are there to say."""

    def decode_request(self, data: bytes) -> Request: ...

    def encode_answer(self, request: Request, answer: Answer) -> bytes: ...

    def answer_size(self, request: Request, data: bytes) -> int | None:
        """Bytes of the answer that data begins with; None while too few are there to say."""

    def decode_answer(self, request: Request, data: bytes) -> Answer: ...

    def model_of(self, data: bytes) -> str:
        """Words for the data of a model's answer."""

    def describe(self, data: bytes, answer: bool) -> dict[str, Any]:
        """Fields of one whole frame, ready for JSON."""


class Reader:
    """Fields of a frame from its front. size: bytes in binary, pairs of digits in ASCII."""

    def __init__(self, data: bytes, code: Code) -> None:
        self._data = data
        self._ascii = code == "ascii"
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def number(self, field: str, size: int) -> int:
        raw = self.take(field, size * 2 if self._ascii else size)
        if not self._ascii:
            return int.from_bytes(raw, "little")
        return digits(field, raw, 16)

    def expect(self, field: str, wanted: bytes) -> None:
        """Bytes that must stand there. Raises BadFrame for others."""
        held = self.take(field, len(wanted))
        if held != wanted:
            raise BadFrame(f"{field}: must be {wanted.hex(' ')}, is {held.hex(' ')}")

    def take(self, field: str, length: int) -> bytes:
        """The next bytes. Raises BadFrame when fewer are left."""
        if self.left < length:
            raise BadFrame(f"{field}: {length} bytes must follow, {self.left} do")
        raw = self._data[self._at : self._at + length]
        self._at += length
        return raw

    def rest(self) -> bytes:
        return self.take("data", self.left)

    def end(self) -> None:
        """Raises BadFrame when bytes are left."""
        if self.left:
            raise BadFrame(f"length: {self.left} bytes follow the frame, none may")


def number(value: int, size: int, code: Code) -> bytes:
    """A field: low byte first in binary, digits with the highest first in ASCII."""
    return value.to_bytes(size, "little") if code == "binary" else b"%0*X" % (2 * size, value)


def digits(field: str, raw: bytes, base: int) -> int:
    """Upper-case digits to a number. Raises BadFrame for any other character."""
    if not HEX.issuperset(raw) or (base == 10 and not raw.isdigit()):
        name = "decimal" if base == 10 else "hexadecimal"
        raise BadFrame(f"{field}: must be upper-case {name} digits, is {raw!r}")
    return int(raw, base)


def data_size(bits: bool, count: int, code: Code, *, even: bool) -> int:
    """Bytes that data take. even: bits in ASCII are filled up to an even number, as 1E does."""
    if not bits:
        return count * (2 if code == "binary" else 4)
    if code == "binary":
        return (count + 1) // 2
    return count + count % 2 if even else count


def pack(data: bytes, bits: bool, code: Code, *, even: bool) -> bytes:
    """Data to their form on the wire. Bits in binary: a nibble each, the first one high."""
    if not bits:
        return data if code == "binary" else swapped(data).hex().upper().encode()
    if code == "binary":
        padded = data + b"\0" if len(data) % 2 else data
        return bytes(high << 4 | low for high, low in zip(padded[0::2], padded[1::2], strict=True))
    return data.translate(_TO_TEXT) + (b"0" if even and len(data) % 2 else b"")


def unpack(raw: bytes, bits: bool, count: int, code: Code, *, even: bool) -> bytes:
    """Data of their form on the wire, exactly as long as count says.

    Raises BadFrame for another length, or what is neither digit nor bit.
    """
    size = data_size(bits, count, code, even=even)
    if len(raw) != size:
        raise BadFrame(f"data: {size} bytes must be there for {count} {_unit(bits)}, {len(raw)} are")
    if not bits:
        if code == "binary":
            return raw
        if not HEX.issuperset(raw):
            raise BadFrame(f"data: must be upper-case hexadecimal digits, is {raw[:40]!r}")
        return swapped(bytes.fromhex(raw.decode("ascii")))
    if code == "binary":
        each = bytearray(2 * size)
        each[0::2], each[1::2] = raw.translate(_HIGH_OF), raw.translate(_LOW_OF)
        values = bytes(each)
        wrong = values.strip(b"\0\1")
    else:
        values, wrong = raw.translate(_FROM_TEXT), raw.strip(b"01")
    if wrong:
        raise BadFrame(f"data: bits must be 0 or 1, are {raw[:40].hex(' ')}")
    return values[:count]


def swapped(data: bytes) -> bytes:
    """The two bytes of every word exchanged."""
    turned = bytearray(len(data))
    turned[0::2], turned[1::2] = data[1::2], data[0::2]
    return bytes(turned)


def to_numbers(data: bytes, bits: bool) -> list[int]:
    """Data as numbers: bits, or words without sign."""
    if bits:
        return list(data)
    return [low | high << 8 for low, high in zip(data[0::2], data[1::2], strict=True)]


def _unit(bits: bool) -> str:
    return "bits" if bits else "words"
