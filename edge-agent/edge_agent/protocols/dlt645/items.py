"""The table of data items: what an item name of the specification is on the wire."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class Item:
    """One data item. di, block: eight hexadecimal digits as printed; position: of the item in its block.

    kind: bcd is a number of packed BCD, relay is bit 4 of run-status word 3 (binary), 1 when closed.
    """

    di: str
    length: int
    decimals: int
    signed: bool
    unit: str = ""
    block: str = ""
    position: int = 0
    kind: str = "bcd"
    zh: str = ""
    en: str = ""


@cache
def items() -> dict[str, Item]:
    """Items of DL/T 645-2007 by name."""
    text = resources.files(__package__).joinpath("tables/items-2007.csv").read_text(encoding="utf-8")
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
            zh=row["zh"],
            en=row["en"],
        )
        for row in csv.DictReader(text.splitlines())
    }
