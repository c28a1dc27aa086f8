"""Changes of a configuration document applied to it, in a new document. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from edge_contract.deployment import Document
from edge_contract.document.difference import Difference, FieldChange, RowsDifference
from edge_contract.document.rename import following, following_points
from edge_contract.document.rows import Key, Row, Rows, by_key, key_of, rows_of
from edge_contract.document.tables import OF_SLAVES
from edge_contract.document.values import ABSENT
from edge_contract.errors import DocumentError, RowMissing, RowTwice, RowUnnamed


def patched(document: Document, change: Difference) -> Document:
    """patched(a, difference(a, b)) is b. DocumentError when it was not made from such a document."""
    made = _with_fields(document, change.other)
    for section, rows in change.sections.items():
        made[section] = list(patched_rows(section, by_key(made, section), rows).values())
    return made


def patched_rows(section: str, rows: Rows, change: RowsDifference) -> Rows:
    """Rows of one section with the change applied.

    Raises RowMissing for a removed or changed row that is not there, RowTwice for an added one that is, and
    DocumentError when the order names other rows.
    """
    for key in (*change.removed, *change.changed):
        if key not in rows:
            raise RowMissing(section, key, "is not there")
    for key in change.added:
        if key in rows:
            raise RowTwice(section, key, "must be unique")
    made: Rows = {}
    for key, row in rows.items():
        if key not in change.removed:
            made[key] = _with_fields(row, change.changed[key]) if key in change.changed else row
    made.update(change.added)
    if change.order is None:
        return made
    if made.keys() != set(change.order):
        raise DocumentError(section, (), "the order names other rows")
    return {key: made[key] for key in change.order}


def _with_fields(table: Mapping[str, Any], changes: Iterable[FieldChange]) -> dict[str, Any]:
    made = dict(table)
    for path, _, after in changes:
        held = made
        for name in path[:-1]:
            inner = held.get(name)
            held[name] = dict(inner) if isinstance(inner, Mapping) else {}
            held = held[name]
        if after is ABSENT:
            held.pop(path[-1], None)
        else:
            held[path[-1]] = after
    return made


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
    that of their slave's. A port, slave or point that gets another name takes what names it along
    (references.py). RowMissing, RowTwice, RowUnnamed: as they say.
    """
    changed, gone = dict(changed or {}), set(removed)
    rows = rows_of(document, section)
    known = {key_of(section, row) for row in rows}
    for key in (*changed, *gone):
        if key not in known:
            raise RowMissing(section, key, "is not there")
    remaining = [changed.get(key, row) for row in rows if (key := key_of(section, row)) not in gone]
    made = {**document, section: _placed(section, remaining, added, after or {}, changed)}
    _check_keys(section, made[section])
    names = {
        key[0]: str(row.get("name", "")) for key, row in changed.items() if len(key) == 1 and key not in gone
    }
    made = following(made, section, {old: new for old, new in names.items() if old != new})
    if section != "points":
        return made
    points = {key: str(row.get("name", "")) for key, row in changed.items() if key not in gone}
    return following_points(made, {key: new for key, new in points.items() if key[-1] != new})


def hanging(document: Mapping[str, Any], section: str, key: Key) -> dict[str, list[dict[str, Any]]]:
    """What names a port (slaves, and what names them) or a slave (points, scripts and other rows of it)."""
    slaves = (
        [] if section == "slaves" else [r for r in rows_of(document, "slaves") if r.get("port") == key[0]]
    )
    names = {key[0]} if section == "slaves" else {str(row.get("name")) for row in slaves}
    below = {name: [r for r in rows_of(document, name) if r.get("slave") in names] for name in OF_SLAVES}
    return {name: rows for name, rows in (("slaves", slaves), *below.items()) if rows}


def without(document: Document, section: str, key: Key) -> Document:
    """A document without a port or slave and what hangs on it; RowMissing when it is not there."""
    made = dict(document)
    for name, rows in hanging(document, section, key).items():
        numbers = {id(row) for row in rows}
        made[name] = [row for row in made[name] if id(row) not in numbers]
    return with_rows(made, section, removed=[key])


def _placed(
    section: str,
    remaining: Sequence[Row],
    added: Sequence[Row],
    after: Mapping[Key, Key],
    changed: Mapping[Key, Row],
) -> list[Row]:
    """Rows with the added ones in their places; one may stand behind another added one."""
    now = {key: key_of(section, row) for key, row in changed.items()}
    behind: dict[Key, list[Row]] = {}
    last: list[Row] = []
    there = {key_of(section, row) for row in (*remaining, *added)}
    for row in added:
        place = after.get(key_of(section, row))
        place = now.get(place, place) if place else None
        if place is None or place not in there or place == key_of(section, row):
            last.append(row)
        else:
            behind.setdefault(place, []).append(row)
    out: list[Row] = []
    for row in _with_last(section, remaining, last):
        stack = [row]
        while stack:
            each = stack.pop()
            out.append(each)
            stack.extend(reversed(behind.pop(key_of(section, each), [])))
    out.extend(row for rows in behind.values() for row in rows)  # a ring of them
    return out


def _with_last(section: str, remaining: Sequence[Row], last: Sequence[Row]) -> Iterator[Row]:
    """Rows at the end; of points at that of their slave's, which stay together."""
    if section != "points" or not last:
        yield from remaining
        yield from last
        return
    ends = {row.get("slave"): at for at, row in enumerate(remaining)}
    for at, row in enumerate(remaining):
        yield row
        if ends[row.get("slave")] == at:
            yield from (each for each in last if each.get("slave") == row.get("slave"))
    yield from (each for each in last if each.get("slave") not in ends)


def _check_keys(section: str, rows: Sequence[Row]) -> None:
    seen: set[Key] = set()
    for row in rows:
        key = key_of(section, row)
        if key in seen:
            raise RowTwice(section, key, "must be unique")
        if not key[-1]:
            raise RowUnnamed(section, key, "must have a name")
        seen.add(key)
