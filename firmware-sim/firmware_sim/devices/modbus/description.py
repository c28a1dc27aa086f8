"""A Modbus slave as it stands in a plant file. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

import msgspec

from firmware_sim.devices.device import Device, Known, unique
from firmware_sim.devices.modbus.register import Register, agent_point, counted, register_errors
from firmware_sim.errors import ScenarioError

MAX_UNIT = 247


class ModbusDevice(Device, frozen=True, kw_only=True, tag="modbus"):
    """A slave. holes: whether addresses between registers read as zero or are refused (exception 02).

    copies: so many of it with rising unit numbers, their names numbered.
    """

    unit: Annotated[int, msgspec.Meta(ge=1, le=MAX_UNIT)]
    registers: Annotated[list[Register], msgspec.Meta(min_length=1)]
    holes: Literal["zero", "refuse"] = "refuse"
    copies: Annotated[int, msgspec.Meta(ge=1, le=MAX_UNIT)] = 1

    def identity(self) -> tuple[str, Sequence[str]]:
        return "unit", (str(self.unit),)

    def errors(self, known: Known) -> Iterator[ScenarioError]:
        for number, register in enumerate(self.registers):
            yield from register_errors(f"registers[{number}]", register, known)

    def copies_written_out(self) -> Iterator[Device]:
        registers = [each for register in self.registers for each in counted(register)]
        digits = len(str(self.copies))
        for copy in range(self.copies):
            yield msgspec.structs.replace(
                self,
                name=self.name if self.copies == 1 else f"{self.name}{copy + 1:0{digits}d}",
                unit=self.unit + copy,
                registers=registers,
            )

    def clashes(self) -> Iterator[ScenarioError]:
        yield from unique("registers", [register.name for register in self.registers])
        if self.unit > MAX_UNIT:
            yield ScenarioError("unit", f"must be at most {MAX_UNIT}, the last copy included")
        taken: set[tuple[str, int]] = set()
        for register in self.registers:
            cells = {(register.area, register.address + at) for at in range(register.width)}
            if cells & taken:
                at = f"{register.area} {register.address}"
                yield ScenarioError("registers", f"must not overlap, {register.name} lies on another at {at}")
            taken |= cells

    def agent_tables(self, line_kind: str, *, over_tcp: bool) -> Iterator[str]:
        """The line is the port of its name."""
        protocol = f"{line_kind}_tcp" if over_tcp else line_kind
        yield (
            f'[[slaves]]\nname = "{self.name}"\ntitle = "{self.name}"\nport = "{self.line}"\n'
            f'protocol = "{protocol}"\naddress = "{self.unit}"\n'
        )
        for register in self.registers:
            yield agent_point(self.name, register)
