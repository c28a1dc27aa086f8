"""Items of a data area as values of factors: names, numbers as text, times, flags. Pure."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Context, Decimal
from enum import StrEnum
from functools import cache
from importlib import resources

from edge_agent.errors import BadValue
from edge_agent.forwarding.hj212.packet import Area, Group, Packet
from edge_agent.forwarding.hj212.profile import Profile

NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?", re.ASCII)
TIME = re.compile("[0-9]{14}", re.ASCII)
STATE_OF_PRODUCTION = "45"
"""ST of HJ 212-2025 whose -Rtd is a mark in letters."""
MAX_DECIMALS = 10


class ItemKind(StrEnum):
    """What the value of an item is."""

    NUMBER = "number"
    TIME = "time"
    FLAG = "flag"
    TEXT = "text"


@dataclass(frozen=True)
class ItemRule:
    """Of an item, or with - before it of the suffix of a factor.

    low, high: of a number, or of the length of a text; choices: all values when it has no other.
    """

    name: str
    kind: ItemKind
    low: Decimal | None
    high: Decimal | None
    choices: tuple[str, ...]


@cache
def item_rules(version: str) -> dict[str, ItemRule]:
    """Rules of "2005", "2017" or "2025" by name; items without one may be any text."""
    text = resources.files(__package__).joinpath("profiles/items.csv").read_text(encoding="utf-8")
    return {
        row["name"]: ItemRule(
            name=row["name"],
            kind=ItemKind(row["kind"]),
            low=Decimal(row["low"]) if row["low"] else None,
            high=Decimal(row["high"]) if row["high"] else None,
            choices=tuple(row["choices"].split()),
        )
        for row in csv.DictReader(text.splitlines())
        if version in row["versions"].split()
    }


def factors(area: Area) -> dict[str, dict[str, str]]:
    """By factor and suffix: `{"w01018": {"Rtd": "2.20", "Flag": "N"}}`; of two with one name the last."""
    values: dict[str, dict[str, str]] = {}
    for group in area:
        for name, value in group:
            factor, dash, suffix = name.rpartition("-")
            if dash and factor:
                values.setdefault(factor, {})[suffix] = value
    return values


def parameters(area: Area) -> dict[str, str]:
    """Values of the items that belong to no factor, such as DataTime; of two with one name the last."""
    return {name: value for group in area for name, value in group if not name.rpartition("-")[0]}


def factor_group(factor: str, values: Mapping[str, str]) -> Group:
    """The items of one factor, in the order of values: suffix and text."""
    return tuple((f"{factor}-{suffix}", value) for suffix, value in values.items())


def number_text(value: Decimal | float, decimals: int | None = None, rounding: str = ROUND_HALF_EVEN) -> str:
    """A number as a packet has it: no exponent, no padding; with decimals rounded to so many, else all that
    it has.

    A float stands for the shortest decimal number that gives it again. BadValue when it is no finite number.
    """
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not exact.is_finite():
        raise BadValue(f"{value} is no number that a packet can have")
    if decimals is not None:
        if not 0 <= decimals <= MAX_DECIMALS:
            raise BadValue(f"decimals: must be 0 to {MAX_DECIMALS}, not {decimals}")
        exact = round_to(exact, decimals, rounding)
    text = f"{exact:f}"
    return text.removeprefix("-") if not exact else text


def round_to(value: Decimal, decimals: int, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """Of any size; quantize by itself fails where a number has more digits than the context."""
    shift = Decimal(1).scaleb(-decimals)
    digits = max(value.adjusted(), 0) + decimals + 2
    return value.quantize(shift, rounding=rounding, context=Context(prec=digits))


def faults(packet: Packet, profile: Profile) -> list[str]:
    """What the values of a packet break: item, rule. Items of other names are not looked at."""
    rules = item_rules(profile.version)
    out = []
    for name, value in packet.items:
        factor, dash, suffix = name.rpartition("-")
        rule = rules.get(f"-{suffix}" if dash and factor else name)
        if rule is None or (suffix == "Rtd" and packet.st == STATE_OF_PRODUCTION):
            continue
        words = _rule_broken(rule, value, profile)
        if words:
            out.append(f"{name}: must be {words}")
    return out


def _rule_broken(rule: ItemRule, value: str, profile: Profile) -> str:
    if rule.choices:
        return "" if value in rule.choices else f"one of {' '.join(rule.choices)}"
    match rule.kind:
        case ItemKind.FLAG:
            return "" if value in profile.data_flags else f"one of {' '.join(profile.data_flags)}"
        case ItemKind.TIME:
            return "" if is_time(value) else "14 digits YYYYMMDDhhmmss of a real time"
        case ItemKind.TEXT:
            return _bound_broken(Decimal(len(value)), rule, "characters")
    if not NUMBER.fullmatch(value):
        return "a decimal number"
    return _bound_broken(Decimal(value), rule, "")


def _bound_broken(number: Decimal, rule: ItemRule, unit: str) -> str:
    low, high = rule.low, rule.high
    if (low is None or number >= low) and (high is None or number <= high):
        return ""
    words = f"{low} to {high}" if low is not None else f"at most {high}"
    return f"{words} {unit}".strip()


def is_time(text: str) -> bool:
    """Whether it is 14 digits of a time that exists."""
    if not TIME.fullmatch(text):
        return False
    try:
        datetime.strptime(text, "%Y%m%d%H%M%S")  # noqa: DTZ007  # local time of the site; only whether it exists
    except ValueError:
        return False
    return True
