"""Rules that a value broke, in the agent's words instead of the library's. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches

TYPES = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
    "list": "a list",
    "dict": "a table",
    "NoneType": "nothing",
    "datetime": "a date with a time",
    "date": "a date",
    "time": "a time",
}
"""What msgspec calls a type, for a person."""
MOST_SHOWN = 40
"""Characters of a value that is told back."""
COUNTED = {"str": "characters", "array": "items", "object": "entries"}

_TYPE = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_LENGTH = re.compile(r"Expected `(\w+)` of length (>=|<=|==) (\d+)(.*)")
_BOUND = re.compile(r"Expected `[^`]+` (>=|<=|>|<) (\S+?)")
_PATTERN = re.compile(r"Expected `[^`]+` matching regex '?(.+?)'?")
_NO_NEWLINE = re.compile(r"\(\?!\\+n\)$")
_UNKNOWN = re.compile(r"Object contains unknown field `(.+)`")
_MISSING = re.compile(r"Object missing required field `(.+)`")
_ENUM = re.compile(r"Invalid enum value (.+)")
_EXTENT = {">=": "at least ", "<=": "at most ", "==": "", ">": "above ", "<": "below "}


def fault_of(error: Exception) -> tuple[str, str]:
    """Path within what was read, empty for the whole, and the rule."""
    rule, _, inside = str(error).partition(" - at `$")
    return inside.rstrip("`").removeprefix("."), rule_of(rule)


def rule_of(said: str) -> str:
    """The rule behind a message of msgspec; what is no such message stays as it is."""
    if found := _TYPE.fullmatch(said):
        return f"must be {_types(found[1])}, not {_types(found[2])}"
    if found := _LENGTH.fullmatch(said):
        return f"must have {_EXTENT[found[2]]}{found[3]} {COUNTED.get(found[1], 'bytes')}{found[4]}"
    if found := _BOUND.fullmatch(said):
        return f"must be {_EXTENT[found[1]]}{found[2]}"
    if found := _PATTERN.fullmatch(said):
        return f"must fit the pattern {_NO_NEWLINE.sub('', found[1])}"
    if found := _UNKNOWN.fullmatch(said):
        return unknown(found[1])
    if found := _MISSING.fullmatch(said):
        return missing(found[1])
    if found := _ENUM.fullmatch(said):
        return f"must be one of the known values, which {found[1]} is not"
    return said


MEANT = {"ip": "host", "ip_address": "host", "baudrate": "baud", "baud_rate": "baud", "id": "name"}
"""Names that other programs give to a field, none of whose letters need be alike."""


def unknown(name: str, known: Collection[str] = ()) -> str:
    """known: fields that may be meant."""
    meant = MEANT.get(name.lower(), "")
    near = [meant] if meant in known else get_close_matches(name.lower(), sorted(known), n=1)
    said = f"must not have {name!r}: there is no such field"
    return f"{said}; is {near[0]!r} meant?" if near else said


def missing(name: str) -> str:
    return f"must have {name!r}"


def wrong_type(wanted: str, given: str) -> str:
    """Types as msgspec calls them."""
    return f"must be {_types(wanted)}, not {_types(given)}"


def one_of(choices: Iterable[object], given: str) -> str:
    return f"must be one of {', '.join(map(str, choices))}, not {given[:MOST_SHOWN]!r}"


def too_many(most: int, given: int) -> str:
    return f"must have at most {most} items, not {given}"


def _types(said: str) -> str:
    return " or ".join(TYPES.get(one, one) for one in said.split(" | "))
