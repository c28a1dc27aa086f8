"""A Mitsubishi PLC on Ethernet as it stands in a plant file. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from firmware_sim.devices.device import Device, Known
from firmware_sim.devices.mc.cells import McCell, McModel, errors, frame_of
from firmware_sim.errors import ScenarioError


class McDevice(Device, frozen=True, kw_only=True, tag="mc"):
    """A Mitsubishi PLC on Ethernet; the FX3U speaks frames 1E, all others 3E. The rest is the way to it."""

    model: McModel
    cells: Annotated[list[McCell], msgspec.Meta(min_length=1)]
    network: Annotated[int, msgspec.Meta(ge=0, le=239)] = 0
    pc: Annotated[int, msgspec.Meta(ge=0, le=255)] = 255

    def fits(self, line_kind: str) -> bool:
        """Frames 1E and 3E are lines of their own."""
        return line_kind == f"mc_{frame_of(self.model)}"

    def identity(self) -> tuple[str, Sequence[str]]:
        return "network", (f"{self.network}, PC {self.pc}",)

    def errors(self, known: Known) -> Iterator[ScenarioError]:
        yield from errors(self.model, self.cells)
        if frame_of(self.model) == "1e" and self.network:
            yield ScenarioError("network", "must be 0, frames 1E have none")
        yield from known.source_errors("cells", self.cells)
