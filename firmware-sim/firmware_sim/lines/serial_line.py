"""What every serial line has, whatever its devices speak: its place, and the way of their answers to it."""

from __future__ import annotations

from collections.abc import Callable

from firmware_sim.lines.delivery import Delivery
from firmware_sim.lines.place import Place
from firmware_sim.served_values import ServedValuesLog


class SerialLine:
    """received: takes the bytes of masters, in any portions."""

    def __init__(
        self, place: Place, received: Callable[[bytes], None], served_log: ServedValuesLog | None
    ) -> None:
        self.place = place
        self._end = place.end(received)
        self._delivery = Delivery(self._end.write, served_log)

    @property
    def port(self) -> int | None:
        """The TCP port, once the line is open; None for a pseudo terminal."""
        return self.place.port

    def disconnect(self) -> None:
        """Let the masters of a TCP port go; a cable cannot do that."""
        self.place.disconnect()

    def open(self) -> None:
        """Raises StartError when the line cannot be made."""
        self._end.open()

    def close(self) -> None:
        """Answers that wait do not leave any more."""
        self._delivery.close()
        self._end.close()
