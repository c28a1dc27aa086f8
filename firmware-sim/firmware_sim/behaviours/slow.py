"""The answer is sound and comes late."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_sim.behaviours.base import Exchange, Piece
from firmware_sim.errors import FaultError

MOST_MS = 600_000


class Slow:
    serial_only = False

    def __init__(self, argument: str) -> None:
        if not (argument.isascii() and argument.isdecimal() and int(argument) <= MOST_MS):
            raise FaultError(f"slow: needs milliseconds from 0 to {MOST_MS}, such as slow:300")
        self._delay_s = int(argument) / 1000

    def pieces(self, exchange: Exchange) -> Sequence[Piece]:
        return (Piece(exchange.answer, self._delay_s),)
