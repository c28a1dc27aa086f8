"""What a fault is: it turns one answer into what really leaves the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from firmware_sim.errors import FaultError


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its sound answer. checksum_at: index of a checksum byte, None where there is none."""

    request: bytes
    answer: bytes
    checksum_at: int | None


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that leave delay_s later than they would. sound: the master can take the answer's value."""

    data: bytes
    delay_s: float = 0.0
    sound: bool = True


class Behaviour(Protocol):
    """One kind of fault, made from the text behind its name."""

    serial_only: bool

    def __init__(self, argument: str) -> None:
        """FaultError when the argument is wrong."""

    def pieces(self, exchange: Exchange) -> Sequence[Piece]: ...


class Fault:
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


def no_argument(name: str, argument: str) -> None:
    """FaultError when a fault that takes no argument was given one."""
    if argument:
        raise FaultError(f"{name}: takes no argument, {argument!r} was given")
