"""Common factor codes with names, units and number formats, as a table (HJ 212-2017, tables B.1 to B.3;
HJ 212-2025, B.2). Pure.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

FORMAT = re.compile(r"N([0-9]+)(?:\.([0-9]+))?", re.ASCII)


@dataclass(frozen=True)
class FactorCode:
    """A factor as one version calls it.

    unit: of its concentration or value as the standard prints it, "" without one; amount_unit: of -Cou, ""
    where it has none; usual_units: what stations send where the standard's unit is taken for a misprint.
    also: further names and abbreviations, by which a point for it may be called.
    format: N with the digits before and behind the point, "" when it is not known.
    """

    code: str
    name_zh: str
    name_en: str
    unit: str
    amount_unit: str
    usual_units: tuple[str, ...]
    also: tuple[str, ...]
    format: str

    @property
    def decimals(self) -> int | None:
        """Digits behind the point; None when the format is not known."""
        match = FORMAT.fullmatch(self.format)
        return None if match is None else int(match[2] or 0)


@cache
def factor_codes(version: str) -> dict[str, FactorCode]:
    """By the code that "2005", "2017" or "2025" has for it, in the order of the tables.

    Formats of 2005, and those of 2025 that are not known, are those of 2017.
    """
    text = resources.files(__package__).joinpath("profiles/factors.csv").read_text(encoding="utf-8")
    codes = {}
    for row in csv.DictReader(text.splitlines()):
        if version not in row["versions"].split():
            continue
        code = row["code_2005"] if version == "2005" else row["code"]
        codes[code] = FactorCode(
            code=code,
            name_zh=row["name_zh"],
            name_en=row["name_en"],
            unit=row["unit"],
            amount_unit=row["amount_unit"],
            usual_units=tuple(row["usual_units"].split()),
            also=tuple(filter(None, row["also"].split("|"))),
            format=(row["format_2025"] if version == "2025" else "") or row["format"],
        )
    return codes
