"""What the devices of one line are built with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Generic, Literal, TypeVar

from firmware_sim.devices.device import Device
from firmware_sim.lines.delivery import Segment, Station
from firmware_sim.lines.place import Place
from firmware_sim.process.process import Process
from firmware_sim.served_values import ServedValuesLog

D = TypeVar("D", bound=Device)


@dataclass(frozen=True, slots=True)
class BuiltDevice:
    """refresh: shows the process of the moment. restart: after a loss of power."""

    station: Station
    refresh: Callable[[], None]
    restart: Callable[[], None]


@dataclass(frozen=True, slots=True)
class LineSetup(Generic[D]):
    """code: of its frames. link: of a pseudo terminal; None behind a port. port: 0: a free one.

    char_s: seconds of one character. now: the plant's moment. built: what `add` was given.
    """

    segment: Segment
    code: Literal["binary", "ascii"]
    link: Path | None
    port: int
    char_s: float
    devices: Sequence[D]
    process: Process
    now: Callable[[], datetime]
    seed: int
    served_log: ServedValuesLog | None
    built: list[BuiltDevice] = field(default_factory=list)

    def place(self) -> Place:
        """Where masters find a serial line."""
        return Place(self.link, port=self.port, char_s=self.char_s)

    def add(self, device: D, refresh: Callable[[], None], restart: Callable[[], None]) -> Station:
        """A device that was built for the line; faults can be put on its station."""
        station = Station(device.name, self.segment, turnaround_s=device.turnaround_ms / 1000)
        self.built.append(BuiltDevice(station, refresh, restart))
        return station

    def resume(self, device: D) -> Callable[[str], int]:
        """Where a counter of an earlier run with the same served-values log stood."""
        served_log = self.served_log
        return (lambda name: 0) if served_log is None else (lambda name: served_log.last(device.name, name))

    def wrote(self, device: D) -> Callable[[Sequence[tuple[str, int]]], None]:
        """Notes what was written to registers of the served-values log."""
        served_log = self.served_log
        if served_log is None:
            return lambda written: None
        return lambda written: served_log.note(device.name, written, written=True)
