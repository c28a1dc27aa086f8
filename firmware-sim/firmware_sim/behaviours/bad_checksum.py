"""The checksum of the answer is wrong, as after a disturbance of the line."""

from __future__ import annotations

from collections.abc import Sequence

from firmware_sim.behaviours.base import Exchange, Piece, no_argument


class BadChecksum:
    serial_only = True

    def __init__(self, argument: str) -> None:
        no_argument("bad_checksum", argument)

    def pieces(self, exchange: Exchange) -> Sequence[Piece]:
        data = bytearray(exchange.answer)
        if exchange.checksum_at is not None:
            data[exchange.checksum_at] ^= 0xFF
        return (Piece(bytes(data), sound=False),)
