"""The checksum of the answer is wrong, as after a disturbance of the line."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Chunk, Exchange, Needs, no_argument


class BadChecksum:
    needs: Needs = "checksum"

    def __init__(self, argument: str, chance: Random) -> None:
        no_argument("bad_checksum", argument)

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        spoil = exchange.framing.spoiled
        data = exchange.answer if spoil is None or not exchange.answer else spoil(exchange.answer)
        return (Chunk(data, sound=data == exchange.answer),)
