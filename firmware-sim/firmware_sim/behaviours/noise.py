"""Bytes that nobody sent stand before the answer, as when a driver of the line switches on."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Chunk, Exchange, Needs, integer_argument

MAX_BYTES = 256
USUAL_BYTES = 2


class Noise:
    """Argument: how many bytes, 2 when it is left out. A master may lose the answer through them."""

    needs: Needs = "serial"

    def __init__(self, argument: str, chance: Random) -> None:
        self._count = integer_argument("noise", argument, 1, MAX_BYTES, "bytes") if argument else USUAL_BYTES
        self._randbytes = chance.randbytes

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        return (Chunk(self._randbytes(self._count) + exchange.answer),)
