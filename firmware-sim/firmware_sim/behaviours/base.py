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
class Chunk:
    """Bytes that leave delay_s later than they would. sound: the master can take the answer's value.

    closes: the connection ends behind them; a serial line has none.
    """

    data: bytes
    delay_s: float = 0.0
    sound: bool = True
    closes: bool = False


class Behaviour(Protocol):
    """One kind of fault, made from the text behind its name. needs: what the frames must have for it."""

    needs: Needs

    def __init__(self, argument: str, chance: Random) -> None:
        """Raises FaultError when the argument is wrong."""

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]: ...


class Stage:
    """A behaviour that shows in every n-th answer."""

    def __init__(self, behaviour: Behaviour, every: int = 1) -> None:
        self.behaviour = behaviour
        self.every = every
        self._answers = 0

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        self._answers += 1
        if self._answers % self.every:
            return (Chunk(exchange.answer),)
        return self.behaviour.chunks(exchange)


class Fault:
    """Stages one behind the other: each works on what the one before it let out.

    lasts_s: the fault ends by itself after this time, and the device starts anew; None: it stays.
    """

    def __init__(self, text: str, stages: Sequence[Stage], lasts_s: float | None = None) -> None:
        self.text = text
        self.lasts_s = lasts_s
        self._stages = stages

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        return self.applied((Chunk(exchange.answer),), exchange)

    def applied(self, chunks: Sequence[Chunk], exchange: Exchange) -> Sequence[Chunk]:
        """What becomes of chunks that another fault made of the same exchange."""
        for stage in self._stages:
            chunks = [
                Chunk(
                    after.data,
                    before.delay_s + after.delay_s,
                    before.sound and after.sound,
                    before.closes or after.closes,
                )
                for before in chunks
                for after in stage.chunks(_of(exchange, before))
            ]
        return chunks


def _of(exchange: Exchange, chunk: Chunk) -> Exchange:
    return Exchange(exchange.request, chunk.data, exchange.framing, exchange.foreign)


def no_argument(name: str, argument: str) -> None:
    """Raises FaultError when a fault that takes no argument was given one."""
    if argument:
        raise FaultError(f"{name}: takes no argument, {argument!r} was given")


def integer_argument(name: str, argument: str, low: int, high: int, unit: str) -> int:
    """A fault's number. Raises FaultError, with the limits, when it is none within them."""
    if not (argument.isascii() and argument.isdecimal() and low <= int(argument) <= high):
        raise FaultError(f"{name}: needs {unit} from {low} to {high}, such as {name}:{max(low, high // 100)}")
    return int(argument)
