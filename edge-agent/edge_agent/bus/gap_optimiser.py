"""What a request of one slave costs, measured, and the hole that is worth reading along. Pure.

A request takes base_s + byte_s * bytes. On a serial line byte_s is known from the port's settings; on a
network it is measured, and mostly too small to matter.
"""

from __future__ import annotations

from edge_agent.config.model import Port
from edge_agent.protocols.base import GapRule

ENOUGH = 16
"""Requests measured before their figures are used."""
FADING = 0.98
"""Weight of what was measured before, for each new request: the last fifty count."""


def byte_s(port: Port) -> float | None:
    """Seconds of a character on the line: start, data, parity and stop bits; None on a network."""
    if port.type == "NET":
        return None
    bits = 1 + port.data_bits + (port.parity != "N") + port.stop_bits
    return bits / port.baud


class GapOptimiser:
    """Least squares over the requests of one slave, old ones fading."""

    def __init__(self, known_byte_s: float | None) -> None:
        self._known_byte_s = known_byte_s
        self.requests = 0
        self._n = self._x = self._y = self._xx = self._xy = 0.0

    def observe(self, wire_bytes: int, seconds: float) -> None:
        """One answered request."""
        self.requests += 1
        fading = FADING
        self._n = self._n * fading + 1
        self._x = self._x * fading + wire_bytes
        self._y = self._y * fading + seconds
        self._xx = self._xx * fading + wire_bytes * wire_bytes
        self._xy = self._xy * fading + wire_bytes * seconds

    def costs(self) -> tuple[float, float] | None:
        """base_s and byte_s; None before enough was measured."""
        if self.requests < ENOUGH:
            return None
        slope = self._known_byte_s
        if slope is None:
            spread = self._n * self._xx - self._x * self._x
            even = spread <= 1e-6 * self._n * self._xx  # requests of one size say nothing about a byte
            slope = 0.0 if even else max(0.0, (self._n * self._xy - self._x * self._y) / spread)
        return max(0.0, (self._y - slope * self._x) / self._n), slope

    def gap(self, rule: GapRule, pause_s: float) -> int | None:
        """Addresses to read along rather than ask twice. pause_s: silence that a further request costs."""
        costs = self.costs()
        if costs is None:
            return None
        base_s, slope = costs
        saved_s = base_s + pause_s + slope * rule.request_bytes
        along_s = slope * rule.unit_bytes
        return rule.max_gap if saved_s >= along_s * rule.max_gap else int(saved_s / along_s)
