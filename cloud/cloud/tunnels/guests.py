"""Room for connections to a page's listener: who has shown a session keeps it, whatever strangers do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

MOST_KNOWN = 32
MOST_STRANGERS = 64
MOST_STRANGERS_OF_ADDRESS = 16
"""A browser comes with six connections, all strangers until their first request."""


@dataclass(frozen=True, eq=False)
class Guest:
    """A connection. send_away: ends it."""

    address: str
    send_away: Callable[[], None]


class Guests:
    """A newcomer gets in; where there is no room the oldest stranger goes, of the address with most."""

    def __init__(self) -> None:
        self._strangers: dict[Guest, None] = {}
        self._known: set[Guest] = set()

    def come(self, guest: Guest) -> bool:
        """Let in as a stranger; False when another had to go for it."""
        crowded = self._crowded(guest.address)
        if crowded is not None:
            oldest = next(one for one in self._strangers if one.address == crowded)
            del self._strangers[oldest]
            oldest.send_away()
        self._strangers[guest] = None
        return crowded is None

    def knows(self, guest: Guest) -> bool:
        """It has shown a valid session; False when as many as may be have done so."""
        if guest in self._known:
            return True
        if len(self._known) >= MOST_KNOWN:
            return False
        self._strangers.pop(guest, None)
        self._known.add(guest)
        return True

    def leave(self, guest: Guest) -> None:
        """Its connection has ended."""
        self._strangers.pop(guest, None)
        self._known.discard(guest)

    def _crowded(self, newcomer: str) -> str | None:
        """The address that has to make room, if any."""
        of_address = Counter(one.address for one in self._strangers)
        if of_address[newcomer] >= MOST_STRANGERS_OF_ADDRESS:
            return newcomer
        return of_address.most_common(1)[0][0] if len(self._strangers) >= MOST_STRANGERS else None
