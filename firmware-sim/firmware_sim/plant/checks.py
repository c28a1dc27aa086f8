"""What the parts of a description say about each other that cannot be. Pure; each error names its field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from firmware_sim.behaviours import parse
from firmware_sim.devices.all import DEVICES, LINE_KINDS
from firmware_sim.devices.device import Device, Known, unique
from firmware_sim.errors import FaultError, ScenarioError
from firmware_sim.plant.description import Description, Line
from firmware_sim.process.signals import Schedule, Setpoint

NO_ADDRESS = "must hold no other device, this one has no address"
LINES_OF = {kind.description: {line.name for line in kind.lines} for kind in DEVICES}


def errors(plant: Description) -> Iterator[ScenarioError]:
    """What the parts say about each other that cannot be."""
    names = [signal.name for signal in plant.signals]
    known = Known(set(names), {signal.name for signal in plant.signals if isinstance(signal, Setpoint)})
    lines = {line.name: line for line in plant.lines}
    yield from unique("signals", names)
    yield from unique("lines", [line.name for line in plant.lines])
    for index, line in enumerate(plant.lines):
        yield from _line_errors(f"lines[{index}]", line)
    given = [(index, line.port) for index, line in enumerate(plant.lines) if line.port]
    for index, port in given:
        if port in [other for before, other in given if before < index]:
            yield ScenarioError(f"lines[{index}].port", f"must be unique, {port} is another line's")
    for index, signal in enumerate(plant.signals):
        for name in signal.names():
            yield from known.signal_errors(f"signals[{index}].of", name)
        if isinstance(signal, Schedule) and any(not 0 <= at < signal.period for at, _ in signal.steps):
            yield ScenarioError(f"signals[{index}].steps", "must lie within 0 and the period")
    for index, device in enumerate(plant.devices):
        where = f"devices[{index}]"
        carrier = lines.get(device.line)
        if carrier is None:
            yield ScenarioError(f"{where}.line", f"must be the name of a line, {device.line!r} is none")
            continue
        if not _fits(device, carrier):
            yield ScenarioError(
                f"{where}.line", f"{device.line} is of kind {carrier.kind}, for other devices"
            )
        yield from _fault_errors(where, device.fault, carrier)
        yield from _below(where, device.errors(known))
    occupied = {device.line for device in plant.devices}
    for index, line in enumerate(plant.lines):
        if line.name not in occupied:
            yield ScenarioError(f"lines[{index}]", "must have a device")


def _below(where: str, errors: Iterable[ScenarioError]) -> Iterator[ScenarioError]:
    """Errors of a device with their path from the file."""
    for error in errors:
        yield ScenarioError(f"{where}.{error.field}", error.rule)


def _fits(device: Device, line: Line) -> bool:
    return line.kind in LINES_OF[type(device)] and device.fits(line.kind)


def _line_errors(where: str, line: Line) -> Iterator[ScenarioError]:
    if line.over == "tcp" and not line.serial:
        yield ScenarioError(f"{where}.over", f"is for serial lines, {line.kind} is at a port anyway")
    if line.baud is not None and not line.serial:
        yield ScenarioError(f"{where}.baud", f"is for serial lines, {line.kind} is none")
    if line.code not in LINE_KINDS[line.kind].codes:
        choosable = " or ".join(kind.name for kind in LINE_KINDS.values() if len(kind.codes) > 1)
        yield ScenarioError(f"{where}.code", f"is for {choosable}, {line.kind} has one alone")
    if line.port and not line.tcp:
        yield ScenarioError(f"{where}.port", "is for lines behind a TCP port, this is a pseudo terminal")
    yield from _fault_errors(where, line.fault, line)


def _fault_errors(where: str, text: str, line: Line) -> Iterator[ScenarioError]:
    try:
        parse(text, LINE_KINDS[line.kind].framing)
    except FaultError as error:
        yield ScenarioError(f"{where}.fault", str(error))


def clashes(plant: Description) -> Iterator[ScenarioError]:
    """Names, addresses and registers that stand twice once copies are written out."""
    yield from unique("devices", [device.name for device in plant.devices])
    lines = {line.name for line in plant.lines}
    for index, device in enumerate(plant.devices):
        if device.name in lines:
            yield ScenarioError(f"devices[{index}].name", f"must not be a line's, {device.name!r} is")
    taken: set[tuple[str, str]] = set()
    for index, device in enumerate(plant.devices):
        field, own = device.identity()
        for number in own:
            if (device.line, number) in taken:
                rule = f"must be unique on its line, {number} is not" if number else NO_ADDRESS
                yield ScenarioError(f"devices[{index}].{field}", rule)
            taken.add((device.line, number))
        yield from _below(f"devices[{index}]", device.clashes())
