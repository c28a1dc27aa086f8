"""What a protocol says of itself to everybody else: words, ranges, how it is connected, rules of an address.

scripts/generate writes it to the document that the cloud and the portal read. A rule is a condition in the
subset of JsonLogic (https://jsonlogic.com) that `conditions.py` lists, over these facts:

of a point: protocol, model (the slave's option of that name as a text), data_type, integer_bits (null where
    the type is none), unsigned, bytes (0 of a text or var), writes, pair (a location of two numbers),
    address.F (null where it is absent or of the wrong kind), given.F (true when anything stands there),
    option.F (of the slave, or its default), areas (names of the model, comma-separated),
    area.known .bits .unit .writable .ranges (as printed), .fits (the number's digits are those of the area's
    radix), .listed (the model has that number), item.known .writable
of a slave: address (text), station (the number of up to three digits, else null), option.F
of a port: port.type, port.min_interval_ms
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from edge_agent.config.model import Section
from edge_agent.protocols.conditions import Condition

MIN_INTERVAL_MS = 5
"""Least pause between two requests that forms propose; the port's own default."""

Level = Literal["error", "warning"]


@dataclass(frozen=True)
class Words:
    """A text of a form."""

    zh: str
    en: str


@dataclass(frozen=True)
class SerialFraming:
    """How a serial line is set."""

    baud: int
    parity: Literal["N", "O", "E"]
    data_bits: Literal[7, 8] = 8
    stop_bits: Literal[1, 2] = 1


@dataclass(frozen=True)
class Connection:
    """How a device of a protocol is reached as delivered: what a form of a new port or slave begins with.

    tcp_port: None where a serial server in between has its own; serial: None where there is no line;
    capture_cycle_ms: in which a whole device is read at that speed;
    multidrop: whether several devices, distinguished by their addresses, stand on one port.
    choices: options that follow from another one, by its name and value.
    """

    address: str
    tcp_port: int | None = None
    serial: SerialFraming | None = None
    min_interval_ms: int = MIN_INTERVAL_MS
    multidrop: bool = False
    capture_cycle_ms: int = 1000
    choices: Mapping[str, Mapping[str, Mapping[str, Any]]] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True)
class Rule:
    """A fault of a field. field: "rw", "address.offset"; code: of its words; args: conditions whose values
    the words take.
    """

    field: str
    code: str
    when: Condition
    args: Mapping[str, Condition] = dataclasses.field(default_factory=dict)
    level: Level = "error"


Check = tuple[Rule, ...]
"""Of these rules the first that holds is reported."""


@dataclass(frozen=True)
class AddressForm:
    """How the address of a slave is asked for. pattern: of the whole text, None for a number."""

    label: Words
    hint: Words
    pattern: str | None = None


@dataclass(frozen=True)
class MemoryArea:
    """A memory area. radix: in which its numbers are printed, 0 when an option decides; bits: of one number.

    ranges: first and last number, by value. unit: what the numbers count, "" where bits says it.
    """

    radix: int
    bits: int
    writable: bool
    ranges: list[tuple[int, int]]
    unit: str = ""


@dataclass(frozen=True)
class DataItem:
    """A named value of a device. kind: bcd, digits or relay; decimals: of the value as the device has it."""

    zh: str
    en: str
    unit: str
    kind: str
    writable: bool
    decimals: int


@dataclass(frozen=True)
class PointExtent:
    """Addresses that a point takes, to find overlapping points. Points of one space share addresses."""

    space: Condition
    start: Condition
    size: Condition


@dataclass(frozen=True)
class Variant:
    """An option whose value names the protocol that describes the slave's points."""

    option: str
    protocols: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Description:
    """One protocol.

    title: in lists; short: where there is little place; stem: of the name of a new slave ("plc" for plc1).
    options, address: the package's structs. missing_types: data types of a point that it does not offer.
    reads_pairs: whether it reads a location of two numbers (Point.is_pair) as the text "first,second".
    choice_titles: words for the values of an option, by its name. fault_words: of codes that no other has.
    areas: by model, under "" without models. The checks are in the order in which their faults are reported.
    """

    name: str
    title: Words
    short: str
    stem: str
    port_types: frozenset[str]
    connection: Connection
    slave_address: AddressForm
    options: type[Section]
    address: type[Section]
    reads_pairs: bool = False
    missing_types: Mapping[str, Level] = dataclasses.field(default_factory=dict)
    choice_titles: Mapping[str, Mapping[str, str]] = dataclasses.field(default_factory=dict)
    variant: Variant | None = None
    extent: PointExtent | None = None
    areas: Callable[[], dict[str, dict[str, MemoryArea]]] = dict
    items: Callable[[], dict[str, DataItem]] = dict
    port_checks: tuple[Check, ...] = ()
    address_checks: tuple[Check, ...] = ()
    slave_checks: tuple[Check, ...] = ()
    point_checks: tuple[Check, ...] = ()
    fault_words: Mapping[str, Words] = dataclasses.field(default_factory=dict)
