"""A meter of DL/T 645 as it stands in a plant file. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec

from edge_agent.protocols.dlt645.items import items
from firmware_sim.devices.device import Device, Known, NotNegative, Part, unique
from firmware_sim.errors import ScenarioError


class ItemSource(Part, frozen=True, kw_only=True):
    """What an item of the standard's table shows, in its unit. noise: deviation of the measurement."""

    item: str
    signal: str
    scale: float = 1.0
    noise: NotNegative = 0.0


class MeterDevice(Device, frozen=True, kw_only=True, tag="dlt645"):
    """A meter of DL/T 645. relay: setpoint that its contact drives, 1 closed.

    level, password: what a write must bring. frame_bytes: value bytes in one answer, the rest follows in
    further frames. wake_up: bytes FE before an answer. relay_delay_s: from acceptance to the contact moving.
    """

    address: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{12}$(?!\n)")]
    statute: Literal["2007", "1997"] = "2007"
    items: Annotated[list[ItemSource], msgspec.Meta(min_length=1)]
    relay: str | None = None
    password: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{6}$(?!\n)")] = "000000"  # noqa: S105 (as delivered)
    level: Annotated[int, msgspec.Meta(ge=0, le=9)] = 2
    frame_bytes: Annotated[int, msgspec.Meta(ge=1, le=196)] = 196
    wake_up: Annotated[int, msgspec.Meta(ge=0, le=16)] = 4
    relay_delay_s: NotNegative = 1.0

    def identity(self) -> tuple[str, Sequence[str]]:
        return "address", (self.address,)

    def errors(self, known: Known) -> Iterator[ScenarioError]:
        table = items(self.statute)
        for number, source in enumerate(self.items):
            yield from known.signal_errors(f"items[{number}].signal", source.signal)
            item = table.get(source.item)
            if item is None or item.kind != "bcd":
                yield ScenarioError(
                    f"items[{number}].item", f"must be a number of the table, {source.item!r} is none"
                )
        yield from unique("items", [source.item for source in self.items], "item")
        if self.relay is not None and self.statute == "1997":
            yield ScenarioError("relay", "must not be given, a meter of 1997 takes no command for it")
        if self.relay is not None and self.relay not in known.setpoints:
            yield ScenarioError("relay", f"must be a setpoint, {self.relay!r} is none")
