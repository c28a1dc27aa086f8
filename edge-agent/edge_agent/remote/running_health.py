"""What a running set of parts reports of its health."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from edge_agent.config.model import Configuration
from edge_agent.forwarding.link import LinkState
from edge_agent.model import DeviceState, PointKey, Quality
from edge_agent.points import LiveTable

UNASKED = frozenset({"never_read", "port_lent"})
"""Reasons of a slave that may answer, if only somebody asked it."""


@dataclass(frozen=True)
class RunningHealth:
    """numbers: of every point in live."""

    configuration: Configuration
    numbers: Mapping[PointKey, int]
    live: LiveTable
    slaves: Callable[[], Sequence[DeviceState]]
    link: LinkState

    def good(self) -> set[PointKey]:
        """Points of which the newest value is good."""
        good = {sample.point for sample in self.live.snapshot() if sample.quality is Quality.GOOD}
        return {key for key, number in self.numbers.items() if number in good}

    def answering(self) -> set[str]:
        """Slaves that answer."""
        return {state.slave for state in self.slaves() if state.online}

    def answered(self, before: Collection[str]) -> set[str]:
        """Slaves that answered when they were last asked; before: those of before these parts ran."""
        return {
            state.slave
            for state in self.slaves()
            if state.heard or (state.reason in UNASKED and not state.last_good_ms and state.slave in before)
        }

    def linked(self) -> bool:
        """The cloud has accepted this gateway."""
        return self.link.accepted

    def reasons(self) -> dict[str, str]:
        """Why a slave is silent, by name; "": why there is no link."""
        silent = {state.slave: state.reason for state in self.slaves() if not state.online}
        return {**silent, "": self.link.reason}
