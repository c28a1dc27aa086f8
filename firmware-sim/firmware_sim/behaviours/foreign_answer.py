"""Instead of the answer an older one comes: of another device on the line, or of this one's past."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Chunk, Exchange, Needs, no_argument


class ForeignAnswer:
    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        no_argument("foreign_answer", argument)

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        """Nothing while nobody answered yet."""
        return (Chunk(exchange.foreign, sound=False),) if exchange.foreign else ()
