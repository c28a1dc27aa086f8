"""The line gives the request back before the answer, as a two-wire adapter does that hears itself."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_sim.behaviours.base import Exchange, Piece, no_argument


class Echo:
    serial_only = True

    def __init__(self, argument: str) -> None:
        no_argument("echo", argument)

    def pieces(self, exchange: Exchange) -> Sequence[Piece]:
        return (Piece(exchange.request + exchange.answer),)
