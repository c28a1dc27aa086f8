"""Ports, slaves and points of a configuration document: read, and changed in a new document. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from cloud.domains.points.fields import Row
from cloud.errors import Conflict, NotFound, ParameterError, Thing

Document = dict[str, Any]
Key = tuple[str, ...]
"""What a row is known by: (name,) of a port or slave, (slave, name) of a point."""

NOUNS: Mapping[str, Thing] = {
    "ports": "port",
    "slaves": "slave device",
    "points": "data point",
    "scripts": "script",
}


def empty(gateway: str) -> Document:
    """A document with nothing in it yet."""
    return {"gateway": {"id": gateway}, "ports": [], "slaves": [], "points": []}


def key_of(section: str, row: Mapping[str, Any]) -> Key:
    name = str(row.get("name", ""))
    return (str(row.get("slave", "")), name) if section == "points" else (name,)


def rows_of(document: Mapping[str, Any], section: str) -> list[Row]:
    """Rows of a section in their order; what is no table is left out."""
    rows = document.get(section)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def found(document: Mapping[str, Any], section: str, key: Key) -> Row:
    """The row of that name; NotFound when there is none."""
    for row in rows_of(document, section):
        if key_of(section, row) == key:
            return row
    raise NotFound(NOUNS[section])


def with_rows(
    document: Document,
    section: str,
    added: Sequence[Row] = (),
    changed: Mapping[Key, Row] | None = None,
    removed: Collection[Key] = (),
    after: Mapping[Key, Key] | None = None,
) -> Document:
    """A document with rows added, replaced (by their key before) and removed; the given one stays as it is.

    after: key of an added row to that of the row behind which it goes; the others go to the end, points to
    that of their slave's. A port or slave that gets another name takes what names it along: slaves, points
    and scripts, and inputs of scripts; formulas are text and are left to the gateway's check. NotFound for a
    key that is not there, Conflict for a name that is there already.
    """
    changed, gone = dict(changed or {}), set(removed)
    rows = rows_of(document, section)
    known = {key_of(section, row) for row in rows}
    for key in (*changed, *gone):
        if key not in known:
            raise NotFound(NOUNS[section])
    kept = [changed.get(key, row) for row in rows if (key := key_of(section, row)) not in gone]
    made = {**document, section: _placed(section, kept, added, after or {}, changed)}
    _refuse_twice(section, made[section])
    renamed = {
        key[0]: str(row.get("name", "")) for key, row in changed.items() if len(key) == 1 and key not in gone
    }
    return _following(made, section, {old: new for old, new in renamed.items() if old != new})


def hanging(document: Mapping[str, Any], section: str, key: Key) -> dict[str, list[Row]]:
    """What names a port (slaves, and their points and scripts) or a slave (points, scripts)."""
    slaves = (
        [] if section == "slaves" else [r for r in rows_of(document, "slaves") if r.get("port") == key[0]]
    )
    names = {key[0]} if section == "slaves" else {str(row.get("name")) for row in slaves}
    below = {
        name: [r for r in rows_of(document, name) if r.get("slave") in names]
        for name in ("points", "scripts")
    }
    return {name: rows for name, rows in (("slaves", slaves), *below.items()) if rows}


def without(document: Document, section: str, key: Key, *, cascade: bool) -> Document:
    """A document without a port or slave; Conflict with what hangs on it unless that goes too."""
    found(document, section, key)
    below = hanging(document, section, key)
    if below and not cascade:
        raise Conflict(
            f"{NOUNS[section]} {key[0]} is still used",
            field="cascade",
            rule="true, or remove what hangs on it first",
            reason="points.in_use",
            arguments={name: len(below.get(name, ())) for name in ("slaves", "points", "scripts")},
        )
    made = dict(document)
    for name, rows in below.items():
        numbers = {id(row) for row in rows}
        made[name] = [row for row in made[name] if id(row) not in numbers]
    return with_rows(made, section, removed=[key])


def _placed(
    section: str,
    kept: Iterable[Row],
    added: Sequence[Row],
    after: Mapping[Key, Key],
    changed: Mapping[Key, Row],
) -> list[Row]:
    """Rows with the added ones in their places; one may stand behind another added one."""
    now = {key: key_of(section, row) for key, row in changed.items()}
    behind: dict[Key, list[Row]] = {}
    last: list[Row] = []
    kept = list(kept)
    there = {key_of(section, row) for row in (*kept, *added)}
    for row in added:
        place = after.get(key_of(section, row))
        place = now.get(place, place) if place else None
        if place is None or place not in there or place == key_of(section, row):
            last.append(row)
        else:
            behind.setdefault(place, []).append(row)
    out: list[Row] = []
    for row in _with_last(section, kept, last):
        stack = [row]
        while stack:
            each = stack.pop()
            out.append(each)
            stack.extend(reversed(behind.pop(key_of(section, each), [])))
    out.extend(row for rows in behind.values() for row in rows)  # a ring of them
    return out


def _with_last(section: str, kept: Sequence[Row], last: Sequence[Row]) -> Iterator[Row]:
    """Rows at the end; of points at that of their slave's, which stay together."""
    if section != "points" or not last:
        yield from kept
        yield from last
        return
    ends = {row.get("slave"): at for at, row in enumerate(kept)}
    for at, row in enumerate(kept):
        yield row
        if ends[row.get("slave")] == at:
            yield from (each for each in last if each.get("slave") == row.get("slave"))
    yield from (each for each in last if each.get("slave") not in ends)


def _refuse_twice(section: str, rows: Sequence[Row]) -> None:
    seen: set[Key] = set()
    for row in rows:
        key = key_of(section, row)
        if key in seen:
            raise Conflict(
                f"{NOUNS[section]} {key[-1]} is there already",
                field="name",
                rule="must be unique",
                reason="points.twice",
                arguments={"name": key[-1]},
            )
        if not key[-1]:
            raise ParameterError("name", "a text")
        seen.add(key)


def _following(document: Document, section: str, renamed: Mapping[str, str]) -> Document:
    """What names a port or slave, with its new name."""
    if not renamed:
        return document
    made = dict(document)
    field, sections = ("port", ("slaves",)) if section == "ports" else ("slave", ("points", "scripts"))
    for name in sections:
        if name in made:
            made[name] = [
                {**row, field: renamed[row[field]]} if row.get(field) in renamed else row
                for row in rows_of(made, name)
            ]
    if section == "slaves" and made.get("scripts"):
        made["scripts"] = [_inputs_following(script, renamed) for script in made["scripts"]]
    return made


def _inputs_following(script: Row, renamed: Mapping[str, str]) -> Row:
    inputs = script.get("inputs")
    if not isinstance(inputs, dict):
        return script
    said = {}
    for name, reference in inputs.items():
        slave, dot, point = str(reference).partition(".")
        said[name] = f"{renamed[slave]}.{point}" if dot and slave in renamed else reference
    return {**script, "inputs": said}
