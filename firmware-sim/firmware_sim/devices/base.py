"""What a kind of simulated device is: its part of a scenario, its lines, its commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from firmware_sim.behaviours.framing import Framing
from firmware_sim.command_line import Command
from firmware_sim.devices.device import Device
from firmware_sim.devices.line_setup import LineSetup


class RunningLine(Protocol):
    """What every line can do, whatever it carries."""

    @property
    def port(self) -> int | None:
        """Of TCP, once it is open; None for a pseudo terminal."""

    def open(self) -> Awaitable[None] | None:
        """Raises StartError when its port or link is taken."""

    def disconnect(self) -> None:
        """Let every master go, as a restart does."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class LineKind:
    """What carries devices. name: in plant files. codes: in which its frames can be written, the usual first.

    port_key: under which the ready line of `run` has the port of the first one besides; "": not.
    """

    name: str
    framing: Framing
    build: Callable[[LineSetup[Any]], RunningLine]
    codes: tuple[str, ...] = ("binary",)
    port_key: str = ""

    @property
    def serial(self) -> bool:
        return self.framing.serial


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """description: of one device in a plant file; None: none stands there, commands serve it alone."""

    description: type[Device] | None = None
    lines: tuple[LineKind, ...] = ()
    commands: tuple[Command, ...] = ()
