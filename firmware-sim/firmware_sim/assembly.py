"""From the lines and devices of a description to those that run. Who adds a protocol adds a builder here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeVar

from edge_agent.protocols.mc.codec import Frame, Route
from edge_agent.protocols.mc.frame_1e import Frame1E
from edge_agent.protocols.mc.frame_3e import Frame3E
from firmware_sim.behaviours import FRAMINGS
from firmware_sim.devices.delivery import Segment, Station
from firmware_sim.devices.dlt645_line import Dlt645Line
from firmware_sim.devices.dlt645_meter import Dlt645Meter
from firmware_sim.devices.fx_line import FxLine
from firmware_sim.devices.fx_plc import FxPlc
from firmware_sim.devices.mc_plc import McPlc
from firmware_sim.devices.mc_tcp import McTcp
from firmware_sim.devices.modbus_line import ModbusLine
from firmware_sim.devices.modbus_slave import ModbusSlave
from firmware_sim.devices.modbus_tcp import ModbusTcp
from firmware_sim.devices.place import Place
from firmware_sim.devices.ppi_line import PpiLine
from firmware_sim.devices.s7_plc import S7Plc
from firmware_sim.devices.s7_tcp import S7Tcp
from firmware_sim.errors import StartError
from firmware_sim.faults import Faults
from firmware_sim.ledger import Ledger
from firmware_sim.plant.description import (
    AnyDevice,
    Description,
    FxDevice,
    Line,
    McDevice,
    MeterDevice,
    ModbusDevice,
    PpiDevice,
    S7Device,
    line_ports,
)
from firmware_sim.plant.process import Process

HIGHEST_PORT = 65_535

Kind = TypeVar("Kind")


class RunningLine(Protocol):
    """What every line can do, whatever it carries."""

    def open(self) -> Awaitable[None] | None:
        """StartError when its port or link is taken."""

    def close(self) -> None: ...


class Assembly:
    """port: of the first line behind a TCP port that names none; the next ones follow it. 0: free ones."""

    def __init__(
        self,
        process: Process,
        now: Callable[[], datetime],
        *,
        state: Path,
        seed: int,
        port: int,
        ledger: Ledger | None,
    ) -> None:
        self.faults = Faults(seed)
        self.stations: dict[str, Station] = {}
        self.places: dict[str, Place] = {}
        self.refreshes: list[Callable[[], None]] = []
        self._process = process
        self._now = now
        self._state = state
        self._seed = seed
        self._port = port
        self._ledger = ledger
        self._builders: dict[str, Callable[[Line, Segment, Sequence[AnyDevice], int], RunningLine]] = {
            "modbus_tcp": self._modbus_tcp,
            "modbus_rtu": self._modbus_line,
            "dlt645": self._dlt645_line,
            "s7": self._s7_tcp,
            "ppi": self._ppi_line,
            "fx": self._fx_line,
            "mc_1e": self._mc_tcp,
            "mc_3e": self._mc_tcp,
        }

    def lines(self, plant: Description) -> dict[str, RunningLine]:
        """Every line of a plant with its devices, not yet open."""
        made = {}
        ports = line_ports(plant, self._port)
        if max(ports.values(), default=0) > HIGHEST_PORT:
            raise StartError(f"port {self._port}: {len(ports)} ports from it end above {HIGHEST_PORT}")
        for line in plant.lines:
            segment = Segment(line.name, FRAMINGS[line.kind])
            devices = [device for device in plant.devices if device.line == line.name]
            running = self._builders[line.kind](line, segment, devices, ports.get(line.name, 0))
            made[line.name] = running
        return made

    def _place(self, line: Line, segment: Segment, port: int) -> Place:
        place = self.places[line.name] = Place(
            None if line.tcp else self._state / line.name, port=port, char_s=line.char_s
        )
        self.faults.add_line(segment, place.disconnect)
        return place

    def _station(
        self, device: AnyDevice, segment: Segment, refresh: Callable[[], None], restart: Callable[[], None]
    ) -> Station:
        station = Station(device.name, turnaround_s=device.turnaround_ms / 1000, segment=segment)
        self.stations[device.name] = station
        self.refreshes.append(refresh)
        self.faults.add_device(station, restart)
        return station

    def _modbus_units(
        self, segment: Segment, devices: Sequence[AnyDevice]
    ) -> dict[int, tuple[Station, ModbusSlave]]:
        units = {}
        for device in _only(devices, ModbusDevice):
            slave = ModbusSlave(
                device, self._process,
                seed=self._seed, resume=self._resume(device.name), wrote=self._wrote(device.name),
            )  # fmt: skip
            units[device.unit] = (self._station(device, segment, slave.refresh, slave.restart), slave)
        return units

    def _resume(self, device: str) -> Callable[[str], int]:
        """Where a counter of an earlier run with the same ledger stood."""
        ledger = self._ledger
        return (lambda name: 0) if ledger is None else (lambda name: ledger.last(device, name))

    def _wrote(self, device: str) -> Callable[[Sequence[tuple[str, int]]], None]:
        """Notes what was written to registers of the ledger."""
        ledger = self._ledger
        if ledger is None:
            return lambda written: None
        return lambda written: ledger.note(device, written, written=True)

    def _modbus_tcp(
        self, line: Line, segment: Segment, devices: Sequence[AnyDevice], port: int
    ) -> RunningLine:
        running = ModbusTcp(port, self._modbus_units(segment, devices), self._ledger)
        self.faults.add_line(segment, running.disconnect)
        return running

    def _modbus_line(
        self, line: Line, segment: Segment, devices: Sequence[AnyDevice], port: int
    ) -> RunningLine:
        place = self._place(line, segment, port)
        return ModbusLine(place, self._modbus_units(segment, devices), self._ledger)

    def _dlt645_line(
        self, line: Line, segment: Segment, devices: Sequence[AnyDevice], port: int
    ) -> RunningLine:
        place = self._place(line, segment, port)
        meters = []
        for device in _only(devices, MeterDevice):
            meter = Dlt645Meter(device, self._process, self._now, seed=self._seed)
            station = self._station(device, segment, meter.refresh, self._restart_of(device))
            meters.append((station, meter))
        return Dlt645Line(place, meters)

    def _s7_tcp(self, line: Line, segment: Segment, devices: Sequence[AnyDevice], port: int) -> RunningLine:
        plcs = {}
        for device in _only(devices, S7Device):
            plc = S7Plc(
                device.name, device.values, self._process,
                family=device.family, pdu=device.pdu, protected=device.protected, seed=self._seed,
            )  # fmt: skip
            station = self._station(device, segment, plc.refresh, plc.restart)
            plcs.update({int(tsap, 16): (station, plc) for tsap in device.tsaps})
        running = S7Tcp(port, plcs, self._ledger)
        self.faults.add_line(segment, running.disconnect)
        return running

    def _ppi_line(self, line: Line, segment: Segment, devices: Sequence[AnyDevice], port: int) -> RunningLine:
        plcs = {}
        for device in _only(devices, PpiDevice):
            plc = S7Plc(device.name, device.values, self._process, family="200", seed=self._seed)
            plcs[device.address] = (self._station(device, segment, plc.refresh, plc.restart), plc)
        return PpiLine(self._place(line, segment, port), plcs, self._ledger)

    def _fx_line(self, line: Line, segment: Segment, devices: Sequence[AnyDevice], port: int) -> RunningLine:
        (device,) = _only(devices, FxDevice)
        plc = FxPlc(
            device.name, device.model, device.cells, self._process,
            seed=self._seed, resume=self._resume(device.name),
        )  # fmt: skip
        station = self._station(device, segment, plc.refresh, plc.restart)
        return FxLine(self._place(line, segment, port), station, plc, self._ledger)

    def _mc_tcp(self, line: Line, segment: Segment, devices: Sequence[AnyDevice], port: int) -> RunningLine:
        plcs = {}
        for device in _only(devices, McDevice):
            plc = McPlc(
                device.name, device.model, device.cells, self._process,
                seed=self._seed, resume=self._resume(device.name),
            )  # fmt: skip
            station = self._station(device, segment, plc.refresh, plc.restart)
            plcs[Route(network=device.network, pc=device.pc)] = (station, plc)
        frame: Frame = Frame1E(line.code) if line.kind == "mc_1e" else Frame3E(line.code)
        running = McTcp(port, frame, plcs, self._ledger)
        self.faults.add_line(segment, running.disconnect)
        return running

    def _restart_of(self, device: MeterDevice) -> Callable[[], None]:
        """A meter keeps its registers through a loss of power; its contact goes where it was delivered."""
        relay = device.relay
        return lambda: None if relay is None else self._process.restart(relay)


def _only(devices: Sequence[AnyDevice], kind: type[Kind]) -> Iterator[Kind]:
    """The checks of the description let no other kind onto the line."""
    return (device for device in devices if isinstance(device, kind))
