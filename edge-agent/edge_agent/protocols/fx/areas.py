"""What the tables say: where each model keeps its devices, and the port's commands."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal

CommandSet = Literal["classic", "extended"]
Operation = Literal["read", "write", "force_on", "force_off", "speed"]
Memory = Literal["device", "program", "port"]


@dataclass(frozen=True)
class Area:
    """A run of devices of one kind, without a gap.

    radix: in which the device numbers are printed, 8 for X and Y. first, last: numbers that the model has.
    base: byte address of number origin; force: bit address of number origin, of bit devices. bits: 1, 16, 32.
    """

    name: str
    radix: int
    first: int
    last: int
    origin: int
    bits: int
    set: CommandSet
    base: int
    force: int
    writable: bool

    def byte_of(self, number: int) -> int:
        """Byte address that holds the device, of a word its first."""
        return self.base + (number - self.origin) * self.bits // 8

    def bit_of(self, number: int) -> int:
        """Bit within its byte, of a bit device."""
        return (number - self.origin) % 8

    def force_of(self, number: int) -> int:
        """Bit address with which a bit device is set and reset."""
        return self.force + number - self.origin

    def printed(self, number: int) -> str:
        """Name of a device as the manual prints it."""
        return f"{self.name}{number:o}" if self.radix == 8 else f"{self.name}{number}"


@dataclass(frozen=True)
class Command:
    """How a request begins."""

    prefix: bytes
    operation: Operation
    set: CommandSet
    memory: Memory


@cache
def areas(model: str) -> dict[str, tuple[Area, ...]]:
    """Areas of a model by name; one that lies in several places has several."""
    entries: dict[str, tuple[Area, ...]] = {}
    for row in _rows(f"{model}.csv"):
        radix = int(row["radix"])
        area = Area(
            name=row["area"],
            radix=radix,
            first=int(row["first"], radix),
            last=int(row["last"], radix),
            origin=int(row["origin"], radix),
            bits=int(row["bits"]),
            set=row["set"],  # type: ignore[arg-type]  # a test reads every row
            base=int(row["base"], 16),
            force=int(row["force"] or "0", 16),
            writable=row["writable"] == "1",
        )
        entries[area.name] = (*entries.get(area.name, ()), area)
    return entries


@cache
def commands() -> tuple[Command, ...]:
    """Commands, the longest prefix first."""
    entries = [
        Command(row["prefix"].encode(), row["operation"], row["set"], row["memory"])  # type: ignore[arg-type]
        for row in _rows("commands.csv")
    ]
    return tuple(sorted(entries, key=lambda command: -len(command.prefix)))


@cache
def type_registers(model: str) -> dict[int, dict[int, str]]:
    """Registers with type and version that a model has, the best first; names of types by register."""
    entries: dict[int, dict[int, str]] = {}
    for row in _rows("types.csv"):
        if model in row["models"].split():
            entries.setdefault(int(row["register"]), {})[int(row["type"])] = row["name"]
    return entries


def _rows(name: str) -> list[dict[str, str]]:
    text = resources.files(__package__).joinpath(f"tables/{name}").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
