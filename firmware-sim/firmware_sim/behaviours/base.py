"""What a fault is: it turns one answer into what really leaves the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, Protocol

from firmware_sim.behaviours.framing import Framing
from firmware_sim.errors import FaultError

Needs = Literal["serial", "checksum", "address"] | None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its sound answer. foreign: an earlier answer of another device on the line, or of this
    one where it stands alone."""

    request: bytes
    answer: bytes
    framing: Framing
    foreign: bytes = b""


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that leave delay_s later than they would. sound: the master can take the answer's value."""

    data: bytes
    delay_s: float = 0.0
    sound: bool = True


class Behaviour(Protocol):
    """One kind of fault, made from the text behind its name. needs: what the frames must have for it."""

    needs: Needs

    def __init__(self, argument: str, chance: Random) -> None:
        """FaultError when the argument is wrong."""

    def pieces(self, exchange: Exchange) -> Sequence[Piece]: ...


class Stage:
    """A behaviour that shows in every n-th answer."""

    def __init__(self, behaviour: Behaviour, every: int = 1) -> None:
        self.behaviour = behaviour
        self.every = every
        self._answers = 0

    def pieces(self, exchange: Exchange) -> Sequence[Piece]:
        self._answers += 1
        if self._answers % self.every:
            return (Piece(exchange.answer),)
        return self.behaviour.pieces(exchange)


class Fault:
    """Stages one behind the other: each works on what the one before it let out.

    lasts_s: the fault ends by itself after this time, and the device starts anew; None: it stays.
    """

    def __init__(self, text: str, stages: Sequence[Stage], lasts_s: float | None = None) -> None:
        self.text = text
        self.lasts_s = lasts_s
        self._stages = stages

    def pieces(self, exchange: Exchange) -> Sequence[Piece]:
        return self.applied((Piece(exchange.answer),), exchange)

    def applied(self, pieces: Sequence[Piece], exchange: Exchange) -> Sequence[Piece]:
        """What becomes of pieces that another fault made of the same exchange."""
        for stage in self._stages:
            pieces = [
                Piece(after.data, before.delay_s + after.delay_s, before.sound and after.sound)
                for before in pieces
                for after in stage.pieces(_of(exchange, before))
            ]
        return pieces


def _of(exchange: Exchange, piece: Piece) -> Exchange:
    return Exchange(exchange.request, piece.data, exchange.framing, exchange.foreign)


def no_argument(name: str, argument: str) -> None:
    """FaultError when a fault that takes no argument was given one."""
    if argument:
        raise FaultError(f"{name}: takes no argument, {argument!r} was given")


def whole_number(name: str, argument: str, low: int, high: int, unit: str) -> int:
    """A fault's number; FaultError names its limits."""
    if not (argument.isascii() and argument.isdecimal() and low <= int(argument) <= high):
        raise FaultError(f"{name}: needs {unit} from {low} to {high}, such as {name}:{max(low, high // 100)}")
    return int(argument)
