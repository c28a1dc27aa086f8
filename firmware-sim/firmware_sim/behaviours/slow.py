"""The answer is sound and comes late: by a fixed time, or by one that chance draws anew each time."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Exchange, Needs, Piece
from firmware_sim.errors import FaultError

MOST_MS = 600_000


class Slow:
    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        self._low_s, self._high_s = delay_range_s(argument)
        self._uniform = chance.uniform

    def pieces(self, exchange: Exchange) -> Sequence[Piece]:
        if self._low_s == self._high_s:
            return (Piece(exchange.answer, self._low_s),)
        return (Piece(exchange.answer, self._uniform(self._low_s, self._high_s)),)


def delay_range_s(text: str) -> tuple[float, float]:
    """Least and most seconds of a text of milliseconds, "300" or "20-50"; FaultError."""
    low, dash, high = text.partition("-")
    numbers = (low, high) if dash else (low, low)
    if not all(number.isascii() and number.isdecimal() and int(number) <= MOST_MS for number in numbers):
        raise FaultError(f"slow: needs milliseconds from 0 to {MOST_MS}, such as slow:300 or slow:20-50")
    least_s, most_s = (int(number) / 1000 for number in numbers)
    if least_s > most_s:
        raise FaultError(f"slow: must not begin above its end, {text} does")
    return least_s, most_s
