"""What each field protocol offers: options of a slave, address of a point, areas by model, data items."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal

from pydantic import BaseModel


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


class Connection(BaseModel):
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
    connection: Connection
    options: list[FormField]
    address: list[FormField]
    areas: dict[str, dict[str, Area]]
    items: dict[str, Item]


@cache
def forms() -> dict[str, ProtocolForm]:
    """By name of the protocol. scripts/generate protocols makes the table from the gateway's own rooms."""
    text = (resources.files(__package__) / "protocols.json").read_text(encoding="utf-8")
    read: dict[str, dict[str, Any]] = json.loads(text)
    return {name: ProtocolForm(name=name, **form) for name, form in read.items()}


@cache
def secret_names() -> frozenset[str]:
    """Names of the fields that any protocol marks as secret, such as a meter's password."""
    return frozenset(
        field.name for form in forms().values() for field in (*form.options, *form.address) if field.secret
    )


def form_of(protocol: str, options: Mapping[str, Any]) -> ProtocolForm | None:
    """The form of a slave's protocol; of a meter that of its own statute. None for an unknown protocol."""
    form = forms().get(protocol)
    statute = options.get("statute")
    if form is not None and form.items and statute is not None:
        return forms().get(f"dlt645_{statute}", form)
    return form
