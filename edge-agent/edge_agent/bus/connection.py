"""Whether a port is open: opens it, suspects a connection that has gone silent, tries again after a pause."""

from __future__ import annotations

import logging

from edge_agent.bus.reads import Absences
from edge_agent.config.model import Port
from edge_agent.errors import PortDown
from edge_agent.protocols.base import Driver
from edge_agent.signals import signal
from edge_agent.system.clock import Clock
from edge_contract.trace import TraceKind

log = logging.getLogger(__name__)

FIRST_REOPEN_S = 1.0
MAX_REOPEN_S = 30.0  # a plugged-in adapter or a restarted converter is found within half a minute
DEAD_LINK_FAILURES = 5  # silent requests in a row on a NET port: the connection itself is suspected


class PortConnection:
    """silent_requests: in a row without an answer, counted by the port's owner.

    absences: when nothing could be read.
    """

    def __init__(self, port: Port, driver: Driver, clock: Clock) -> None:
        self.open = False
        self.silent_requests = 0
        self.absences = Absences()
        self._port = port
        self._driver = driver
        self._clock = clock
        self._was_down = False
        self._again_at = clock.monotonic()
        self._pause_s = FIRST_REOPEN_S

    @property
    def usable(self) -> bool:
        """Open, and nothing speaks against it."""
        return self.open and (self.silent_requests < DEAD_LINK_FAILURES or self._port.type == "COM")

    @property
    def pause_s(self) -> float:
        """Until the next attempt."""
        return 0.0 if self.open else self._again_at - self._clock.monotonic()

    async def renew(self) -> bool:
        """Connect; True when the port was closed before. PortDown when that fails."""
        if self.open:
            # A peer that vanished without a word leaves the connection half open: only a new one shows it.
            self.silent_requests = 0
            await self._driver.close()
            await self._driver.connect()
            return False
        await self._driver.connect()
        self.open = True
        self.absences.end(self._clock.monotonic(), PortDown.code)
        self._pause_s = FIRST_REOPEN_S
        if self._was_down:
            name = self._port.name
            log.info("port %s is open again", name, extra=signal(TraceKind.PORT, "opened", name))
            self._was_down = False
        return True

    async def lost(self, reason: object) -> bool:
        """Close; it is opened again after a growing pause. True when it was up before; logged once."""
        self.open = False
        self.absences.begin(self._clock.monotonic(), PortDown.code)
        self._again_at = self._clock.monotonic() + self._pause_s
        self._pause_s = min(2 * self._pause_s, MAX_REOPEN_S)
        await self._driver.close()
        if self._was_down:
            return False
        self._was_down = True
        name = self._port.name
        log.warning("port %s is down: %s", name, reason, extra=signal(TraceKind.PORT, "closed", name))
        return True
