"""Whether a version on trial collects and is linked as the one before it. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from edge_agent.firmware.slots import Baseline

GOOD_SHARE = 0.9
"""Of the points that were good so many must be good again."""
MAX_NAMED = 5


@dataclass(frozen=True)
class UpgradeVerdict:
    """code: slaves, points or link, empty when all is well; words: the same for a person."""

    code: str = ""
    words: str = ""


def compare(before: Baseline, answering: Collection[str], good: int, *, linked: bool) -> UpgradeVerdict:
    """good: points whose newest value is good; linked: the cloud has accepted this version."""
    silent = sorted(set(before.slaves) - set(answering))
    if silent:
        more = f" and {len(silent) - MAX_NAMED} more" if len(silent) > MAX_NAMED else ""
        return UpgradeVerdict("slaves", f"silent: {', '.join(silent[:MAX_NAMED])}{more}")
    if good < before.good * GOOD_SHARE:
        return UpgradeVerdict("points", f"{good} points are good, {before.good} were")
    if before.linked and not linked:
        return UpgradeVerdict("link", "no link to the cloud")
    return UpgradeVerdict()
