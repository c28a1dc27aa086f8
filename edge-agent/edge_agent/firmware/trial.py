"""Watches a version on trial, from within: well for a time without a break, or left when its time is over."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

from edge_agent.firmware.health import UpgradeVerdict, compare
from edge_agent.firmware.slots import Baseline
from edge_agent.system.clock import Clock

LOOK_S = 1.0
STABLE_S = 20.0
"""So long all has to be well."""


class UpgradableGateway(Protocol):
    """What runs, as far as an upgrade has to know it."""

    def good(self) -> Collection[object]:
        """Points of which the newest value is good."""

    def answering(self) -> Collection[str]:
        """Slaves that answer."""

    def linked(self) -> bool:
        """The cloud has accepted this gateway."""


def baseline_of(gateway: UpgradableGateway) -> Baseline:
    """What is well now."""
    return Baseline(slaves=sorted(gateway.answering()), good=len(gateway.good()), linked=gateway.linked())


async def watch(
    gateway: UpgradableGateway,
    clock: Clock,
    before: Baseline,
    confirm_s: float,
    missing: Callable[[str], None],
) -> UpgradeVerdict:
    """How the trial ends. missing: is called with what is missing, whenever that changes.

    A link that was there once counts: a gateway that saves power closes it again.
    """
    end_s = clock.monotonic() + confirm_s
    well_since_s: float | None = None
    linked, said = False, ""
    while True:
        linked = linked or gateway.linked()
        verdict = compare(before, gateway.answering(), len(gateway.good()), linked=linked)
        now_s = clock.monotonic()
        if verdict.words != said:
            said = verdict.words
            missing(said)
        if verdict.code:
            well_since_s = None
        elif well_since_s is None:
            well_since_s = now_s
        if well_since_s is not None and now_s - well_since_s >= STABLE_S:
            return verdict
        if now_s >= end_s:
            return verdict if verdict.code else UpgradeVerdict("unsteady", "it was not well long enough")
        await clock.sleep(LOOK_S)
