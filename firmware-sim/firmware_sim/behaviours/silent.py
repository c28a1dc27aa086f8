"""The device takes the request and does not answer."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_sim.behaviours.base import Exchange, Piece, no_argument


class Silent:
    serial_only = False

    def __init__(self, argument: str) -> None:
        no_argument("silent", argument)

    def pieces(self, exchange: Exchange) -> Sequence[Piece]:
        return ()
