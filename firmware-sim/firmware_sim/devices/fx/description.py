"""An FX controller at its programming port as it stands in a plant file. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from firmware_sim.devices.device import Device, Known
from firmware_sim.devices.fx.cells import FxCell, FxModel, errors
from firmware_sim.errors import ScenarioError


class FxDevice(Device, frozen=True, kw_only=True, tag="fx"):
    """An FX controller at its programming port, alone on its line."""

    model: FxModel
    cells: Annotated[list[FxCell], msgspec.Meta(min_length=1)]

    def identity(self) -> tuple[str, Sequence[str]]:
        return "line", ("",)

    def errors(self, known: Known) -> Iterator[ScenarioError]:
        yield from errors(self.model, self.cells)
        yield from known.source_errors("cells", self.cells)
