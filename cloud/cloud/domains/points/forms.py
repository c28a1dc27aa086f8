"""What each field protocol offers: options of a slave, address of a point, areas by model, data items."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any, Literal

from pydantic import BaseModel

from cloud.domains.points.conditions import Checks, Compiled, compiled, compiled_checks


class FormField(BaseModel):
    """A field of a form. kind: integer, text, choice or switch; zh, en: its label.

    secret: its value is not for every reader.
    """

    name: str
    kind: str
    zh: str
    en: str
    required: bool
    min: int | None = None
    max: int | None = None
    choices: list[str] | None = None
    pattern: str | None = None
    default: int | str | bool | None = None
    secret: bool = False


class Area(BaseModel):
    """A memory area. radix: in which its numbers are printed, 0 when the PLC's series says; bits: of one.

    ranges: first and last number, by value. unit: of S7, what its numbers count.
    """

    radix: int
    bits: int
    writable: bool
    ranges: list[tuple[int, int]]
    unit: str = ""


class Item(BaseModel):
    """A data item of a meter. kind: bcd, digits or relay; decimals: of its value as the meter has it."""

    zh: str
    en: str
    unit: str
    kind: str
    writable: bool
    decimals: int = 0


class SerialFraming(BaseModel):
    """How a serial line is set. parity: N, O or E."""

    baud: int
    parity: Literal["N", "O", "E"]
    data_bits: Literal[7, 8]
    stop_bits: Literal[1, 2]


class DefaultConnection(BaseModel):
    """How a device is reached as delivered: what a new port and slave begin with.

    address: of the slave; tcp_port: None where a serial server has its own; serial: None where there is no
    line; capture_cycle_ms: in which a whole device is read at that speed; multidrop: whether several devices
    stand on one port; choices: options that follow from another one, by its name and value.
    """

    address: str
    tcp_port: int | None = None
    serial: SerialFraming | None = None
    min_interval_ms: int
    multidrop: bool
    capture_cycle_ms: int
    choices: dict[str, dict[str, dict[str, int | str | bool]]] = {}


class ProtocolForm(BaseModel):
    """A protocol. areas: by model of the slave, under "" where there are no models."""

    name: str
    port_types: list[str]
    connection: DefaultConnection
    options: list[FormField]
    address: list[FormField]
    areas: dict[str, dict[str, Area]]
    items: dict[str, Item]


class Words(BaseModel):
    """A text in both languages."""

    zh: str
    en: str


class Variant(BaseModel):
    """An option whose value names the protocol that describes the slave's points."""

    option: str
    protocols: dict[str, str]


@dataclass(frozen=True)
class CompiledChecks:
    """Of a port, the address and options of a slave, a point. extent: space, start and size of a point."""

    port: Checks
    address: Checks
    slave: Checks
    point: Checks
    extent: Mapping[str, Compiled] | None


class ProtocolDescription(ProtocolForm):
    """What the cloud checks drafts by, beside what its API tells of a protocol."""

    reads_pairs: bool
    missing_types: dict[str, Literal["error", "warning"]]
    variant: Variant | None
    fault_words: dict[str, Words]
    extent: dict[str, Any] | None
    port_checks: list[Any]
    address_checks: list[Any]
    slave_checks: list[Any]
    point_checks: list[Any]

    @cached_property
    def compiled(self) -> CompiledChecks:
        """The checks as functions of facts."""
        extent = None if self.extent is None else {key: compiled(each) for key, each in self.extent.items()}
        return CompiledChecks(
            port=compiled_checks(self.port_checks),
            address=compiled_checks(self.address_checks),
            slave=compiled_checks(self.slave_checks),
            point=compiled_checks(self.point_checks),
            extent=extent,
        )


@cache
def forms() -> dict[str, ProtocolDescription]:
    """By name of the protocol; scripts/generate makes the document from the agent's descriptions."""
    text = (resources.files(__package__) / "protocols.json").read_text(encoding="utf-8")
    read: dict[str, dict[str, Any]] = json.loads(text)
    return {name: ProtocolDescription(name=name, **form) for name, form in read.items()}


@cache
def secret_names() -> frozenset[str]:
    """Names of the fields that any protocol marks as secret, such as a meter's password."""
    return frozenset(
        field.name for form in forms().values() for field in (*form.options, *form.address) if field.secret
    )


def fault_word(code: str, language: Literal["zh", "en"]) -> str | None:
    """Words of a code that one protocol alone has, arguments as {name}."""
    found = next((form.fault_words[code] for form in forms().values() if code in form.fault_words), None)
    return None if found is None else getattr(found, language)


def form_of(protocol: str, options: Mapping[str, Any]) -> ProtocolDescription | None:
    """The form of a slave's protocol, or of the variant that its options choose. None for an unknown one."""
    form = forms().get(protocol)
    if form is not None and form.variant is not None:
        chosen = form.variant.protocols.get(str(options.get(form.variant.option)))
        return forms().get(chosen or protocol, form)
    return form
