"""Values at and beyond the bounds of every parameter field, made from the exported schema.

A field is a path such as mapping.factor; values are put into a row that is valid otherwise.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from edge_contract.parameters.groups import GROUPS
from edge_contract.parameters.schema import exported

Json = dict[str, Any]

ROWS: Mapping[str, Json] = {
    "run": {"mode": "port", "power": "normal", "report_interval_s": 0},
    "uart": {"name": "com1", "device": "/dev/ttyS1"},
    "channels": {
        "name": "c1", "server": "example.org", "server_port": 9000, "port": "com1", "heartbeat": "ping",
    },
    "registration": {"format": "text", "content": "hello"},
    "calibration": {"slave": "a", "name": "p"},
    "internal_slave": {"enable": True},
    "hj212": {
        "name": "h", "server": "example.org", "port": 9000, "mn": "MN1", "version": "2025",
        "mapping": [{"factor": "w01018", "point": "a.p"}],
    },
    "mqtt": {
        "name": "m", "server": "example.org", "up_topic": "up/{slave}", "down_topic": "down",
        "variables": [{"name": "v", "point": "a.w", "write": True}],
    },
    "history": {"type": "disk", "medium": "external", "path": "/mnt/card"},
    "loop_write": {"name": "l", "interval_s": 60, "slave": "a", "content": "number", "value": 1, "offset": 1},
    "network": {"mode": "static", "address": "10.0.0.2", "netmask": "255.255.255.0"},
    "mobile": {"enable": True},
    "hotspot": {"enable": True, "ssid": "gw", "password": "12345678"},
}  # fmt: skip
"""One valid row of every group, in a gateway that has slave a with the points p (read) and w (written)."""

BESIDE: Mapping[tuple[str, str], Json] = {
    ("internal_slave", "tcp"): {"device": "/dev/ttyS2"},
    ("hj212", "random_min_ms"): {"random_max_ms": 60_000},
    ("hj212", "random_max_ms"): {"supplementary": False},
    ("hj212", "supplementary_rtd"): {"supplementary": True},
    ("hj212", "mapping.units"): {"mapping": [{"factor": "w01018", "point": "a.p", "types": ["rtd"]}]},
    ("hj212", "mapping.types"): {
        "mapping": [{"factor": "w01018", "point": "a.p", "flow": "a.p", "flow_unit": "L/s"}]
    },
    ("mqtt", "ca_file"): {"tls": "verify"},
    ("mqtt", "variables"): {"down_topic": ""},
    ("history", "medium"): {"path": "/mnt/card"},
    ("loop_write", "reg_type"): {"offset": 1},
    ("loop_write", "expect"): {"message": "custom", "offset": None},
    ("loop_write", "data_type"): {"message": "custom", "offset": None},
    ("loop_write", "checksum"): {"message": "custom", "offset": None},
    ("mobile", "username"): {"authentication": "pap"},
    ("mobile", "password"): {"authentication": "pap", "username": "u"},
}
"""What other fields must be for a field to have any of its values; None takes one away."""


def host(length: int) -> str:
    """A host name of that many characters, at most 253."""
    labels = ["a" * 63] * (length // 64) + ["b" * (length % 64)]
    return ".".join(labels)[:length].rstrip(".").ljust(length, "c")


TEXTS: Mapping[tuple[str, str], Any] = {
    ("channels", "server"): host,
    ("internal_slave", "host"): host,
    ("hj212", "server"): host,
    ("mqtt", "server"): host,
    ("history", "path"): lambda length: "/" + "m" * (length - 1),
    ("loop_write", "time_zone"): None,
    ("mqtt", "variables.point"): None,
    ("network", "address"): None,
    ("network", "netmask"): None,
    ("network", "gateway"): None,
    ("hj212", "cipher_secret"): lambda length: "A" * length,
}
"""How a text of a length is made where not any text will do; None: its values are those of VALUES."""

VALUES: Mapping[tuple[str, str], tuple[tuple[Any, ...], tuple[Any, ...]]] = {
    ("loop_write", "time_zone"): (("", "Asia/Shanghai"), ("z" * 65,)),
    ("loop_write", "value"): ((0, 65_535), ({"no": "such"}, "x" * 1025)),
    ("loop_write", "offset"): ((1, 65_536), (-1, 65_537)),
    ("loop_write", "expect"): (("", "00 " * 66 + "00"), ("0" * 201,)),
    ("loop_write", "slave"): (("a",), ("", "a b", "x" * 65)),
    ("calibration", "slave"): (("a",), ("", "a b", "x" * 65)),
    ("calibration", "name"): (("p",), ("", "a-b", "x" * 65)),
    ("channels", "port"): (("com1",), ("", "a b", "x" * 65)),
    ("mqtt", "variables.point"): (("a.w",), ("", "x" * 130)),
    ("network", "address"): (("10.0.0.1", "10.0.0.254"), ("10.0.0.256", "10.0.0", "a", "1" * 16)),
    ("network", "netmask"): (("255.255.255.0", "128.0.0.0"), ("255.255.255.255", "255.0.255.0", "0.0.0.0")),
    ("network", "gateway"): (("", "10.0.0.254"), ("10.0.1.1", "10.0.0.2", "x")),
    ("network", "dns"): (([], ["1.1.1.1"] * 3), (["1.1.1.1"] * 4, ["x"])),
    ("internal_slave", "allow"): (([], ["10.0.0.1"] * 64), (["10.0.0.1"] * 65,)),
}
"""Accepted and refused values where lengths and patterns are not all there is."""

PATTERNS: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "^[A-Za-z0-9_-]{1,64}$": (("a", "A-_9" * 16), ("", "a b", "a" * 65, "a\n")),
    "^[A-Za-z0-9_]{1,64}$": (("a", "A_9b" * 16), ("", "a-b", "a" * 65, "a\n")),
    "^[A-Za-z0-9_-]{1,64}\\.[A-Za-z0-9_]{1,64}$": (("a.p",), ("a", ".p", "a.", "a.p\n")),
    "^[A-Za-z0-9]{1,24}$": (("w", "w" * 24), ("", "w" * 25, "w-1")),
    "^[A-Z][a-z]?$": (("M", "Mm"), ("", "m", "MMM")),
    "^[!-%'-+\\--:<>-~]{1,64}$": (("a", "a" * 64), ("", "a" * 65, "a;b", "a b")),
    "^[0-9A-Z]{2}$": (("32", "A1"), ("", "3", "321", "a1")),
    "^[0-9A-Za-z]{0,6}$": (("", "aB3456"), ("1234567", "a b")),
    "^[+-]\\d\\d:[0-5]\\d$": (("+08:00", "-14:00", "+14:00"), ("08:00", "+8:00", "+08:60")),
    "^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$": (("e", "e" * 15), ("", "e" * 16, "-e", "a/b")),
    "^[A-Za-z0-9.-]{0,100}$": (("", "a" * 100), ("a" * 101, "a b")),
    "^([ -~]{8,63})?$": (("12345678", "~" * 63), ("1234567", "~" * 64, "密" * 8)),
}


@dataclass(frozen=True)
class Case:
    """A row of a group with one value to be accepted or refused."""

    group: str
    field: str
    value: Any
    accepted: bool

    def __str__(self) -> str:
        value = repr(self.value)
        return f"{self.group}.{self.field}={value if len(value) < 24 else value[:20] + '…'}"

    @property
    def row(self) -> Json:
        """The row with the value; of a field inside a list in its only entry."""
        row = copy.deepcopy(dict(ROWS[self.group]))
        for name, value in BESIDE.get((self.group, self.field), {}).items():
            row[name] = copy.deepcopy(value)
        row = {name: value for name, value in row.items() if value is not None}
        outer, _, inner = self.field.partition(".")
        if inner:
            row[outer][0][inner] = self.value
        else:
            row[outer] = self.value
        return row


def fields() -> dict[tuple[str, str], Json]:
    """Schema of every field by group and path, those of entries of lists too."""
    made: dict[tuple[str, str], Json] = {}
    for name, group in exported().items():
        definitions = group["row"].get("$defs", {})
        for field, shape in group["row"]["properties"].items():
            made[name, field] = shape
            reference = shape.get("items", {}).get("$ref") if isinstance(shape.get("items"), dict) else None
            if reference:
                entry = definitions[reference.rpartition("/")[2]]
                made |= {(name, f"{field}.{inner}"): each for inner, each in entry["properties"].items()}
    return made


def cases() -> Iterator[Case]:
    """Every bound of every field: at it and beyond it."""
    for (group, field), shape in fields().items():
        good, bad = VALUES.get((group, field)) or _values(group, field, shape)
        assert good and bad, f"{group}.{field} has no bound"
        yield from (Case(group, field, value, True) for value in good)
        yield from (Case(group, field, value, False) for value in bad)


def _values(group: str, field: str, shape: Json) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    parts = [part for part in shape.get("anyOf", [shape]) if part.get("type") != "null"]
    good: list[Any] = []
    bad: list[Any] = [{"no": "such"}] if shape.get("type") != "object" else ["text"]
    for part in parts:
        some, others = _of_part(group, field, part)
        good += some
        bad += others if len(parts) == 1 else []
    return tuple(good), tuple(bad)


def _of_part(group: str, field: str, part: Json) -> tuple[list[Any], list[Any]]:
    if "enum" in part:
        numbers = all(isinstance(value, int) for value in part["enum"])
        return list(part["enum"]), [max(part["enum"]) + 1 if numbers else "no such"]
    match part.get("type"):
        case "boolean":
            return [True, False], [1, "true"]
        case "integer" | "number":
            return _numbers(part)
        case "string":
            return _texts(group, field, part)
        case "array":
            return _lists(group, field, part)
        case "object":
            entries = {str(number): "M" for number in range(part["maxProperties"] + 1)}
            full = dict(list(entries.items())[:-1])
            return [{}, full], [entries, {"0": "no flag"}]
    raise AssertionError(f"{group}.{field}: {part}")


def _numbers(part: Json) -> tuple[list[Any], list[Any]]:
    low, high = part.get("minimum"), part.get("maximum")
    step = 1 if part["type"] == "integer" else 0.0001
    bad: list[Any] = ["1"]
    bad += [low - step] if low is not None else []
    bad += [high + max(step, abs(high) * 1e-9)] if high is not None and part["type"] == "number" else []
    bad += [high + 1] if high is not None and part["type"] == "integer" else []
    return [value for value in (low, high) if value is not None] or [0.5], bad


def _texts(group: str, field: str, part: Json) -> tuple[list[Any], list[Any]]:
    if "pattern" in part:
        good, bad = PATTERNS[part["pattern"]]
        return list(good), list(bad)
    make = TEXTS.get((group, field), lambda length: "x" * length)
    longest, shortest = part.get("maxLength"), part.get("minLength", 0)
    good = [make(max(shortest, 1))] + ([make(longest)] if longest else [])
    bad = ([make(longest) + "x"] if longest else [7]) + ([""] if shortest else [])
    return good, bad


def _lists(group: str, field: str, part: Json) -> tuple[list[Any], list[Any]]:
    items = part["items"]
    if "enum" in items:
        some = items["enum"][: part.get("maxItems", 99)]
        return [some], [["no such"]] + ([[]] if part.get("minItems") else [])
    return _entries(group, field, part)


def _entries(group: str, field: str, part: Json) -> tuple[list[Any], list[Any]]:
    """Of hj212.mapping and mqtt.variables: as many entries as may be, and one more."""
    model: Mapping[str, Any] = {
        "mapping": lambda at: {"factor": f"w{at:05d}", "point": "a.p"},
        "variables": lambda at: {"name": f"v{at}", "point": f"a.{'pw'[at]}" if at < 2 else f"a.p{at}"},
    }
    make = model[field]
    full = [make(at) for at in range(part["maxItems"])]
    good = [full] if field == "mapping" else [[], full[:2]]
    return good, [[*full, make(len(full))]] + ([[]] if part.get("minItems") else [])


def groups_without_row() -> set[str]:
    """Groups that this table forgot."""
    return GROUPS.keys() ^ ROWS.keys()
