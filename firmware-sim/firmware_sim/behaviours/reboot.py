"""The device is away for some seconds, then it is back with the values of its start."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Chunk, Exchange, Needs, integer_argument

MAX_S = 3600


class Reboot:
    """Argument: seconds. Whoever puts the fault ends it after lasts_s and starts the device anew."""

    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        self.lasts_s = float(integer_argument("reboot", argument, 1, MAX_S, "seconds"))

    def chunks(self, exchange: Exchange) -> Sequence[Chunk]:
        return ()
