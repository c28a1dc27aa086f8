"""One document that has the changes of two, each made from the same third one. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from edge_contract.deployment import Document

ROWS = ("ports", "slaves", "points", "scripts")
"""Sections of named rows; a row is changed as a whole."""

Key = tuple[object, object]
Rows = dict[Key, Any]

_ABSENT = object()


class Clash(Exception):
    """Both changed the same, and not into the same. what: a section, field or row."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


def key_of(section: str, row: Mapping[str, Any]) -> Key:
    """What knows a row again in another document."""
    return (row.get("slave") if section == "points" else None), row.get("name")


def merged(base: Document, draft: Document, running: Document) -> Document:
    """What runs, with what the draft changes of its base. Clash where both changed the same row, or the same
    field of another section.
    """
    made: Document = {}
    for name in [*running, *(each for each in draft if each not in running)]:
        sides = tuple(document.get(name, _ABSENT) for document in (base, draft, running))
        value = _rows(name, *sides) if name in ROWS else _fields(name, *sides)
        if value is not _ABSENT:
            made[name] = value
    return made


def _either(what: str, base: Any, draft: Any, running: Any) -> Any:
    """The one that is not as in the base; _ABSENT is a value like any other."""
    if _same(draft, running) or _same(draft, base):
        return running
    if _same(running, base):
        return draft
    raise Clash(what)


def _fields(name: str, base: Any, draft: Any, running: Any) -> Any:
    """Of a table by field, one level deep."""
    if not (isinstance(draft, dict) and isinstance(running, dict)):
        return _either(name, base, draft, running)
    before = base if isinstance(base, dict) else {}
    made = {
        field: _either(f"{name}.{field}", *(each.get(field, _ABSENT) for each in (before, draft, running)))
        for field in [*running, *(each for each in draft if each not in running)]
    }
    return {field: value for field, value in made.items() if value is not _ABSENT}


def _rows(section: str, base: Any, draft: Any, running: Any) -> Any:
    """Rows by their names; a section that is no list of rows with names of their own counts as a whole."""
    keyed = [_keyed(section, each) for each in (base, draft, running)]
    before, mine, theirs = keyed
    if before is None or mine is None or theirs is None:
        return _either(section, base, draft, running)
    kept: Rows = {}
    for key in _in_order(before, mine, theirs):
        what = f"{section} {'.'.join(str(part) for part in key if part is not None)}"
        row = _either(what, *(rows.get(key, _ABSENT) for rows in (before, mine, theirs)))
        if row is not _ABSENT:
            kept[key] = row
    return list(kept.values()) if kept or running is not _ABSENT else _ABSENT


def _keyed(section: str, rows: Any) -> Rows | None:
    if rows is _ABSENT:
        return {}
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return None
    try:
        found = {key_of(section, row): row for row in rows}
    except TypeError:  # a name that is none
        return None
    return found if len(found) == len(rows) else None


def _in_order(base: Rows, draft: Rows, running: Rows) -> Sequence[Key]:
    """The keys of both, as they stand where it runs unless the draft has another order; what only the other
    one has stands before its next neighbour there.
    """
    shared = [key for key in base if key in draft]
    lead, other = (running, draft) if shared == [key for key in draft if key in base] else (draft, running)
    before: dict[Key, list[Key]] = {}
    waiting: list[Key] = []
    for key in other:
        if key in lead:
            before[key], waiting = waiting, []
        else:
            waiting.append(key)
    return [*(each for key in lead for each in (*before.get(key, ()), key)), *waiting]


def _same(one: Any, other: Any) -> bool:
    """Equal as canonical text: True is not 1."""
    if one is _ABSENT or other is _ABSENT:
        return one is other
    return one is other or msgspec.json.encode(one, order="sorted") == msgspec.json.encode(
        other, order="sorted"
    )
