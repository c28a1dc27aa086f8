"""When a pulse speaks of the modem and of the bytes of the links (C-222)."""

from __future__ import annotations

from collections.abc import Callable

from edge_agent.system.clock import Clock
from edge_contract.cellular import LinkBytes, ModemState

REPORT_S = 600.0
"""They cost some 200 bytes of the link that they count."""


class NetworkReport:
    """Of one connection, which begins with a report."""

    def __init__(
        self, modem: Callable[[], ModemState | None], links: Callable[[], list[LinkBytes]], clock: Clock
    ) -> None:
        self._modem = modem
        self._links = links
        self._clock = clock
        self._said_at: float | None = None
        self._card = "", ""

    def take(self) -> tuple[ModemState | None, list[LinkBytes] | None]:
        """For the next pulse; nothing while the last report is new and the card is still that one."""
        modem, now = self._modem(), self._clock.monotonic()
        card = self._card if modem is None else (modem.imei, modem.iccid)
        if self._said_at is not None and now - self._said_at < REPORT_S and card == self._card:
            return None, None
        self._said_at, self._card = now, card
        return modem, self._links()
