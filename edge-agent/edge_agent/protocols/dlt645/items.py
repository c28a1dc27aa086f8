"""The tables of data items: what an item name of the specification is on the wire, by statute."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Item:
    """One data item. di, block: identifier as printed, 8 (2007) or 4 (1997) hexadecimal digits.

    position: of the item in its block. kind: bcd is a number of packed BCD, digits is a text of 2 * length
    digits (a clock, a meter number), relay is bit 4 of run-status word 3 (binary), 1 when closed.
    """

    di: str
    length: int
    decimals: int
    signed: bool
    unit: str = ""
    block: str = ""
    position: int = 0
    kind: str = "bcd"
    writable: bool = False
    zh: str = ""
    en: str = ""


@cache
def items(statute: str = "2007") -> dict[str, Item]:
    """Items of DL/T 645-2007 or -1997 by name."""
    return {
        row["item"]: Item(
            di=row["di"],
            length=int(row["length"]),
            decimals=int(row["decimals"]),
            signed=row["signed"] == "1",
            unit=row["unit"],
            block=row["block"],
            position=int(row["position"] or 0),
            kind=row["kind"],
            writable=row["writable"] == "1",
            zh=row["zh"],
            en=row["en"],
        )
        for row in rows(f"items-{statute}.csv")
    }


@cache
def block_members(statute: str, di: str) -> tuple[tuple[str, Item], ...]:
    """Name and item of what an identifier asks for: the members of a block in order, or the one item."""
    members = [(name, item) for name, item in items(statute).items() if di in (item.di, item.block)]
    return tuple(sorted(members, key=lambda member: member[1].position))


def rows(table: str) -> list[dict[str, str]]:
    """Lines of one of this package's tables."""
    text = resources.files(__package__).joinpath(f"tables/{table}").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
