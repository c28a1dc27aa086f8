"""The device is away for some seconds, then it is back with the values of its start."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from firmware_sim.behaviours.base import Exchange, Needs, Piece, whole_number

MOST_S = 3600


class Reboot:
    """Argument: seconds. Whoever puts the fault ends it after lasts_s and starts the device anew."""

    needs: Needs = None

    def __init__(self, argument: str, chance: Random) -> None:
        self.lasts_s = float(whole_number("reboot", argument, 1, MOST_S, "seconds"))

    def pieces(self, exchange: Exchange) -> Sequence[Piece]:
        return ()
