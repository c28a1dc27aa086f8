"""The answer is sound and comes late: by a fixed time, or by one that chance draws anew each time."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Chunk, Exchange, Needs
from firmware_sim.errors import FaultError

MAX_MS = 600_000


class Slow:
    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        self._low_s, self._high_s = delay_range_s(argument)
        self._uniform = chance.uniform

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        if self._low_s == self._high_s:
            return (Chunk(exchange.answer, self._low_s),)
        return (Chunk(exchange.answer, self._uniform(self._low_s, self._high_s)),)


def delay_range_s(text: str) -> tuple[float, float]:
    """Seconds from and to, of milliseconds such as "300" or "20-50". Raises FaultError when they are none."""
    low, dash, high = text.partition("-")
    numbers = (low, high) if dash else (low, low)
    if not all(number.isascii() and number.isdecimal() and int(number) <= MAX_MS for number in numbers):
        raise FaultError(f"slow: needs milliseconds from 0 to {MAX_MS}, such as slow:300 or slow:20-50")
    low_s, high_s = (int(number) / 1000 for number in numbers)
    if low_s > high_s:
        raise FaultError(f"slow: must not begin above its end, {text} does")
    return low_s, high_s
