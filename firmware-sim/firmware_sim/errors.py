"""The simulator's one error tree."""

from __future__ import annotations


class SimulatorError(Exception):
    """Base of everything that the simulator raises on purpose; the text is meant for the user."""


class ScenarioError(SimulatorError):
    """A description is wrong. field: path such as devices[1].registers[3].address; rule: what it must be."""

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class FaultError(SimulatorError):
    """A fault was asked for that does not exist or does not fit the device."""


class StartError(SimulatorError):
    """A port, a line or the state folder cannot be used."""
