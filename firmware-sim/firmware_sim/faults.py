"""Which fault lies on which device and line of a running plant, and the reboots that end by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firmware_sim.behaviours import BEHAVIOURS, parse
from firmware_sim.behaviours.base import Behaviour
from firmware_sim.errors import FaultError
from firmware_sim.lines.delivery import Segment, Station


@dataclass(frozen=True, slots=True)
class Target:
    """What bears a name that faults are put on: a line, or one device of it."""

    bearer: Segment | Station
    segment: Segment

    @property
    def stations(self) -> list[Station]:
        """All of the line, or the one."""
        return [self.bearer] if isinstance(self.bearer, Station) else self.segment.stations


class Faults:
    """kinds: the faults that there are. restart: starts a device of that name anew. disconnect: lets the
    masters of a line go.
    """

    def __init__(self, seed: int, kinds: Mapping[str, type[Behaviour]] = BEHAVIOURS) -> None:
        self._seed = seed
        self._kinds = kinds
        self._targets: dict[str, Target] = {}
        self._restart: dict[str, Callable[[], None]] = {}
        self._disconnect: dict[str, Callable[[], None]] = {}
        self._reboots: dict[str, asyncio.TimerHandle] = {}

    def add_line(self, segment: Segment, disconnect: Callable[[], None]) -> None:
        self._targets[segment.name] = Target(segment, segment)
        self._disconnect[segment.name] = disconnect

    def add_device(self, station: Station, restart: Callable[[], None]) -> None:
        self._targets[station.name] = Target(station, station.segment)
        self._restart[station.name] = restart

    def put(self, name: str, text: str) -> None:
        """Put a fault on a device or line in place of the one before. Raises FaultError if it cannot be."""
        target = self._targets.get(name)
        if target is None:
            raise FaultError(f"name: must be one of {', '.join(sorted(self._targets))}, {name!r} is none")
        fault = parse(text, target.segment.framing, seed=f"{self._seed}:{name}", kinds=self._kinds)
        self._end_reboot(name)
        target.bearer.fault = fault
        if fault is not None and fault.lasts_s is not None:
            self._reboot(name, target, fault.lasts_s)

    def texts(self) -> dict[str, str]:
        """Fault by name of every device and line; "none" where there is none."""
        return {
            name: "none" if target.bearer.fault is None else target.bearer.fault.text
            for name, target in self._targets.items()
        }

    def close(self) -> None:
        for handle in self._reboots.values():
            handle.cancel()
        self._reboots.clear()

    def _reboot(self, name: str, target: Target, lasts_s: float) -> None:
        """Away now, back with the values of the start after lasts_s."""
        if len(target.stations) == len(target.segment.stations):
            self._disconnect[target.segment.name]()  # nobody else of the line holds the connection

        def back() -> None:
            del self._reboots[name]
            for station in target.stations:
                self._restart[station.name]()
            target.bearer.fault = None

        self._reboots[name] = asyncio.get_running_loop().call_later(lasts_s, back)

    def _end_reboot(self, name: str) -> None:
        handle = self._reboots.pop(name, None)
        if handle is not None:
            handle.cancel()
