"""Composition: a description to a running plant."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path

from firmware_sim.behaviours import parse
from firmware_sim.control import Control
from firmware_sim.devices.delivery import Station
from firmware_sim.devices.dlt645_line import Dlt645Line
from firmware_sim.devices.dlt645_meter import Dlt645Meter
from firmware_sim.devices.modbus_line import ModbusLine
from firmware_sim.devices.modbus_slave import ModbusSlave
from firmware_sim.devices.modbus_tcp import ModbusTcp
from firmware_sim.errors import FaultError, StartError
from firmware_sim.ledger import Ledger
from firmware_sim.plant.description import Description, Line, MeterDevice, ModbusDevice
from firmware_sim.plant.process import Process

log = logging.getLogger(__name__)

CHECKSUM_AT = {"modbus_tcp": None, "modbus_rtu": -1, "dlt645": -2}
MOST_STEPS = 2000  # done at once after the machine slept; the rest of the time never happened
SHORTEST_TICK_S = 0.02


class Simulator:
    """A plant with its lines. start: the plant's moment at its beginning, in local time without a zone."""

    def __init__(
        self,
        plant: Description,
        state: Path,
        *,
        start: datetime,
        modbus_port: int = 0,
        ledger: Ledger | None = None,
        seed: int = 1,
        speed: float = 1.0,
    ) -> None:
        day_s = (start - start.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
        self.process = Process(plant.signals, step_s=plant.step_s, seed=seed, day_s=day_s)
        self.stations: dict[str, Station] = {}
        self.lines: dict[str, ModbusTcp | ModbusLine | Dlt645Line] = {}
        self._start = start
        self._speed = speed
        self._seed = seed
        self._ledger = ledger
        self._state = state
        self._modbus_port = modbus_port
        self._refresh: list[Callable[[], None]] = []
        self._kinds = {line.name: line.kind for line in plant.lines}
        self._lines_of = {device.name: device.line for device in plant.devices}
        self._control = Control(state, self.put_fault)
        self._opened = ExitStack()
        for line in plant.lines:
            self.lines[line.name] = self._line(plant, line)
        for device in plant.devices:
            self.put_fault(device.name, device.fault)

    def put_fault(self, device: str, fault: str) -> None:
        """Put a fault on a device; FaultError when one of them does not exist."""
        station = self.stations.get(device)
        if station is None:
            raise FaultError(f"device: must be one of {', '.join(self.stations)}, {device!r} is none")
        station.fault = parse(fault, checksum=station.checksum_at is not None)

    def advance(self, elapsed_s: float) -> None:
        """Bring the plant to so many simulated seconds after its start."""
        while self.process.elapsed_s + self.process.step_s <= elapsed_s + 1e-9:
            self.process.step()
            for refresh in self._refresh:
                refresh()

    async def open(self) -> dict[str, object]:
        """Listen; StartError when something is taken. Returns what the ready line says."""
        try:
            self._opened.callback(self._lock().close)
            for line in self.lines.values():
                self._opened.callback(line.close)
                if isinstance(line, ModbusTcp):
                    await line.open()
                else:
                    line.open()
            self._opened.callback(self._control.close)
            await self._control.open()
        except BaseException:
            self._opened.close()
            raise
        tcp = [line.port for line in self.lines.values() if isinstance(line, ModbusTcp)]
        links = {name: str(self._state / name) for name, kind in self._kinds.items() if kind != "modbus_tcp"}
        return {"modbus_port": tcp[0] if tcp else None, "lines": links, "control_port": self._control.port}

    def close(self) -> None:
        self._opened.close()

    async def run(
        self,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Let time pass until cancelled."""
        tick_s = max(self.process.step_s / self._speed, SHORTEST_TICK_S)
        longest_s = MOST_STEPS * self.process.step_s
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

    def _line(self, plant: Description, line: Line) -> ModbusTcp | ModbusLine | Dlt645Line:
        devices = [device for device in plant.devices if device.line == line.name]
        link = self._state / line.name
        if line.kind == "dlt645":
            return Dlt645Line(link, [self._meter(d) for d in devices if isinstance(d, MeterDevice)])
        units = {d.unit: self._slave(d, line) for d in devices if isinstance(d, ModbusDevice)}
        if line.kind == "modbus_tcp":
            return ModbusTcp(self._modbus_port, units, self._ledger)
        return ModbusLine(link, units, self._ledger)

    def _meter(self, device: MeterDevice) -> tuple[Station, Dlt645Meter]:
        meter = Dlt645Meter(device, self.process, self.now, seed=self._seed)
        self._refresh.append(meter.refresh)
        return self._station(device, "dlt645"), meter

    def _slave(self, device: ModbusDevice, line: Line) -> tuple[Station, ModbusSlave]:
        ledger = self._ledger
        slave = ModbusSlave(
            device,
            self.process,
            seed=self._seed,
            resume=(lambda name: 0) if ledger is None else (lambda name: ledger.last(device.name, name)),
        )
        self._refresh.append(slave.refresh)
        return self._station(device, line.kind), slave

    def _station(self, device: MeterDevice | ModbusDevice, kind: str) -> Station:
        station = Station(
            device.name, turnaround_s=device.turnaround_ms / 1000, checksum_at=CHECKSUM_AT[kind]
        )
        self.stations[device.name] = station
        return station

    def _lock(self) -> ExitStack:
        """Two simulators on one state folder would take each other's lines."""
        held = ExitStack()
        try:
            self._state.mkdir(parents=True, exist_ok=True)
            file = held.enter_context((self._state / "lock").open("w"))
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            held.close()
            raise StartError(f"state folder {self._state}: {error.strerror}, or in use") from None
        return held
