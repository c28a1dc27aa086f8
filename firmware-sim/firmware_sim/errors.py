"""The simulator's one error tree."""

from __future__ import annotations

from collections.abc import Sequence


class SimulatorError(Exception):
    """Base of everything that the simulator raises on purpose; the text is meant for the user."""


class ScenarioError(SimulatorError):
    """A description is wrong. field: path such as devices[1].registers[3].address; rule: what it must be.

    others: what else is wrong with it; the text holds all of them, one a line.
    """

    def __init__(self, field: str, rule: str, others: Sequence[ScenarioError] = ()) -> None:
        super().__init__("\n".join([f"{field}: {rule}", *map(str, others)]))
        self.field = field
        self.rule = rule
        self.others = others


class FaultError(SimulatorError):
    """A fault was asked for that does not exist or does not fit the device."""


class StartError(SimulatorError):
    """A port, a line or the state folder cannot be used."""
