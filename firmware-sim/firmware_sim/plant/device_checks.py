"""What a device's own parts say that cannot be. Pure; each fault names its field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from edge_agent.protocols.dlt645.items import items
from firmware_sim.devices.fx_cells import FxCell
from firmware_sim.devices.fx_cells import faults as fx_faults
from firmware_sim.devices.mc_cells import McCell, frame_of
from firmware_sim.devices.mc_cells import faults as mc_faults
from firmware_sim.devices.registers import NUMBERS, width
from firmware_sim.devices.s7_values import Family, S7Value, value_faults
from firmware_sim.errors import ScenarioError
from firmware_sim.plant.description import (
    AnyDevice,
    FxDevice,
    McDevice,
    MeterDevice,
    ModbusDevice,
    PpiDevice,
    Register,
    S7Device,
)

CONTENTS = ("signal", "value", "text", "bits", "counter")
LINE_KINDS: dict[type[AnyDevice], frozenset[str]] = {
    ModbusDevice: frozenset({"modbus_tcp", "modbus_rtu"}),
    MeterDevice: frozenset({"dlt645"}),
    S7Device: frozenset({"s7"}),
    PpiDevice: frozenset({"ppi"}),
    FxDevice: frozenset({"fx"}),
}


@dataclass(frozen=True)
class Known:
    """Names of all signals, and of those that can be written."""

    signals: set[str]
    setpoints: set[str]


def line_kinds(device: AnyDevice) -> frozenset[str]:
    """Kinds of line that a device can be on."""
    if isinstance(device, McDevice):
        return frozenset({f"mc_{frame_of(device.model)}"})
    return LINE_KINDS[type(device)]


def numbers(device: AnyDevice) -> tuple[str, Sequence[str]]:
    """The field with what a master calls a device by, and what stands in it; unique on a line."""
    match device:
        case ModbusDevice():
            return "unit", (str(device.unit),)
        case S7Device():
            return "tsaps", device.tsaps
        case FxDevice():
            return "line", ("",)
        case McDevice():
            return "network", (f"{device.network}, PC {device.pc}",)
    return "address", (str(device.address),)


def device_faults(where: str, device: AnyDevice, known: Known) -> Iterator[ScenarioError]:
    """As the device is written, before copies."""
    match device:
        case ModbusDevice():
            for number, register in enumerate(device.registers):
                yield from _register_faults(f"{where}.registers[{number}]", register, known)
        case MeterDevice():
            yield from _meter_faults(where, device, known)
        case S7Device():
            yield from _s7_faults(where, device.values, device.family, known)
        case PpiDevice():
            yield from _s7_faults(where, device.values, "200", known)
        case FxDevice():
            for fault in fx_faults(device.model, device.cells):
                yield ScenarioError(f"{where}.{fault.field}", fault.rule)
            yield from _shown_faults(f"{where}.cells", device.cells, known)
        case McDevice():
            for fault in mc_faults(device.model, device.cells):
                yield ScenarioError(f"{where}.{fault.field}", fault.rule)
            if frame_of(device.model) == "1e" and device.network:
                yield ScenarioError(f"{where}.network", "must be 0, frames 1E have none")
            yield from _shown_faults(f"{where}.cells", device.cells, known)


def device_clashes(where: str, device: AnyDevice) -> Iterator[ScenarioError]:
    """With copies and counts written out."""
    if isinstance(device, ModbusDevice):
        yield from _register_clashes(where, device)


def _s7_faults(
    where: str, values: Sequence[S7Value], family: Family, known: Known
) -> Iterator[ScenarioError]:
    for field, rule in value_faults(values, family):
        yield ScenarioError(f"{where}.{field}", rule)
    for number, value in enumerate(values):
        if value.scale == 0:
            yield ScenarioError(f"{where}.values[{number}].scale", "must not be 0")
    yield from _shown_faults(f"{where}.values", values, known)


def _shown_faults(
    where: str, values: Sequence[S7Value | FxCell | McCell], known: Known
) -> Iterator[ScenarioError]:
    """What the values of a PLC say of the process."""
    for number, value in enumerate(values):
        if value.signal is None:
            continue
        yield from is_known(f"{where}[{number}].signal", value.signal, known.signals)
        if value.writable and value.signal not in known.setpoints:
            yield ScenarioError(f"{where}[{number}].writable", "needs a setpoint as its signal")


def _meter_faults(where: str, meter: MeterDevice, known: Known) -> Iterator[ScenarioError]:
    for number, source in enumerate(meter.items):
        yield from is_known(f"{where}.items[{number}].signal", source.signal, known.signals)
        item = items(meter.statute).get(source.item)
        if item is None or item.kind != "bcd":
            yield ScenarioError(
                f"{where}.items[{number}].item", f"must be a number of the table, {source.item!r} is none"
            )
    yield from unique(f"{where}.items", [source.item for source in meter.items], "item")
    if meter.relay is not None and meter.statute == "1997":
        yield ScenarioError(f"{where}.relay", "must not be given, a meter of 1997 takes no command for it")
    if meter.relay is not None and meter.relay not in known.setpoints:
        yield ScenarioError(f"{where}.relay", f"must be a setpoint, {meter.relay!r} is none")


def _register_faults(where: str, register: Register, known: Known) -> Iterator[ScenarioError]:
    contents = (register.signal, register.value, register.text, register.bits, register.counter or None)
    given = [content for content in contents if content is not None]
    if len(given) != 1:
        yield ScenarioError(where, f"must have one of {', '.join(CONTENTS)}, has {len(given)}")
    for name in (register.signal, *(register.bits or {}).values()):
        if name is not None:
            yield from is_known(f"{where}.signal", name, known.signals)
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
    if register.writable and register.signal not in known.setpoints:
        yield ScenarioError(f"{where}.writable", "needs a setpoint as its signal")
    if register.writable and register.area in ("1X", "3X"):
        yield ScenarioError(
            f"{where}.writable", f"must be false in area {register.area}, nobody can write it"
        )
    if register.ledger and not register.counter and not register.writable:
        rule = "needs a counter, whose values tell samples apart, or a register that can be written"
        yield ScenarioError(f"{where}.ledger", rule)


def _register_clashes(where: str, device: ModbusDevice) -> Iterator[ScenarioError]:
    yield from unique(f"{where}.registers", [register.name for register in device.registers])
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


def is_known(field: str, name: str, known: set[str]) -> Iterator[ScenarioError]:
    if name not in known:
        yield ScenarioError(field, f"must be the name of a signal, {name!r} is none")


def unique(section: str, names: Iterable[str], field: str = "name") -> Iterator[ScenarioError]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield ScenarioError(f"{section}[{index}].{field}", f"must be unique, {name!r} stands there twice")
        seen.add(name)
