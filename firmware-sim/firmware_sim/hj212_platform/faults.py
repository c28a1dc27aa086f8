"""Faults of what a platform sends. One fault a class; PLATFORM_FAULTS is the list."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours import BEHAVIOURS
from firmware_sim.behaviours.base import Behaviour, Chunk, Exchange, Needs, integer_argument, no_argument
from firmware_sim.behaviours.framing import Framing
from firmware_sim.hj212_platform.packet_bytes import with_field

MAX_BYTES = 2048
MAX_MS = 600_000
GARBAGE = b"##0123456789;&&CP=QN\r\n\x00\xff"
"""Of what garbage is made: most of it looks like parts of a packet."""


class Halves:
    """The packet comes in two segments. Argument: milliseconds between them."""

    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        self._pause_s = integer_argument("halves", argument, 1, MAX_MS, "milliseconds") / 1000

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        middle = len(exchange.answer) // 2
        first, second = exchange.answer[:middle], exchange.answer[middle:]
        return (Chunk(first, sound=False), Chunk(second, self._pause_s))


class Together:
    """A packet waits for the next one to the same station; both leave in one segment."""

    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        no_argument("together", argument)
        self._waiting = b""

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        if not self._waiting:
            self._waiting = exchange.answer
            return ()
        both, self._waiting = self._waiting + exchange.answer, b""
        return (Chunk(both),)


class Duplicate:
    """Every packet comes twice, in one segment."""

    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        no_argument("duplicate", argument)

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        return (Chunk(exchange.answer * 2),)


class Garbage:
    """Bytes that are no packet stand before it. Argument: how many."""

    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        self._count = integer_argument("garbage", argument, 1, MAX_BYTES, "bytes")
        self._choices = chance.choices

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        return (Chunk(bytes(self._choices(GARBAGE, k=self._count)) + exchange.answer),)


class WrongQn:
    """The packet is sound and names another exchange."""

    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        no_argument("wrong_qn", argument)

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        data = with_field(exchange.answer, "QN", _next_digits)
        return (Chunk(data, sound=data == exchange.answer),)


class Close:
    """The connection ends within the packet. Argument: bytes that still leave."""

    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        self._count = integer_argument("close", argument, 0, MAX_BYTES, "bytes")

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        sound = self._count >= len(exchange.answer)
        return (Chunk(exchange.answer[: self._count], sound=sound, closes=True),)


def _next_digits(number: str) -> str:
    return f"{(int(number) + 1) % 10 ** len(number):0{len(number)}}"


def _with_other_digits(packet: bytes) -> bytes:
    return b"%b%04X\r\n" % (packet[:-6], int(packet[-6:-2], 16) ^ 0xFFFF)


def _next_mn(mn: str) -> str:
    return mn[:-1] + ("1" if mn.endswith("0") else "0")


FRAMING = Framing(
    "HJ 212",
    serial=False,
    spoiled=_with_other_digits,
    moved=lambda packet: with_field(packet, "MN", _next_mn),
)

OF_DEVICES = ("silent", "slow", "half_frame", "bad_checksum", "wrong_address", "foreign_answer", "reboot")

PLATFORM_FAULTS: dict[str, type[Behaviour]] = {
    **{name: BEHAVIOURS[name] for name in OF_DEVICES},
    "halves": Halves,
    "together": Together,
    "duplicate": Duplicate,
    "garbage": Garbage,
    "wrong_qn": WrongQn,
    "close": Close,
}
"""By name. reboot, put on the platform: connections are refused for some seconds."""
