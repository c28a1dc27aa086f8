"""What every serial line has, whatever its devices speak: its place, and the way of their answers to it."""

from __future__ import annotations

from collections.abc import Callable

from firmware_sim.devices.delivery import Delivery
from firmware_sim.devices.place import Place
from firmware_sim.ledger import Ledger


class SerialLine:
    """received: takes the bytes of masters, in any portions."""

    def __init__(self, place: Place, received: Callable[[bytes], None], ledger: Ledger | None) -> None:
        self.place = place
        self._end = place.end(received)
        self._delivery = Delivery(self._end.write, ledger)

    def open(self) -> None:
        """StartError when the line cannot be made."""
        self._end.open()

    def close(self) -> None:
        """Answers that wait do not leave any more."""
        self._delivery.close()
        self._end.close()
