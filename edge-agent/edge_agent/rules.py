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
_GATEWAY_ID = "^[A-Za-z0-9][A-Za-z0-9_-]{2,39}$"
PATTERNS = {_GATEWAY_ID: "3 to 40 letters, digits, '-' or '_', starting with a letter or digit"}
"""Patterns in words; the portal knows the gateway's by them."""
MAX_QUOTED = 60
"""Characters of a value or a name that is quoted."""
COUNTED = {"str": "characters", "array": "items", "object": "entries"}

_PLACE = re.compile(
    r"(.*) - at `\$([^`]*)`", re.DOTALL
)  # the last one: what is quoted may hold the same words
_TYPE = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_LENGTH = re.compile(r"Expected `(\w+)` of length (>=|<=|==) (\d+)(.*)")
_BOUND = re.compile(r"Expected `[^`]+` (>=|<=|>|<) (\S+?)")
_PATTERN = re.compile(r"Expected `[^`]+` matching regex '?(.+?)'?")
_NO_NEWLINE = re.compile(r"\(\?!\\+n\)$")
_UNKNOWN = re.compile(r"Object contains unknown field `(.+)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.+)`")
_ENUM = re.compile(r"Invalid enum value (.+)", re.DOTALL)
_EXTENT = {">=": "at least ", "<=": "at most ", "==": "", ">": "above ", "<": "below "}


def fault_of(error: Exception) -> tuple[str, str]:
    """Path within what was read, empty for the whole, and the rule."""
    said = str(error)
    if match := _PLACE.fullmatch(said):
        return match[2].removeprefix("."), rule_of(match[1])
    return "", rule_of(said)


def request_fault(error: Exception, body: str) -> tuple[str, str]:
    """Of a request's body: the field and the rule that it breaks; body: names the body as such."""
    path, rule = fault_of(error)
    place = _PLACE.fullmatch(str(error))
    said = place[1] if place else str(error)
    if match := _UNKNOWN.fullmatch(said):
        return _inside(path, shortened(match[1])), "there is no such field"
    if match := _MISSING.fullmatch(said):
        return _inside(path, match[1]), "must be given"
    return path or body, rule


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def rule_of(said: str) -> str:
    """The rule behind a message of msgspec; what is no such message stays as it is."""
    if match := _TYPE.fullmatch(said):
        return f"must be {_types(match[1])}, not {_types(match[2])}"
    if match := _LENGTH.fullmatch(said):
        return f"must have {_EXTENT[match[2]]}{match[3]} {COUNTED.get(match[1], 'bytes')}{match[4]}"
    if match := _BOUND.fullmatch(said):
        return f"must be {_EXTENT[match[1]]}{match[2]}"
    if match := _PATTERN.fullmatch(said):
        pattern = _NO_NEWLINE.sub("", match[1])
        return PATTERNS.get(pattern, f"must fit the pattern {pattern}")
    if match := _UNKNOWN.fullmatch(said):
        return unknown(match[1])
    if match := _MISSING.fullmatch(said):
        return missing(match[1])
    if match := _ENUM.fullmatch(said):
        return f"must be one of the known values, which {shortened(match[1])} is not"
    return said


MEANT = {"ip": "host", "ip_address": "host", "baudrate": "baud", "baud_rate": "baud", "id": "name"}
"""Names that other programs give to a field, none of whose letters need be alike."""


def unknown(name: str, known: Collection[str] = ()) -> str:
    """known: fields that may be meant."""
    name = shortened(name)
    meant = MEANT.get(name.lower(), "")
    near = [meant] if meant in known else get_close_matches(name.lower(), sorted(known), n=1)
    said = f"must not have {name!r}: there is no such field"
    return f"{said}; is {near[0]!r} meant?" if near else said


def shortened(text: str) -> str:
    """A text as it is quoted."""
    return text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}\N{HORIZONTAL ELLIPSIS}"


def missing(name: str) -> str:
    return f"must have {name!r}"


def wrong_type(wanted: str, given: str) -> str:
    """Types as msgspec calls them."""
    return f"must be {_types(wanted)}, not {_types(given)}"


def one_of(choices: Iterable[object], given: str) -> str:
    return f"must be one of {', '.join(map(str, choices))}, not {shortened(given)!r}"


def too_many(limit: int, given: int) -> str:
    return f"must have at most {limit} items, not {given}"


def too_few(limit: int, given: int) -> str:
    return f"must have at least {limit} items, not {given}"


def _types(said: str) -> str:
    return " or ".join(TYPES.get(one, one) for one in said.split(" | "))
