"""The line gives the request back before the answer, as a two-wire adapter does that hears itself."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Chunk, Exchange, Needs, no_argument


class Echo:
    needs: Needs = "serial"

    def __init__(self, argument: str, chance: Random) -> None:
        no_argument("echo", argument)

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        return (Chunk(exchange.request + exchange.answer),)
