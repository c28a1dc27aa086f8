"""What is sound in a faulty file, so that one run finds the faults of the rest as well."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from edge_agent.config.model import Configuration, Gateway, Point, Port, Script, Section, Slave
from edge_agent.config.shape import fields_of, longest
from edge_agent.errors import ConfigError

UNKNOWN = "*"
"""Stands among the broken fields of an item that has unknown ones: each may be meant for any other."""

ALWAYS_MEANT = {"name", "slave", "port"}
"""Fields whose faults follow from no other field of their item."""

SHAPING = {"type", "data_type", "rw", "protocol", "options", "address", "slave", "script", "text", "inputs",
           "state", UNKNOWN}  # fmt: skip
"""Fields that others are validated by: where one is broken, faults of the others may only follow from it."""

ITEM = re.compile(r"(\w+)\[(\d+)\](?:\.(\w+))?")

S = TypeVar("S", bound=Section)


@dataclass(frozen=True)
class Unjudged:
    """What cannot be validated, because something that it hangs on is broken.

    ports, slaves: names. missing: sections with items of which not even the name can be read. outputs: a
    point may be meant as the output of a script.
    """

    ports: frozenset[str] = frozenset()
    slaves: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    outputs: bool = False


@dataclass
class LenientResult:
    """configuration: items that are faulty have defaults in place of their broken fields.

    places: index in the file of every item, by section. broken: fields by section and index in the file.
    """

    configuration: Configuration
    unjudged: Unjudged
    places: dict[str, list[int]]
    broken: dict[tuple[str, int], set[str]] = field(default_factory=dict)

    def meant(self, faults: Iterable[ConfigError]) -> Iterator[ConfigError]:
        """Faults as the file counts its items, without those that follow from a broken field."""
        for fault in faults:
            match = ITEM.match(fault.field)
            if match is None or match[1] not in self.places:
                yield fault
                continue
            section, name = match[1], match[3]
            place = self.places[section][int(match[2])]
            broken = self.broken.get((section, place), set())
            if broken and (name in broken or (name not in ALWAYS_MEANT and broken & SHAPING)):
                continue
            rest = fault.field.partition("]")[2]
            yield ConfigError(f"{section}[{place}]{rest}", fault.rule)


def hides_others(faults: Iterable[ConfigError]) -> bool:
    """May there be more faults, which only show once these are mended?"""
    for fault in faults:
        match = ITEM.match(fault.field)
        if match is None:
            if fault.field == "file" and not fault.rule.startswith("must not have "):
                return True
        elif match[3] is None or match[3] == "port" or match[3] in SHAPING:
            return True
    return False


def parse_leniently(tables: Mapping[str, Any]) -> LenientResult:
    """Everything that can be read of tables that are no Configuration."""
    places: dict[str, list[int]] = {}
    broken: dict[tuple[str, int], set[str]] = {}
    ports = _items(tables, "ports", Port, places, broken)
    slaves = _items(tables, "slaves", Slave, places, broken)
    points = _items(tables, "points", Point, places, broken)
    scripts = _items(tables, "scripts", Script, places, broken)
    single = {
        name: made
        for name, part in fields_of(Configuration).items()
        if name not in places and (made := _converted(tables.get(name), part.type)) is not None
    }
    made = Configuration(
        **{"gateway": Gateway(id=""), **single}, ports=ports, slaves=slaves, points=points, scripts=scripts
    )
    return LenientResult(made, _unjudged(tables, made, places, broken), places, broken)


def _items(
    tables: Mapping[str, Any],
    section: str,
    kind: type[S],
    places: dict[str, list[int]],
    broken: dict[tuple[str, int], set[str]],
) -> list[S]:
    table = tables.get(section)
    items = table[: longest(Configuration, section)] if isinstance(table, list) else []
    places[section] = [at for at, item in enumerate(items) if isinstance(item, dict)]
    made: list[S] = []
    for at in places[section]:
        row = _converted(items[at], kind)
        if row is None:
            row, broken[section, at] = _mended(items[at], kind)
        made.append(row)
    return made


def _mended(table: dict[str, Any], kind: type[S]) -> tuple[S, set[str]]:
    """An item with its sound fields, and the names of the others. A required text stays as it is."""
    fields = fields_of(kind)
    broken = {UNKNOWN} if table.keys() - fields.keys() else set()
    values: dict[str, Any] = {}
    for name, part in fields.items():
        if name in table:
            try:
                values[name] = msgspec.convert(table[name], part.type, strict=True)
                continue
            except msgspec.ValidationError:
                broken.add(name)
        if part.required:
            broken |= {name} - values.keys()
            values[name] = table[name] if isinstance(table.get(name), str) else ""
    return kind(**values), broken


def _converted(value: Any, kind: Any) -> Any:
    """None where it is no such thing."""
    try:
        return msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError:
        return None


def _unjudged(
    tables: Mapping[str, Any],
    made: Configuration,
    places: Mapping[str, list[int]],
    broken: Mapping[tuple[str, int], set[str]],
) -> Unjudged:
    def fields(section: str, at: int) -> set[str]:
        return broken.get((section, places[section][at]), set())

    missing = {
        section
        for section, indices in places.items()
        if section in tables
        and (
            not isinstance(tables[section], list)
            or len(indices) < len(tables[section])
            or any(not item.name for item in getattr(made, section))
        )
    }
    return Unjudged(
        ports=frozenset(port.name for at, port in enumerate(made.ports) if fields("ports", at)),
        slaves=frozenset(
            slave.name
            for at, slave in enumerate(made.slaves)
            if fields("slaves", at) & {"protocol", "options", UNKNOWN}
        ),
        missing=frozenset(missing),
        outputs=any(
            fields("points", at) & {"name", "slave", "type", "script", UNKNOWN}
            for at in range(len(made.points))
        ),
    )
