"""What the parts of a description say about each other that cannot be. Pure; each fault names its field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edge_agent.protocols.dlt645.items import items
from firmware_sim.behaviours import parse
from firmware_sim.devices.registers import NUMBERS, width
from firmware_sim.errors import FaultError, ScenarioError
from firmware_sim.plant.description import Description, Line, MeterDevice, ModbusDevice, Register
from firmware_sim.plant.signals import Schedule, Setpoint

CONTENTS = ("signal", "value", "text", "bits", "counter")


def faults(plant: Description) -> Iterator[ScenarioError]:
    """What the parts say about each other that cannot be."""
    names = [signal.name for signal in plant.signals]
    known = set(names)
    setpoints = {signal.name for signal in plant.signals if isinstance(signal, Setpoint)}
    lines = {line.name: line for line in plant.lines}
    yield from _unique("signals", names)
    yield from _unique("lines", [line.name for line in plant.lines])
    if sum(line.kind == "modbus_tcp" for line in plant.lines) > 1:
        yield ScenarioError("lines", "must hold at most one modbus_tcp, there is one port")
    for index, signal in enumerate(plant.signals):
        for name in signal.names():
            yield from _is_known(f"signals[{index}].of", name, known)
        if isinstance(signal, Schedule) and any(not 0 <= at < signal.period for at, _ in signal.steps):
            yield ScenarioError(f"signals[{index}].steps", "must lie within 0 and the period")
    for index, device in enumerate(plant.devices):
        where = f"devices[{index}]"
        line = lines.get(device.line)
        if line is None:
            yield ScenarioError(f"{where}.line", f"must be the name of a line, {device.line!r} is none")
            continue
        if isinstance(device, MeterDevice) != (line.kind == "dlt645"):
            yield ScenarioError(f"{where}.line", f"{device.line} is of kind {line.kind}, for other devices")
        yield from _bad_fault(where, device.fault, line)
        if isinstance(device, MeterDevice):
            yield from _meter_faults(where, device, known, setpoints)
        else:
            for number, register in enumerate(device.registers):
                yield from _register_faults(f"{where}.registers[{number}]", register, known, setpoints)


def _bad_fault(where: str, text: str, line: Line) -> Iterator[ScenarioError]:
    try:
        parse(text, checksum=line.kind != "modbus_tcp")
    except FaultError as error:
        yield ScenarioError(f"{where}.fault", str(error))


def _meter_faults(
    where: str, meter: MeterDevice, known: set[str], setpoints: set[str]
) -> Iterator[ScenarioError]:
    for number, source in enumerate(meter.items):
        yield from _is_known(f"{where}.items[{number}].signal", source.signal, known)
        item = items().get(source.item)
        if item is None or item.kind != "bcd":
            yield ScenarioError(
                f"{where}.items[{number}].item", f"must be a number of the table, {source.item!r} is none"
            )
    yield from _unique(f"{where}.items", [source.item for source in meter.items], "item")
    if meter.relay is not None and meter.relay not in setpoints:
        yield ScenarioError(f"{where}.relay", f"must be a setpoint, {meter.relay!r} is none")


def _register_faults(
    where: str, register: Register, known: set[str], setpoints: set[str]
) -> Iterator[ScenarioError]:
    contents = (register.signal, register.value, register.text, register.bits, register.counter or None)
    given = [content for content in contents if content is not None]
    if len(given) != 1:
        yield ScenarioError(where, f"must have one of {', '.join(CONTENTS)}, has {len(given)}")
    for name in (register.signal, *(register.bits or {}).values()):
        if name is not None:
            yield from _is_known(f"{where}.signal", name, known)
    if (register.type == "bit") != (register.area in ("0X", "1X")):
        yield ScenarioError(f"{where}.type", "must be bit in areas 0X and 1X, and only there")
    if (register.type == "string") != (register.text is not None):
        yield ScenarioError(f"{where}.type", "must be string for a text, and only there")
    if register.scale == 0:
        yield ScenarioError(f"{where}.scale", "must not be 0")
    if register.address + register.count * width(register) > 65536:
        yield ScenarioError(f"{where}.address", "must lie within 65536 addresses")
    if (register.bits or register.counter) and register.type not in NUMBERS:
        yield ScenarioError(f"{where}.type", "must be numeric for bits or a counter")
    if register.writable and register.signal not in setpoints:
        yield ScenarioError(f"{where}.writable", "needs a setpoint as its signal")
    if register.writable and register.area in ("1X", "3X"):
        yield ScenarioError(
            f"{where}.writable", f"must be false in area {register.area}, nobody can write it"
        )
    if register.ledger and not register.counter:
        yield ScenarioError(f"{where}.ledger", "needs a counter, whose values tell samples apart")


def clashes(plant: Description) -> Iterator[ScenarioError]:
    """Names, addresses and registers that stand twice once copies are written out."""
    yield from _unique("devices", [device.name for device in plant.devices])
    taken_units: set[str] = set()
    for index, device in enumerate(plant.devices):
        number = str(device.unit) if isinstance(device, ModbusDevice) else device.address
        field = "unit" if isinstance(device, ModbusDevice) else "address"
        if f"{device.line} {number}" in taken_units:
            yield ScenarioError(f"devices[{index}].{field}", f"must be unique on its line, {number} is not")
        taken_units.add(f"{device.line} {number}")
        if isinstance(device, ModbusDevice):
            yield from _register_clashes(f"devices[{index}]", device)


def _register_clashes(where: str, device: ModbusDevice) -> Iterator[ScenarioError]:
    yield from _unique(f"{where}.registers", [register.name for register in device.registers])
    if device.unit > 247:
        yield ScenarioError(f"{where}.unit", "must be at most 247, the last copy included")
    taken: set[tuple[str, int]] = set()
    for register in device.registers:
        cells = {(register.area, register.address + at) for at in range(width(register))}
        if cells & taken:
            yield ScenarioError(
                f"{where}.registers",
                f"must not overlap, {register.name} lies on another at {register.area} {register.address}",
            )
        taken |= cells


def _is_known(field: str, name: str, known: set[str]) -> Iterator[ScenarioError]:
    if name not in known:
        yield ScenarioError(field, f"must be the name of a signal, {name!r} is none")


def _unique(section: str, names: Iterable[str], field: str = "name") -> Iterator[ScenarioError]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield ScenarioError(f"{section}[{index}].{field}", f"must be unique, {name!r} stands there twice")
        seen.add(name)
