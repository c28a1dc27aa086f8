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
MINUS_DIGIT = 8  # the same of its highest digit


def digits_of(data: bytes) -> str:
    """An answer's value bytes as hexadecimal digits, the highest first, from which values are read."""
    return data[::-1].hex()


def reader(item: Item, start: int | None = None) -> Callable[[str], Raw]:
    """Makes the item's value of an answer's digits.

    start: byte where the item begins in a block; None: the digits are the item's and nobody else's. The value
    is None when bytes are missing, or too many, or a nibble is above 9.
    """
    read = _number(item) if item.kind == "bcd" else _relay if item.kind == "relay" else _text
    size = 2 * item.length

    def full_answer(digits: str) -> Raw:
        return read(digits) if len(digits) == size else None

    if start is None:
        return full_answer
    first, behind = -2 * (start + item.length), -2 * start or None

    def part(digits: str) -> Raw:
        return read(digits[first:behind]) if len(digits) >= -first else None

    return part


def value_of(item: Item, data: bytes) -> Raw:
    """The value of exactly the item's bytes."""
    return reader(item)(digits_of(data))


def value_bytes(item: Item, raw: Raw) -> bytes:
    """Bytes of a value to write; BadValue when the item cannot hold it."""
    if item.kind == "digits":
        if not isinstance(raw, str) or len(raw) != 2 * item.length or not (raw.isascii() and raw.isdecimal()):
            raise BadValue(f"must be a text of {2 * item.length} digits")
        return bytes.fromhex(raw)[::-1]
    if not isinstance(raw, int | float) or not isfinite(raw):
        raise BadValue("must be a number")
    highest = (8 * 10 ** (2 * item.length - 1) if item.signed else 100**item.length) - 1
    lowest, scale = -highest if item.signed else 0, 10**item.decimals
    number = round(raw * scale)
    if not lowest <= number <= highest:
        raise BadValue(f"must be from {lowest / scale:g} to {highest / scale:.{item.decimals}f}")
    data = bytearray(int_to_bcd(abs(number), item.length))
    data[-1] |= MINUS if number < 0 else 0
    return bytes(data)


def _number(item: Item) -> Callable[[str], Raw]:
    """Of a signed number the highest bit is its sign: digits from 8 on, or no decimal digits at all."""
    scale, signed = 10**item.decimals, item.signed
    minus = MINUS_DIGIT * 10 ** (2 * item.length - 1) if signed else 100**item.length

    def read(digits: str) -> Raw:
        try:
            number = int(digits)
        except ValueError:
            return _below(digits, scale) if signed else None
        if number >= minus:
            number = minus - number
        return number / scale if scale != 1 else number

    return read


def _below(digits: str, scale: int) -> Raw:
    """The number below zero whose highest digit is 2 to 7 beside the sign bit."""
    number = f"{int(digits[0], 16) - MINUS_DIGIT}{digits[1:]}"
    if not number.isdecimal():
        return None
    return -int(number) / scale if scale != 1 else -int(number)


def _relay(digits: str) -> Raw:
    return 0 if int(digits[-2:], 16) & RELAY_OPEN else 1


def _text(digits: str) -> Raw:
    return digits if digits.isdecimal() else None
