"""Plant file to a checked description, copies and counts written out. Every error names field and rule."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import yaml

from firmware_sim.errors import ScenarioError
from firmware_sim.plant.checks import clashes, errors
from firmware_sim.plant.description import Description
from firmware_sim.plant.structure import structure_errors


def load(path: Path) -> Description:
    """Description of a file. Raises ScenarioError with all that is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError(str(path), f"must be a readable UTF-8 file: {error}") from None
    return read(text)


def read(text: str) -> Description:
    """Description of YAML text, with copies written out. Raises ScenarioError with all that is wrong."""
    try:
        raw: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ScenarioError("file", f"must be YAML: {error}") from None
    _refuse(structure_errors(raw, Description))
    written = msgspec.convert(raw, Description, strict=True)
    devices = [copy for device in written.devices for copy in device.copies_written_out()]
    plant = msgspec.structs.replace(written, devices=devices)
    _refuse([*errors(written), *clashes(plant)])
    return plant


def _refuse(errors: Iterable[ScenarioError]) -> None:
    """Raises ScenarioError with all of them, if there are any."""
    wrong = list(errors)
    if wrong:
        raise ScenarioError(wrong[0].field, wrong[0].rule, wrong[1:])
