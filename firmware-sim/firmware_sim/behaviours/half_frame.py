"""The answer breaks off in its middle."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Chunk, Exchange, Needs, no_argument


class HalfFrame:
    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        no_argument("half_frame", argument)

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        return (Chunk(exchange.answer[: len(exchange.answer) // 2], sound=False),)
