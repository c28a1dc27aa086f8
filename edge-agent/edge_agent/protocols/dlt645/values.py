"""Bytes of an item to a raw value and back. Pure."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

from edge_agent.errors import BadValue
from edge_agent.protocols.base import Raw
from edge_agent.protocols.dlt645.codec import int_to_bcd
from edge_agent.protocols.dlt645.items import Item

RELAY_OPEN = 0x10  # run-status word 3, bit 4
MINUS = 0x80  # the highest bit of a signed number's highest byte


def reader(item: Item, start: int | None = None) -> Callable[[bytes], Raw]:
    """Makes the item's value of an answer's value bytes.

    start: where the item begins in a block; None: the bytes are the item's and nobody else's. The value is
    None when bytes are missing, or too many, or a nibble is above 9.
    """
    if item.kind == "bcd":
        return _number(item, start)
    read = _relay if item.kind == "relay" else _digits
    begin, end = start or 0, (start or 0) + item.length

    def whole(data: bytes) -> Raw:
        part = data if start is None else data[begin:end]
        return read(part) if len(part) == item.length else None

    return whole


def value_of(item: Item, data: bytes) -> Raw:
    """The value of exactly the item's bytes."""
    return reader(item)(data)


def value_bytes(item: Item, raw: Raw) -> bytes:
    """Bytes of a value to write; BadValue when the item cannot hold it."""
    if item.kind == "digits":
        if not isinstance(raw, str) or len(raw) != 2 * item.length or not (raw.isascii() and raw.isdecimal()):
            raise BadValue(f"must be a text of {2 * item.length} digits")
        return bytes.fromhex(raw)[::-1]
    if not isinstance(raw, int | float) or not isfinite(raw):
        raise BadValue("must be a number")
    most = (8 * 10 ** (2 * item.length - 1) if item.signed else 100**item.length) - 1
    lowest, scale = -most if item.signed else 0, 10**item.decimals
    number = round(raw * scale)
    if not lowest <= number <= most:
        raise BadValue(f"must be from {lowest / scale:g} to {most / scale:.{item.decimals}f}")
    data = bytearray(int_to_bcd(abs(number), item.length))
    data[-1] |= MINUS if number < 0 else 0
    return bytes(data)


def _number(item: Item, start: int | None) -> Callable[[bytes], Raw]:
    """ValueError within: the hexadecimal digits are no decimal number."""
    length, scale = item.length, 10**item.decimals
    begin, end = start or 0, (start or 0) + length
    signed, alone = item.signed, start is None

    def read(data: bytes) -> Raw:
        part = data if alone else data[begin:end]
        if len(part) != length:
            return None
        try:
            if signed and part[-1] >= MINUS:
                number = -int((part[:-1] + bytes((part[-1] - MINUS,)))[::-1].hex())
            else:
                number = int(part[::-1].hex())
        except ValueError:
            return None
        return number / scale if scale != 1 else number

    return read


def _relay(data: bytes) -> Raw:
    return 0 if data[0] & RELAY_OPEN else 1


def _digits(data: bytes) -> Raw:
    text = data[::-1].hex()
    return text if text.isdecimal() else None
