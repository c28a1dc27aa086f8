"""The answer is whole and its checksum right, but it says that another device sent it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Chunk, Exchange, Needs, no_argument


class WrongAddress:
    needs: Needs = "address"

    def __init__(self, argument: str, chance: Random) -> None:
        no_argument("wrong_address", argument)

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        move = exchange.framing.moved
        data = exchange.answer if move is None or not exchange.answer else move(exchange.answer)
        return (Chunk(data, sound=data == exchange.answer),)
