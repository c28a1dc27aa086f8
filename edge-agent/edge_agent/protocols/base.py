"""What a field protocol offers: checking of its configuration, a plan of few requests, and a driver.

A raw value is what the device holds before ratio, bias and switch mapping: a number, a text, or None when
the bytes are no value of the point's type (a nibble above 9, no such tariff).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import msgspec

from edge_agent.config.model import Point, Port, Section, Slave
from edge_agent.config.section import label as label
from edge_agent.config.shape import shape_faults
from edge_agent.errors import ConfigError, ConfigErrors, DeviceRefused
from edge_agent.model import Direction as Direction
from edge_agent.model import Seen as Seen
from edge_agent.protocols.description import Description
from edge_agent.rules import fault_of

Raw = float | int | str | None

S = TypeVar("S", bound=Section)


class Block(Protocol):
    """One request and the points that it serves."""

    @property
    def points(self) -> tuple[int, ...]:
        """Positions in the list given to plan(), in the order in which read() returns their values."""

    @property
    def wire_bytes(self) -> int:
        """Bytes of request and answer on the line."""

    def split(self, error: DeviceRefused) -> tuple[Block, ...]:
        """Smaller blocks to try after the device refused this one; empty when cutting is no use."""


@dataclass(frozen=True)
class GapRule:
    """What reading along a gap costs in a protocol, against one more request.

    unit_bytes: of one address; request_bytes: of request and answer without data; max_gap: addresses worth it
    on the fastest line.
    """

    unit_bytes: int
    request_bytes: int
    max_gap: int


def decimal(slave: Slave, address: Mapping[str, Any]) -> int:
    """The base of numbers that are plain ones."""
    return 10


@dataclass(frozen=True)
class RawRule:
    """Memory as it lies: count is the address field that is counted up, data_type what lies at each.

    base: 8, 10 or 16, in which the number at an address of a slave is printed.
    """

    count: str
    data_type: Literal["uint8", "uint16"]
    base: Callable[[Slave, Mapping[str, Any]], int] = decimal


class Driver(Protocol):
    """The wire of one port. One request at a time; a request ends in a value or an error, never hangs."""

    gap_s: float
    """Silence that the wire needs between an answer and the next request."""

    async def connect(self) -> None:
        """Open the port; PortDown when it cannot be opened."""

    async def close(self) -> None: ...

    async def read(self, slave: Slave, block: Any) -> Sequence[Raw]:
        """Raw values in the order of block.points. NoAnswer, BadFrame, DeviceRefused, PortDown."""

    async def write(self, slave: Slave, point: Point, raw: Raw) -> None:
        """Write one raw value; returns when the device confirmed it. Errors of read, and BadValue."""

    async def identify(self, slave: Slave) -> str:
        """What the device at an address reports of itself, empty when it says nothing. Errors of read, but a
        refusal is an answer too."""

    def watch(self, seen: Seen | None) -> None:
        """Hand every byte on the wire to seen from now on; None: to nobody."""


class FieldProtocol(Protocol):
    """One entry of PROTOCOLS."""

    name: str
    gap_rule: GapRule | None
    """None where gaps are never read along."""
    raw_rule: RawRule | None
    """None where there is no memory to look into."""
    scan_addresses: Sequence[str]
    """Addresses that a search for devices tries when nobody names any."""
    description: Description
    """What forms, searches, the cloud and the portal know of it."""

    def validate_slave(self, slave: Slave, port: Port) -> None:
        """ConfigError with a field relative to the slave."""

    def validate_point(self, point: Point, slave: Slave) -> None:
        """ConfigError with a field relative to the point."""

    def schema(self) -> dict[str, Any]:
        """JSON schema of options and address; x-label holds the words of a form in zh and en,
        x-secret marks passwords and the like."""

    def plan(self, slave: Slave, points: Sequence[Point], gap: int | None = None) -> list[Block]:
        """Few requests that together read every point once.

        gap: addresses read along at most where the slave's options do not say; None: the protocol's default.
        """

    def driver(self, port: Port) -> Driver: ...

    def describe(self, frame: bytes, direction: Direction | None = None) -> dict[str, Any]:
        """Fields of one whole frame, "direction" first, ready for JSON; direction None: found out.

        BadFrame names the field that is wrong and what was expected.
        """


def section(kind: type[S], values: dict[str, Any], field: str) -> S:
    """A protocol's own struct from a configuration table. Raises ConfigErrors, which name field and rule."""
    try:
        return msgspec.convert(values, kind, strict=True)
    except msgspec.ValidationError as error:
        faults = list(shape_faults(values, kind, field)) or [ConfigError(field, fault_of(error)[1])]
        raise ConfigErrors(faults) from None


def form_schema(options: type[Section], address: type[Section]) -> dict[str, Any]:
    """JSON schema of a protocol's two structs, each complete in itself."""
    return {"options": msgspec.json.schema(options), "address": msgspec.json.schema(address)}
