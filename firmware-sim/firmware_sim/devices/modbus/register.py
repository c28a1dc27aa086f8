"""A register of a Modbus slave as it stands in a plant file. Pure."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from firmware_sim.devices.device import Known, NotNegative, Part
from firmware_sim.errors import ScenarioError
from firmware_sim.plc.number_bytes import FORMAT, NUMBERS, DataType, Order
from firmware_sim.process.signals import Name

AreaName = Literal["0X", "1X", "3X", "4X"]
CONTENTS = ("signal", "value", "text", "bits", "counter")
AGENT_TYPE = {"bit": "uint8"}  # the agent's name for it


class Register(Part, frozen=True, kw_only=True):
    """A value of a Modbus slave; exactly one of signal, value, text, bits, counter says what it holds.

    address: zero-based; raw = engineering value / scale. noise: standard deviation of the measurement.
    bits: bit number to signal, for a status word. counter: goes up by one with each request that reads it.
    count: so many of it behind each other, their names numbered. min, max: what may be written to it.
    """

    name: Name
    area: AreaName
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

    @property
    def width(self) -> int:
        """Cells that one of it takes."""
        if self.text is not None:
            return (len(self.text.encode()) + 1) // 2
        return 1 if self.type not in NUMBERS else struct.calcsize(">" + FORMAT[self.type]) // 2


def counted(register: Register) -> Iterator[Register]:
    """The registers that one with a count stands for."""
    if register.count == 1:
        yield register
        return
    digits = len(str(register.count))
    for number in range(register.count):
        yield msgspec.structs.replace(
            register,
            name=f"{register.name}{number + 1:0{digits}d}",
            address=register.address + number * register.width,
            count=1,
        )


def register_errors(where: str, register: Register, known: Known) -> Iterator[ScenarioError]:
    """What is wrong with a register as it is written."""
    contents = (register.signal, register.value, register.text, register.bits, register.counter or None)
    given = [content for content in contents if content is not None]
    if len(given) != 1:
        yield ScenarioError(where, f"must have one of {', '.join(CONTENTS)}, has {len(given)}")
    for name in (register.signal, *(register.bits or {}).values()):
        if name is not None:
            yield from known.signal_errors(f"{where}.signal", name)
    if (register.type == "bit") != (register.area in ("0X", "1X")):
        yield ScenarioError(f"{where}.type", "must be bit in areas 0X and 1X, and only there")
    if (register.type == "string") != (register.text is not None):
        yield ScenarioError(f"{where}.type", "must be string for a text, and only there")
    if register.scale == 0:
        yield ScenarioError(f"{where}.scale", "must not be 0")
    if register.address + register.count * register.width > 65536:
        yield ScenarioError(f"{where}.address", "must lie within 65536 addresses")
    if (register.bits or register.counter) and register.type not in NUMBERS:
        yield ScenarioError(f"{where}.type", "must be numeric for bits or a counter")
    if register.writable and register.signal not in known.setpoints:
        yield ScenarioError(f"{where}.writable", "needs a setpoint as its signal")
    if register.writable and register.area in ("1X", "3X"):
        yield ScenarioError(
            f"{where}.writable", f"must be false in area {register.area}, nobody can write it"
        )
    if register.ledger and not register.counter and not register.writable:
        rule = "needs a counter, whose values tell samples apart, or a register that can be written"
        yield ScenarioError(f"{where}.ledger", rule)


def agent_point(slave: str, register: Register) -> str:
    """The register's [[points]] of the agent's configuration."""
    kind = AGENT_TYPE.get(register.type, register.type)
    return (
        f'[[points]]\nslave = "{slave}"\nname = "{register.name}"\ntitle = "{register.name}"\n'
        f'data_type = "{kind}"\ntofixed = 2\n'
        f'address = {{ reg_type = "{register.area}", offset = {register.address}, '
        f'endian = "{register.order}" }}\n'
    )
