"""Plant file to a checked description, copies and counts written out. Every fault names field and rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import yaml

from firmware_sim.devices.registers import width
from firmware_sim.errors import ScenarioError
from firmware_sim.plant.checks import clashes, faults
from firmware_sim.plant.description import AnyDevice, Description, ModbusDevice, Register
from firmware_sim.plant.structure import structure_faults


def load(path: Path) -> Description:
    """Description of a file; ScenarioError with all that is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(str(path), f"must be a readable UTF-8 file: {error}") from None
    return read(text)


def read(text: str) -> Description:
    """Description of YAML text, with copies written out."""
    try:
        raw: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ScenarioError("file", f"must be YAML: {error}") from None
    _refuse(structure_faults(raw, Description))
    written = msgspec.convert(raw, Description, strict=True)
    whole = msgspec.structs.replace(written, devices=list(_written_out(written)))
    _refuse([*faults(written), *clashes(whole)])
    return whole


def _refuse(found: Iterable[ScenarioError]) -> None:
    """ScenarioError with everything that was found."""
    wrong = list(found)
    if wrong:
        raise ScenarioError(wrong[0].field, wrong[0].rule, wrong[1:])


def _written_out(plant: Description) -> Iterator[AnyDevice]:
    for device in plant.devices:
        if not isinstance(device, ModbusDevice):
            yield device
            continue
        registers = [each for register in device.registers for each in _counted(register)]
        digits = len(str(device.copies))
        for copy in range(device.copies):
            yield msgspec.structs.replace(
                device,
                name=device.name if device.copies == 1 else f"{device.name}{copy + 1:0{digits}d}",
                unit=device.unit + copy,
                registers=registers,
            )


def _counted(register: Register) -> Iterator[Register]:
    if register.count == 1:
        yield register
        return
    digits = len(str(register.count))
    for number in range(register.count):
        yield msgspec.structs.replace(
            register,
            name=f"{register.name}{number + 1:0{digits}d}",
            address=register.address + number * width(register),
            count=1,
        )
