"""The device takes the request and does not answer."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Chunk, Exchange, Needs, no_argument


class Silent:
    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        no_argument("silent", argument)

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        return ()
