"""From the lines and devices of a description to those that run."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from firmware_sim.devices.all import LINE_KINDS
from firmware_sim.devices.base import RunningLine
from firmware_sim.devices.device import Device
from firmware_sim.devices.line_setup import LineSetup
from firmware_sim.errors import StartError
from firmware_sim.faults import Faults
from firmware_sim.lines.delivery import Segment, Station
from firmware_sim.plant.description import Description, Line, line_ports
from firmware_sim.process.process import Process
from firmware_sim.served_values import ServedValuesLog

MAX_PORT = 65_535


class Assembly:
    """first_port: of the first line behind a TCP port that names none; the next ones follow it. 0: free
    ones."""

    def __init__(
        self,
        process: Process,
        now: Callable[[], datetime],
        *,
        state: Path,
        seed: int,
        first_port: int,
        served_log: ServedValuesLog | None,
    ) -> None:
        self.faults = Faults(seed)
        self.stations: dict[str, Station] = {}
        self.refreshes: list[Callable[[], None]] = []
        self._process = process
        self._now = now
        self._state = state
        self._seed = seed
        self._first_port = first_port
        self._served_log = served_log

    def lines(self, plant: Description) -> dict[str, RunningLine]:
        """Every line of a plant with its devices, not yet open. Raises StartError for ports that are none."""
        ports = line_ports(plant, self._first_port)
        if max(ports.values(), default=0) > MAX_PORT:
            raise StartError(f"port {self._first_port}: {len(ports)} ports from it end above {MAX_PORT}")
        return {line.name: self._line(plant, line, ports.get(line.name, 0)) for line in plant.lines}

    def _line(self, plant: Description, line: Line, port: int) -> RunningLine:
        kind = LINE_KINDS[line.kind]
        setup: LineSetup[Device] = LineSetup(
            Segment(line.name, kind.framing),
            code=line.code,
            link=None if line.tcp else self._state / line.name,
            port=port,
            char_s=line.char_s,
            devices=[device for device in plant.devices if device.line == line.name],
            process=self._process,
            now=self._now,
            seed=self._seed,
            served_log=self._served_log,
        )
        running = kind.build(setup)
        self.faults.add_line(setup.segment, running.disconnect)
        for built in setup.built:
            self.stations[built.station.name] = built.station
            self.refreshes.append(built.refresh)
            self.faults.add_device(built.station, built.restart)
        return running
