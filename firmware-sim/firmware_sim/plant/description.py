"""Typed description of a plant: signals, lines and the devices on them."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import msgspec

from firmware_sim.devices.all import DEVICES, LINE_KINDS
from firmware_sim.devices.device import Device, Part
from firmware_sim.process.signals import Name, Signal

if TYPE_CHECKING:
    LineKindName: TypeAlias = str
    AnyDevice: TypeAlias = Device
else:  # msgspec reads them: a line and a device are of a kind that there is
    LineKindName = Literal[tuple(LINE_KINDS)]
    AnyDevice = reduce(or_, (kind.description for kind in DEVICES if kind.description is not None))


class Line(Part, frozen=True, kw_only=True):
    """A TCP listener, or a pseudo terminal whose link in the state folder bears the line's name.

    over: a serial line may stand behind a TCP port, as a serial device server offers it. port: of TCP; 0: one
    that is chosen at the start. baud: what a character costs, in bits of which it has char_bits (10: 8N1,
    11: 8E1); None: nothing. code: of the frames. fault: of all that the line's devices send.
    """

    name: Name
    kind: LineKindName
    over: Literal["pty", "tcp"] = "pty"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 0
    baud: Annotated[int, msgspec.Meta(ge=300, le=921_600)] | None = None
    char_bits: Literal[10, 11] = 10
    code: Literal["binary", "ascii"] = "binary"
    fault: str = "none"

    @property
    def serial(self) -> bool:
        return LINE_KINDS[self.kind].serial

    @property
    def tcp(self) -> bool:
        """Whether a master finds it at a port."""
        return not self.serial or self.over == "tcp"

    @property
    def char_s(self) -> float:
        """Seconds of one character; 0 when it costs nothing."""
        return self.char_bits / self.baud if self.baud else 0.0


class Description(Part, frozen=True, kw_only=True):
    """A plant file as a whole. step_s: of the simulation, and how often registers change."""

    title: str
    step_s: Annotated[float, msgspec.Meta(ge=0.01, le=60)] = 0.2
    signals: list[Signal] = msgspec.field(default_factory=list)
    lines: Annotated[list[Line], msgspec.Meta(min_length=1, max_length=32)]
    devices: Annotated[list[AnyDevice], msgspec.Meta(min_length=1, max_length=247)]


def line_ports(plant: Description, first: int) -> dict[str, int]:
    """Port of every line behind one: its own, or from `first` upwards; 0: a free one."""
    tcp = [line for line in plant.lines if line.tcp]
    chosen = [line.name for line in tcp if not line.port]
    return {line.name: line.port or (first + chosen.index(line.name) if first else 0) for line in tcp}
