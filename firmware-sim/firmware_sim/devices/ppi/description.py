"""An S7-200 at its serial port as it stands in a plant file. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from firmware_sim.devices.device import Device, Known
from firmware_sim.errors import ScenarioError
from firmware_sim.plc.siemens_values import S7Value, value_errors


class PpiDevice(Device, frozen=True, kw_only=True, tag="ppi"):
    """An S7-200 on its serial port. address: its station number."""

    address: Annotated[int, msgspec.Meta(ge=1, le=126)]
    values: Annotated[list[S7Value], msgspec.Meta(min_length=1)]

    def identity(self) -> tuple[str, Sequence[str]]:
        return "address", (str(self.address),)

    def errors(self, known: Known) -> Iterator[ScenarioError]:
        yield from value_errors(self.values, "200")
        yield from known.source_errors("values", self.values)
