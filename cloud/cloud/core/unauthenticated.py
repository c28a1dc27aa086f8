"""A bound for connections that have not said who they are: a newcomer gets in, the oldest of a flood end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class ClientConnection:
    """One connection. end: closes it."""

    address: str
    end: Callable[[], None]


class UnauthenticatedClients:
    """Counts apart who is identified and who is not, so that nobody unidentified takes a place of the others.

    At a limit the oldest unidentified connection ends, of the address that has most of them.
    max_of_address: of unidentified ones; max_identified: of the others, None for any number.
    """

    def __init__(self, max_in_all: int, max_of_address: int, max_identified: int | None = None) -> None:
        self._max = max_in_all
        self._max_of_address = max_of_address
        self._max_identified = max_identified
        self._waiting: dict[ClientConnection, None] = {}
        self._of_address: Counter[str] = Counter()
        self._identified: set[ClientConnection] = set()

    @property
    def waiting(self) -> int:
        """How many connections are unidentified."""
        return len(self._waiting)

    def come(self, connection: ClientConnection) -> bool:
        """Let in an unidentified one; False when another had to end for it."""
        crowded = self._crowded(connection.address)
        if crowded is not None:
            oldest = next(one for one in self._waiting if one.address == crowded)
            self._remove(oldest)
            oldest.end()
        self._waiting[connection] = None
        self._of_address[connection.address] += 1
        return crowded is None

    def identified(self, connection: ClientConnection) -> bool:
        """It has said who it is; False when as many as may be have done so."""
        if connection in self._identified:
            return True
        if self._max_identified is not None and len(self._identified) >= self._max_identified:
            return False
        self._remove(connection)
        self._identified.add(connection)
        return True

    def leave(self, connection: ClientConnection) -> None:
        """It has ended."""
        self._remove(connection)
        self._identified.discard(connection)

    def end_waiting(self) -> None:
        """End every unidentified one."""
        for connection in list(self._waiting):
            connection.end()

    def _remove(self, connection: ClientConnection) -> None:
        if connection in self._waiting:
            del self._waiting[connection]
            self._of_address[connection.address] -= 1
            if not self._of_address[connection.address]:
                del self._of_address[connection.address]

    def _crowded(self, newcomer: str) -> str | None:
        """The address of which a connection has to end, if any."""
        if self._of_address.get(newcomer, 0) >= self._max_of_address:
            return newcomer
        return self._of_address.most_common(1)[0][0] if len(self._waiting) >= self._max else None
