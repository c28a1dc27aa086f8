"""A Siemens PLC on Ethernet as it stands in a plant file. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec

from firmware_sim.devices.device import Device, Known
from firmware_sim.errors import ScenarioError
from firmware_sim.plc.siemens_values import Family, S7Value, value_errors

Tsap = Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Fa-f]{4}$(?!\n)")]


class S7Device(Device, frozen=True, kw_only=True, tag="s7"):
    """A Siemens PLC over ISO-on-TCP. tsaps: called ones that reach it, four hexadecimal digits each.

    pdu: longest PDU that it grants. protected: access to data is switched off, as PUT/GET is when delivered.
    """

    family: Family = "1200"
    tsaps: Annotated[list[Tsap], msgspec.Meta(min_length=1)]
    values: Annotated[list[S7Value], msgspec.Meta(min_length=1)]
    pdu: Annotated[int, msgspec.Meta(ge=112, le=960)] = 240
    protected: bool = False

    def identity(self) -> tuple[str, Sequence[str]]:
        return "tsaps", self.tsaps

    def errors(self, known: Known) -> Iterator[ScenarioError]:
        yield from value_errors(self.values, self.family)
        yield from known.source_errors("values", self.values)
