"""What the three versions of HJ 212 say, and what an operator of a platform may want otherwise. Pure."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

VERSIONS = ("2005", "2017", "2025")


class Tolerance(StrEnum):
    """Deviations of real platforms. Each is off unless an option names it.

    ANY_MN: any MN of up to 64 characters. ANY_ST: any ST of up to 8. MISSING_FIELDS: QN, PW, MN and Flag may
    be away. ANY_ORDER: header fields in any order, also behind the area. ANY_VERSION: version bits of another
    version. PART_NUMBERS: PNUM and PNO of up to 5 digits, also without the bit of Flag that announces them,
    and not there although it does. ANY_RF: RF of another value than 1. TRIM_BLANKS: blanks around names and
    values are dropped. LENGTH_IN_CHARACTERS: the length counts characters where they are fewer than bytes.
    MISSING_TAIL: no CR LF. UNIVERSAL_CRC: A55A fits everything. CLEAR_AREA: an area that must be encrypted
    comes in clear.
    """

    ANY_MN = "any_mn"
    ANY_ST = "any_st"
    MISSING_FIELDS = "missing_fields"
    ANY_ORDER = "any_order"
    ANY_VERSION = "any_version"
    PART_NUMBERS = "part_numbers"
    ANY_RF = "any_rf"
    TRIM_BLANKS = "trim_blanks"
    LENGTH_IN_CHARACTERS = "length_in_characters"
    MISSING_TAIL = "missing_tail"
    UNIVERSAL_CRC = "universal_crc"
    CLEAR_AREA = "clear_area"


OTHER_RULES: dict[Tolerance, dict[str, tuple[str, str]]] = {
    Tolerance.ANY_MN: {"MN": ("[!-%'-+\\--:<>-~]{0,64}", "at most 64 printable characters without , ; = &")},
    Tolerance.ANY_ST: {"ST": ("[0-9A-Za-z]{1,8}", "1 to 8 characters 0-9 A-Z a-z")},
    Tolerance.ANY_RF: {"RF": ("[0-9]{1,4}", "1 to 4 digits")},
    Tolerance.PART_NUMBERS: {
        "PNUM": ("[0-9]{1,5}", "1 to 5 digits"),
        "PNO": ("[0-9]{1,5}", "1 to 5 digits, at most PNUM"),
    },
}
"""What fields may be with a tolerance: pattern and words for it."""

OPTIONAL_WHEN_TOLERATED = frozenset({"QN", "PW", "MN", "Flag"})


@dataclass(frozen=True)
class HeaderField:
    """A field before CP. pattern: of its value, a regular expression; rule: the same in words."""

    name: str
    pattern: str
    rule: str
    required: bool = False


@dataclass(frozen=True)
class Profile:
    """One version of the standard as data. Lengths in bytes.

    fields: in the order in which they are sent; max_area_sent: of an area that is made here, the safe reading
    of max_area. max_parts: PNUM at most. split_bit_binds: bit 1 of Flag and PNUM, PNO come together. clauses:
    where the standard has the rule of each part.
    """

    name: str
    standard: str
    version_bits: int
    charset: str
    max_segment: int
    max_area: int
    max_area_sent: int
    max_parts: int
    split_bit_binds: bool
    clauses: dict[str, str]
    fields: tuple[HeaderField, ...]
    data_flags: dict[str, str]

    @property
    def version(self) -> str:
        """ "2005", "2017" or "2025"."""
        return self.name.rpartition("_")[2]

    def clause(self, part: str) -> str:
        """Standard and place of a part's rule, for messages."""
        return f"{self.standard}, {self.clauses[part]}"

    def tolerant_fields(self, tolerances: frozenset[Tolerance]) -> tuple[HeaderField, ...]:
        """Header fields as the tolerances leave them."""
        rules = {name: rule for one in tolerances for name, rule in OTHER_RULES.get(one, {}).items()}
        may_miss = OPTIONAL_WHEN_TOLERATED if Tolerance.MISSING_FIELDS in tolerances else frozenset()
        return tuple(
            HeaderField(
                field.name,
                *rules.get(field.name, (field.pattern, field.rule)),
                required=field.required and field.name not in may_miss,
            )
            for field in self.fields
        )


def header_pattern(fields: tuple[HeaderField, ...]) -> re.Pattern[str]:
    """The header, up to CP, with a group for each field; how they depend on each other is not in it."""
    parts = [
        f"(?:{field.name}=(?P<{field.name}>{field.pattern});){'' if field.required else '?'}"
        for field in fields
    ]
    return re.compile("".join(parts), re.ASCII)


@cache
def profile(version: str) -> Profile:
    """Of "2005", "2017" or "2025". KeyError for another one."""
    if version not in VERSIONS:
        raise KeyError(version)
    text = resources.files(__package__).joinpath(f"profiles/{version}.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)
    fields = tuple(HeaderField(**field) for field in table.pop("fields"))
    return Profile(fields=fields, **table)
