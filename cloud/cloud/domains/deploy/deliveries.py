"""Which deployments gateways have, as far as this process knows.

In memory of the full process, which therefore deploys for all.
"""

from __future__ import annotations

from collections import deque

MAX_REMEMBERED = 4
"""Deployments remembered of a gateway: one is under way at a time, and one that was cancelled may be."""


class Deliveries:
    """What was handed to a gateway and is not known to be lost.

    A broker takes a message for a gateway that is dying, and a process may be killed before it publishes what
    it has written down as sent. So what a gateway does not name when it comes, and what a process finds sent
    and has not sent itself, goes out again; the gateway carries each out once (C-096).
    """

    def __init__(self) -> None:
        self._with: dict[str, deque[str]] = {}

    def has(self, gateway: str, deployment: str) -> bool:
        return deployment in self._with.get(gateway, ())

    def note(self, gateway: str, deployment: str) -> None:
        """The gateway has it, or will in a moment."""
        if not self.has(gateway, deployment):
            self._with.setdefault(gateway, deque(maxlen=MAX_REMEMBERED)).append(deployment)

    def lost(self, gateway: str, deployment: str) -> None:
        """It did not get out."""
        if self.has(gateway, deployment):
            self._with[gateway].remove(deployment)

    def came(self, gateway: str, named: str | None) -> None:
        """A hello: of all that was handed over the gateway has what it names."""
        self.forget(gateway)
        if named is not None:
            self.note(gateway, named)

    def forget(self, gateway: str) -> None:
        """A gateway is no more."""
        self._with.pop(gateway, None)
