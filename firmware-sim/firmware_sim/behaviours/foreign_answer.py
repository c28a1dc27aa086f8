"""Instead of the answer an older one comes: of another device on the line, or of this one's past."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Exchange, Needs, Piece, no_argument


class ForeignAnswer:
    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        no_argument("foreign_answer", argument)

    def pieces(self, exchange: Exchange) -> Sequence[Piece]:
        """Nothing while nobody answered yet."""
        return (Piece(exchange.foreign, sound=False),) if exchange.foreign else ()
