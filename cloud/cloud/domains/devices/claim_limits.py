"""How many serial numbers a tenant may hold without a gateway behind them. Pure.

Who adds a serial number has it, whoever owns the device. A gateway that has connected has shown that it knows
the secret which was made for it and counts no more; what is left is bounded, and the platform deletes what
should not be there.
"""

from __future__ import annotations

from dataclasses import dataclass

from cloud.errors import Busy, Conflict

HOUR_MS = 3_600_000


@dataclass(frozen=True)
class ClaimLimits:
    """unconnected: serial numbers of which no gateway ever connected. in_an_hour: of those the new ones."""

    unconnected: int
    in_an_hour: int


SELLERS = ClaimLimits(10_000, 10_000)
"""Factories and agents, who add what they deliver."""

OTHERS = ClaimLimits(500, 200)

_SELLING = (1, 2)


def limits_of(user_type: int) -> ClaimLimits:
    """user_type: of the topmost user of a tenant, or of one user."""
    return SELLERS if user_type in _SELLING else OTHERS


def refuse_too_many(limits: ClaimLimits, unconnected: int, in_an_hour: int, more: int) -> None:
    """Conflict or Busy when so many more would be too many."""
    if unconnected + more > limits.unconnected:
        raise Conflict(
            f"at most {limits.unconnected} gateways that never connected",
            reason="device.too_many_unconnected",
            arguments={"most": limits.unconnected},
        )
    if in_an_hour + more > limits.in_an_hour:
        raise Busy(
            f"at most {limits.in_an_hour} new gateways an hour",
            reason="device.too_many_new",
            arguments={"most": limits.in_an_hour},
        )
