"""Composition: a description to a running plant."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

from firmware_sim.assembly import Assembly
from firmware_sim.control import Control
from firmware_sim.devices.all import LINE_KINDS
from firmware_sim.plant.description import Description
from firmware_sim.process.process import Process
from firmware_sim.served_values import ServedValuesLog
from firmware_sim.state_folder import locked

log = logging.getLogger(__name__)

MAX_STEPS = 2000  # done at once after the machine slept; the rest of the time never happened
SHORTEST_TICK_S = 0.02


class Simulator:
    """A plant with its lines. start: the plant's moment at its beginning, in local time without a zone."""

    def __init__(
        self,
        plant: Description,
        state: Path,
        *,
        start: datetime,
        first_port: int = 0,
        served_log: ServedValuesLog | None = None,
        seed: int = 1,
        speed: float = 1.0,
    ) -> None:
        day_s = (start - start.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
        self.process = Process(plant.signals, step_s=plant.step_s, seed=seed, day_s=day_s)
        self._start = start
        self._speed = speed
        self._state = state
        self.plant = plant
        assembly = Assembly(
            self.process, self.now, state=state, seed=seed, first_port=first_port, served_log=served_log
        )
        self.lines = assembly.lines(plant)
        self.stations = assembly.stations
        self._refreshes = assembly.refreshes
        self._faults = assembly.faults
        self._control = Control(state, self._faults.put, self._faults.texts)
        self._opened = ExitStack()

    def put_fault(self, name: str, fault: str) -> None:
        """Put a fault on a device or line. Raises FaultError when one of them does not exist."""
        self._faults.put(name, fault)

    def faults(self) -> dict[str, str]:
        """Fault by name of every device and line."""
        return self._faults.texts()

    def port(self, line: str) -> int:
        """Of a line behind a TCP port, once it is open."""
        port = self.lines[line].port
        assert port is not None, line
        return port

    def link(self, line: str) -> Path:
        """Of a line that is a pseudo terminal."""
        return self._state / line

    def advance(self, elapsed_s: float) -> None:
        """Bring the plant to so many simulated seconds after its start."""
        while self.process.elapsed_s + self.process.step_s <= elapsed_s + 1e-9:
            self.process.step()
            for refresh in self._refreshes:
                refresh()

    async def open(self) -> dict[str, object]:
        """Listen. Raises StartError when something is taken. Returns what the ready line says."""
        try:
            self._opened.callback(locked(self._state).close)
            self._opened.callback(self._faults.close)
            for line in self.plant.lines:
                self._faults.put(line.name, line.fault)
            for device in self.plant.devices:
                self._faults.put(device.name, device.fault)
            for running in self.lines.values():
                self._opened.callback(running.close)
                opening = running.open()
                if opening is not None:
                    await opening
            self._opened.callback(self._control.close)
            await self._control.open()
        except BaseException:
            self._opened.close()
            raise
        return self._ready()

    def _ready(self) -> dict[str, object]:
        """lines: links of pseudo terminals. ports: all others. Some kinds have their first port besides."""
        ports = {line.name: self.port(line.name) for line in self.plant.lines if line.tcp}
        first_ports: dict[str, int | None] = {}
        for kind in LINE_KINDS.values():
            if kind.port_key:
                of_kind = [ports[line.name] for line in self.plant.lines if line.kind == kind.name]
                first_ports[kind.port_key] = of_kind[0] if of_kind else None
        return {
            **first_ports,
            "lines": {line.name: str(self.link(line.name)) for line in self.plant.lines if not line.tcp},
            "ports": ports,
            "control_port": self._control.port,
        }

    def close(self) -> None:
        self._opened.close()

    async def run(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Let time pass until cancelled."""
        tick_s = max(self.process.step_s / self._speed, SHORTEST_TICK_S)
        longest_s = MAX_STEPS * self.process.step_s
        begin, skipped_s = clock(), 0.0
        while True:
            await sleep(tick_s)
            elapsed_s = (clock() - begin) * self._speed - skipped_s
            late_s = elapsed_s - self.process.elapsed_s - longest_s
            if late_s > 0:
                log.warning("the plant is %.0f s behind and leaves them out", late_s)
                skipped_s += late_s
                elapsed_s -= late_s
            self.advance(elapsed_s)

    def now(self) -> datetime:
        """The plant's moment."""
        return self._start + timedelta(seconds=self.process.elapsed_s)
