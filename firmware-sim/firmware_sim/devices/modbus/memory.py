"""Memory of a Modbus slave: areas that show the process, counters, and writes that reach it. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from firmware_sim.devices.modbus.area import Area
from firmware_sim.devices.modbus.description import ModbusDevice
from firmware_sim.devices.modbus.register import Register
from firmware_sim.plc.number_bytes import engineering, from_bytes, to_bytes
from firmware_sim.process.process import Process, within

Served = tuple[str, int]
"""A counter's name and the value that an answer carries."""

AREAS = ("0X", "1X", "3X", "4X")


class NoSuchCells(Exception):
    """Cells that the device does not have, or that cannot be written."""


class WrongValue(Exception):
    """A value outside its limits; nothing was written."""


@dataclass(slots=True)
class Count:
    """A counter register and its last served value."""

    register: Register
    value: int


class Memory:
    """resume: last value of a counter register that an earlier run served. wrote: hears of each write to
    registers of the served-values log that was taken, before it is answered."""

    def __init__(
        self,
        device: ModbusDevice,
        process: Process,
        *,
        seed: int,
        resume: Callable[[str], int],
        wrote: Callable[[list[Served]], None],
    ) -> None:
        self._process = process
        self._wrote = wrote
        zero = device.holes == "zero"
        self._areas = {
            name: Area(_size(device, name), 1 if name in ("0X", "1X") else 2, gaps_are_zero=zero)
            for name in AREAS
        }
        self._writable = [register for register in device.registers if register.writable]
        self._counts: list[Count] = []
        self._updates: list[Callable[[], None]] = []
        chance = Random(f"{seed}:{device.name}")  # noqa: S311 (a simulation)
        for register in device.registers:
            self._add(register, chance, resume)
        self.refresh()

    def refresh(self) -> None:
        """Show the process of this moment, with the noise of the measurement."""
        for update in self._updates:
            update()

    def restart(self) -> None:
        """What was written is lost and counters begin again; those of the served-values log go on, whose
        values tell samples apart."""
        for register in self._writable:
            self._process.restart(str(register.signal))
        for count in self._counts:
            if not count.register.ledger:
                count.value = 0
        self.refresh()

    def read(self, name: str, start: int, count: int) -> tuple[bytes, list[Served]]:
        """Bytes of the cells, and the counters marked for the served-values log among them.

        Raises NoSuchCells.
        """
        area = self._areas[name]
        if not area.has(start, start + count):
            raise NoSuchCells
        served = self._count_up(name, start, start + count) if self._counts else []
        return area.get(start, count), served

    def write(self, name: str, start: int, data: bytes) -> None:
        """All or nothing: every cell must be writable (NoSuchCells), every value that is touched within
        its limits (WrongValue)."""
        area = self._areas[name]
        end = start + len(data) // area.cell
        spans = [
            (register, max(start, register.address), min(end, register.address + register.width))
            for register in self._writable
            if register.area == name
        ]
        touched = [register for register, first, last in spans if first < last]
        if sum(last - first for _, first, last in spans if first < last) != end - start:
            raise NoSuchCells
        before = area.get(0, area.size)
        area.put(start, data)
        try:
            values = [(register, self._engineering(register)) for register in touched]
            self._set(values)
        except WrongValue:
            area.put(0, before)
            raise
        if noted := [(register.name, round(value)) for register, value in values if register.ledger]:
            self._wrote(noted)

    def _set(self, values: list[tuple[Register, float]]) -> None:
        for register, value in values:
            if not within(value, register.min, register.max):
                raise WrongValue
        before = [(str(register.signal), self._process.value(str(register.signal))) for register, _ in values]
        try:
            for register, value in values:
                self._process.set(str(register.signal), value)
        except ValueError:
            for name, old in before:
                self._process.set(name, old)
            raise WrongValue from None

    def _engineering(self, register: Register) -> float:
        data = self._areas[register.area].get(register.address, register.width)
        if register.type == "bit":
            return data[0]
        raw = from_bytes(data, register.type, register.order)
        return engineering(raw, register.scale, register.type)

    def _count_up(self, name: str, start: int, end: int) -> list[Served]:
        """Counters that the request covers whole go up, once a request."""
        served: list[Served] = []
        for count in self._counts:
            register = count.register
            first, last = register.address, register.address + register.width
            if register.area != name or first < start or last > end:
                continue
            count.value = (count.value + 1) % (1 << 16 * (last - first))
            self._areas[name].put(first, to_bytes(count.value, register.type, register.order))
            if register.ledger:
                served.append((register.name, count.value))
        return served

    def _add(self, register: Register, chance: Random, resume: Callable[[str], int]) -> None:
        """Give a register its cells and say how they follow the process."""
        area, start = self._areas[register.area], register.address
        area.known[start : start + register.width] = b"\1" * register.width
        if register.text is not None:
            area.put(start, register.text.encode().ljust(2 * register.width, b"\0"))
        elif register.counter:
            count = Count(register, resume(register.name))
            self._counts.append(count)
            area.put(start, to_bytes(count.value, register.type, register.order))
        elif register.value is not None:
            area.put(start, _cells(register, register.value))
        elif register.bits is not None:
            self._updates.append(self._status_word(register, area))
        elif register.signal is not None:
            self._updates.append(_show(register, area, self._process.reader(register.signal), chance.gauss))

    def _status_word(self, register: Register, area: Area) -> Callable[[], None]:
        start, kind, order = register.address, register.type, register.order
        readers = [(1 << bit, self._process.reader(name)) for bit, name in (register.bits or {}).items()]
        return lambda: area.put(start, to_bytes(sum(bit for bit, on in readers if on()), kind, order))


def _show(
    register: Register, area: Area, read: Callable[[], float], gauss: Callable[[float, float], float]
) -> Callable[[], None]:
    """What puts a signal's value into the register's cells."""
    start, noise = register.address, register.noise
    if noise:
        return lambda: area.put(start, _cells(register, read() + gauss(0, noise)))
    return lambda: area.put(start, _cells(register, read()))


def _cells(register: Register, value: float) -> bytes:
    """Cells of an engineering value."""
    if register.type == "bit":
        return b"\1" if value else b"\0"
    return to_bytes(value / register.scale, register.type, register.order)


def _size(device: ModbusDevice, area: str) -> int:
    return max((r.address + r.width for r in device.registers if r.area == area), default=0)
