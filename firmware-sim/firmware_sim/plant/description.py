"""Typed description of a plant: lines, devices and what of the process each register or item shows."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from firmware_sim.plant.signals import Name, Signal

Area = Literal["0X", "1X", "3X", "4X"]
DataType = Literal[
    "bit", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double", "string"
]
Order = Literal["ABCD", "CDAB", "BADC", "DCBA"]
LineKind = Literal["modbus_tcp", "modbus_rtu", "dlt645"]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every part; a misspelt field is refused."""


class Line(Part, frozen=True, kw_only=True):
    """A TCP listener, or a pseudo terminal whose link in the state folder bears the line's name."""

    name: Name
    kind: LineKind


class Register(Part, frozen=True, kw_only=True):
    """A value of a Modbus slave; exactly one of signal, value, text, bits, counter says what it holds.

    address: zero-based; raw = engineering value / scale. noise: standard deviation of the measurement.
    bits: bit number to signal, for a status word. counter: goes up by one with each request that reads it.
    count: so many of it behind each other, their names numbered. min, max: what may be written to it.
    """

    name: Name
    area: Area
    address: Annotated[int, msgspec.Meta(ge=0, le=65535)]
    type: DataType = "uint16"
    order: Order = "ABCD"
    signal: str | None = None
    value: float | None = None
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=246)] | None = None
    bits: dict[Annotated[int, msgspec.Meta(ge=0, le=15)], str] | None = None
    counter: bool = False
    scale: float = 1.0
    noise: NotNegative = 0.0
    writable: bool = False
    min: float | None = None
    max: float | None = None
    ledger: bool = False
    count: Annotated[int, msgspec.Meta(ge=1, le=20_000)] = 1


class Device(Part, frozen=True, kw_only=True, tag_field="kind"):
    """Base of the devices. fault: as in the fault command; turnaround_ms: from request to answer."""

    name: Name
    line: Name
    turnaround_ms: Annotated[int, msgspec.Meta(ge=0, le=60_000)] = 0
    fault: str = "none"


class ModbusDevice(Device, frozen=True, kw_only=True, tag="modbus"):
    """A slave. holes: whether addresses between registers read as zero or are refused (exception 02).

    copies: so many of it with rising unit numbers, their names numbered.
    """

    unit: Annotated[int, msgspec.Meta(ge=1, le=247)]
    registers: Annotated[list[Register], msgspec.Meta(min_length=1)]
    holes: Literal["zero", "refuse"] = "refuse"
    copies: Annotated[int, msgspec.Meta(ge=1, le=247)] = 1


class ItemSource(Part, frozen=True, kw_only=True):
    """What an item of the standard's table shows, in its unit. noise: deviation of the measurement."""

    item: str
    signal: str
    scale: float = 1.0
    noise: NotNegative = 0.0


class MeterDevice(Device, frozen=True, kw_only=True, tag="dlt645"):
    """A meter of DL/T 645-2007. relay: setpoint that its contact drives, 1 closed.

    level, password: what a write must bring. frame_bytes: value bytes in one answer, the rest follows in
    further frames. wake_up: bytes FE before an answer. relay_delay_s: from acceptance to the contact moving.
    """

    address: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{12}$")]
    items: Annotated[list[ItemSource], msgspec.Meta(min_length=1)]
    relay: str | None = None
    password: Annotated[str, msgspec.Meta(pattern=r"^[0-9]{6}$")] = "000000"  # noqa: S105 (as delivered)
    level: Annotated[int, msgspec.Meta(ge=0, le=9)] = 2
    frame_bytes: Annotated[int, msgspec.Meta(ge=1, le=196)] = 196
    wake_up: Annotated[int, msgspec.Meta(ge=0, le=16)] = 4
    relay_delay_s: NotNegative = 1.0


class Description(Part, frozen=True, kw_only=True):
    """A plant file as a whole. step_s: of the simulation, and how often registers change."""

    title: str
    step_s: Annotated[float, msgspec.Meta(ge=0.01, le=60)] = 0.2
    signals: list[Signal] = []
    lines: Annotated[list[Line], msgspec.Meta(min_length=1, max_length=32)]
    devices: Annotated[list[ModbusDevice | MeterDevice], msgspec.Meta(min_length=1, max_length=247)]
