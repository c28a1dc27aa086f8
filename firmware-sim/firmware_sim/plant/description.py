"""Typed description of a plant: lines, devices and what of the process each register or item shows."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from firmware_sim.devices.fx_cells import FxCell, FxModel
from firmware_sim.devices.mc_cells import McCell, McModel
from firmware_sim.devices.s7_values import Family, S7Value
from firmware_sim.plant.signals import Name, Signal

Area = Literal["0X", "1X", "3X", "4X"]
DataType = Literal[
    "bit", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float", "double", "string"
]
Order = Literal["ABCD", "CDAB", "BADC", "DCBA"]
LineKind = Literal["modbus_tcp", "modbus_rtu", "dlt645", "s7", "ppi", "fx", "mc_1e", "mc_3e"]
SERIAL = frozenset({"modbus_rtu", "dlt645", "ppi", "fx"})
Tsap = Annotated[str, msgspec.Meta(pattern=r"^[0-9A-Fa-f]{4}$(?!\n)")]
NotNegative = Annotated[float, msgspec.Meta(ge=0)]


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of every part; a misspelt field is refused."""


class Line(Part, frozen=True, kw_only=True):
    """A TCP listener, or a pseudo terminal whose link in the state folder bears the line's name.

    over: a serial line may stand behind a TCP port, as a serial device server offers it. port: of TCP; 0: one
    that is chosen at the start. baud: what a character costs, in bits of which it has char_bits (10: 8N1,
    11: 8E1); None: nothing. code: of MC frames. fault: of all that the line's devices send.
    """

    name: Name
    kind: LineKind
    over: Literal["pty", "tcp"] = "pty"
    port: Annotated[int, msgspec.Meta(ge=0, le=65535)] = 0
    baud: Annotated[int, msgspec.Meta(ge=300, le=921_600)] | None = None
    char_bits: Literal[10, 11] = 10
    code: Literal["binary", "ascii"] = "binary"
    fault: str = "none"

    @property
    def serial(self) -> bool:
        return self.kind in SERIAL

    @property
    def tcp(self) -> bool:
        """Whether a master finds it at a port."""
        return not self.serial or self.over == "tcp"

    @property
    def char_s(self) -> float:
        """Seconds of one character; 0 when it costs nothing."""
        return self.char_bits / self.baud if self.baud else 0.0


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


class S7Device(Device, frozen=True, kw_only=True, tag="s7"):
    """A Siemens PLC over ISO-on-TCP. tsaps: called ones that reach it, four hexadecimal digits each.

    pdu: longest PDU that it grants. protected: access to data is switched off, as PUT/GET is when delivered.
    """

    family: Family = "1200"
    tsaps: Annotated[list[Tsap], msgspec.Meta(min_length=1)]
    values: Annotated[list[S7Value], msgspec.Meta(min_length=1)]
    pdu: Annotated[int, msgspec.Meta(ge=112, le=960)] = 240
    protected: bool = False


class PpiDevice(Device, frozen=True, kw_only=True, tag="ppi"):
    """An S7-200 on its serial port. address: its station number."""

    address: Annotated[int, msgspec.Meta(ge=1, le=126)]
    values: Annotated[list[S7Value], msgspec.Meta(min_length=1)]


class FxDevice(Device, frozen=True, kw_only=True, tag="fx"):
    """An FX controller at its programming port, alone on its line."""

    model: FxModel
    cells: Annotated[list[FxCell], msgspec.Meta(min_length=1)]


class McDevice(Device, frozen=True, kw_only=True, tag="mc"):
    """A Mitsubishi PLC on Ethernet; the FX3U speaks frames 1E, all others 3E. The rest is the way to it."""

    model: McModel
    cells: Annotated[list[McCell], msgspec.Meta(min_length=1)]
    network: Annotated[int, msgspec.Meta(ge=0, le=239)] = 0
    pc: Annotated[int, msgspec.Meta(ge=0, le=255)] = 255


AnyDevice = ModbusDevice | MeterDevice | S7Device | PpiDevice | FxDevice | McDevice


class Description(Part, frozen=True, kw_only=True):
    """A plant file as a whole. step_s: of the simulation, and how often registers change."""

    title: str
    step_s: Annotated[float, msgspec.Meta(ge=0.01, le=60)] = 0.2
    signals: list[Signal] = []
    lines: Annotated[list[Line], msgspec.Meta(min_length=1, max_length=32)]
    devices: Annotated[list[AnyDevice], msgspec.Meta(min_length=1, max_length=247)]


def line_ports(plant: Description, first: int) -> dict[str, int]:
    """Port of every line behind one: its own, or from `first` upwards; 0: a free one."""
    tcp = [line for line in plant.lines if line.tcp]
    chosen = [line.name for line in tcp if not line.port]
    return {line.name: line.port or (first + chosen.index(line.name) if first else 0) for line in tcp}
