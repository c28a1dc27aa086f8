"""What one configuration document has otherwise than another. Pure.

Every comparison of documents in agent and cloud is this one; what it is shown as, and how far a change
reaches, is the caller's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from edge_contract.deployment import Document
from edge_contract.document.rows import Key, Row, Rows, keyed
from edge_contract.document.tables import TABLES
from edge_contract.document.values import ABSENT, same

_PLAIN = frozenset({str, int, float, bool})


class FieldChange(NamedTuple):
    """path: names from the row, or from the document, to the field. before, after: ABSENT for none."""

    path: tuple[str, ...]
    before: Any
    after: Any

    @property
    def field(self) -> str:
        """The path in words, as address.offset."""
        return ".".join(self.path)


@dataclass(frozen=True)
class RowsDifference:
    """Of one section. order: keys as they stand after it, None when those that stay keep their order and the
    new ones stand behind them.
    """

    added: Rows
    removed: Rows
    changed: Mapping[Key, list[FieldChange]]
    order: list[Key] | None = None

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.order is not None)

    def keys(self) -> set[Key]:
        """Of all rows that are not the same."""
        return {*self.added, *self.removed, *self.changed}


@dataclass(frozen=True)
class Difference:
    """sections: those that differ, by name. other: what is no list of rows in both documents."""

    sections: Mapping[str, RowsDifference] = field(default_factory=dict)
    other: list[FieldChange] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.sections or self.other)

    def rows(self, section: str) -> RowsDifference:
        """Of a section, an empty difference where it is the same."""
        return self.sections.get(section) or RowsDifference({}, {}, {})


def difference(before: Document, after: Document) -> Difference:
    """A section that is no list of rows with a key each counts as one value."""
    sections: dict[str, RowsDifference] = {}
    other: list[FieldChange] = []
    for name in [*before, *(each for each in after if each not in before)]:
        old, new = before.get(name, ABSENT), after.get(name, ABSENT)
        pair = (keyed(name, old), keyed(name, new)) if name in TABLES else (None, None)
        if pair[0] is not None and pair[1] is not None:
            if row_changes := rows_difference(pair[0], pair[1]):
                sections[name] = row_changes
        else:
            other.extend(_compared((name,), old, new, True))
    return Difference(sections, other)


def rows_difference(before: Rows, after: Rows, *, deep: bool = True) -> RowsDifference:
    """deep: fields of tables in a row one by one; False: a field of a row is one value."""
    changed: dict[Key, list[FieldChange]] = {}
    for key, row in after.items():
        old = before.get(key)
        if old is not None and old is not row and (fields := list(fields_difference(old, row, deep=deep))):
            changed[key] = fields
    added = {key: row for key, row in after.items() if key not in before}
    common = [key for key in before if key in after]
    return RowsDifference(
        added=added,
        removed={key: row for key, row in before.items() if key not in after},
        changed=changed,
        order=None if [*common, *added] == list(after) else list(after),
    )


def fields_difference(before: Row, after: Row, *, deep: bool = True) -> Iterator[FieldChange]:
    """Fields in the order of the row after, those that are gone behind them."""
    yield from _fields((), before, after, deep)


def slaves_reached(ports: Collection[Key], slaves: Collection[Key], rows: Iterable[Row]) -> set[str]:
    """Names of slaves that are among those that differ, or on a port that does. rows: of all slaves."""
    names = {key[0] for key in slaves}
    return names | {str(row.get("name", "")) for row in rows if (str(row.get("port")),) in ports}


def _fields(path: tuple[str, ...], before: Row, after: Row, deep: bool) -> Iterator[FieldChange]:
    for name, new in after.items():
        old = before.get(name, ABSENT)
        if old is new or (type(old) is type(new) and type(old) in _PLAIN and old == new):
            continue  # most fields of most points
        yield from _compared((*path, name), old, new, deep)
    for name, old in before.items():
        if name not in after:
            yield FieldChange((*path, name), old, ABSENT)


def _compared(path: tuple[str, ...], old: Any, new: Any, deep: bool) -> Iterator[FieldChange]:
    if deep and isinstance(old, dict) and isinstance(new, dict):
        yield from _fields(path, old, new, deep)
    elif not same(old, new):
        yield FieldChange(path, old, new)
