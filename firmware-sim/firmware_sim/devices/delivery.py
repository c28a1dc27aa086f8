"""From a device's sound answer to the bytes on the wire: turnaround, fault, ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from firmware_sim.behaviours import Exchange, Fault, Piece
from firmware_sim.ledger import Ledger

MOST_WAITING = 64
"""Delayed answers of one line or connection; more than a master can have outstanding."""


class Station:
    """A device's place on a line, which a fault may be put on. checksum_at: as in Exchange."""

    def __init__(self, name: str, *, turnaround_s: float, checksum_at: int | None) -> None:
        self.name = name
        self.turnaround_s = turnaround_s
        self.checksum_at = checksum_at
        self.fault: Fault | None = None

    @property
    def direct(self) -> bool:
        """Answers leave at once and as they are."""
        return self.fault is None and not self.turnaround_s


class Delivery:
    """Sends the answers of one line or connection. write: False when nobody is there to take the bytes."""

    def __init__(self, write: Callable[[bytes], bool], ledger: Ledger | None) -> None:
        self.dropped = 0
        self._write = write
        self._ledger = ledger
        self._waiting: set[asyncio.TimerHandle] = set()

    def send(
        self, station: Station, request: bytes, answer: bytes, served: Sequence[tuple[str, int]] = ()
    ) -> None:
        """served: values of the answer that the ledger must hold before they leave."""
        if station.direct:
            self._out(station, Piece(answer), served)
            return
        pieces: Sequence[Piece] = (Piece(answer),)
        if station.fault is not None:
            pieces = station.fault.pieces(Exchange(request, answer, station.checksum_at))
        for piece in pieces:
            self._later(station, piece, served)

    def close(self) -> None:
        """Answers that wait do not leave any more."""
        for handle in self._waiting:
            handle.cancel()
        self._waiting.clear()

    def _later(self, station: Station, piece: Piece, served: Sequence[tuple[str, int]]) -> None:
        delay_s = station.turnaround_s + piece.delay_s
        if not delay_s:
            self._out(station, piece, served)
            return
        if len(self._waiting) >= MOST_WAITING:
            self.dropped += 1
            return

        def due() -> None:
            self._waiting.discard(handle)
            self._out(station, piece, served)

        handle = asyncio.get_running_loop().call_later(delay_s, due)
        self._waiting.add(handle)

    def _out(self, station: Station, piece: Piece, served: Sequence[tuple[str, int]]) -> None:
        if served and piece.sound and self._ledger is not None:
            self._ledger.note(station.name, served)
        if not self._write(piece.data):
            self.dropped += 1
