"""What one configuration document changes against another, by point, and how far that reaches. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edge_contract.deployment import Document
from edge_contract.document import difference as changes
from edge_contract.document.difference import RowsDifference, rows_difference
from edge_contract.document.masking import masked_at
from edge_contract.document.rows import Key, Row, Rows, by_key, name_of, rows_of
from edge_contract.document.tables import TABLES
from edge_contract.document.values import ABSENT

BY_FIELD = ("forwarders", "internal_slave_points", "loop_writes", "calibrations", "channels")
"""Sections of rows without a list of their own among the changes."""

DEFAULT_CYCLE_MS = 1000
"""Of a port that names none, as the agent's model has it."""


@dataclass(frozen=True)
class DocumentFieldChange:
    """One field; None where it is absent. Secrets are masked: only that they changed is visible."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Altered:
    """One port, slave, point or script with its changed fields. name of a point: slave.point."""

    name: str
    fields: list[DocumentFieldChange]


@dataclass(frozen=True)
class Section:
    """What is only in the one document, only in the other, and what differs."""

    added: list[str]
    removed: list[str]
    changed: list[Altered]

    def names(self) -> set[str]:
        """Everything that is not the same in both."""
        return {*self.added, *self.removed, *(row.name for row in self.changed)}


@dataclass(frozen=True)
class PeriodChange:
    """So many points of both documents will be read in another period."""

    before_ms: int
    after_ms: int
    points: int


@dataclass(frozen=True)
class Difference:
    """reach: the points that are touched, by themselves or because their slave or port is."""

    points: Section
    slaves: Section
    ports: Section
    scripts: Section
    other: list[DocumentFieldChange]
    periods: list[PeriodChange]
    points_reached: int
    slaves_reached: int


def difference(before: Document, after: Document) -> Difference:
    """Compare two documents, also such that no draft may be; 20,000 points take well under a second."""
    rows = {name: (by_key(before, name), by_key(after, name)) for name in TABLES}
    sections = {name: _section(rows_difference(*pair)) for name, pair in rows.items()}
    touched = {name: keys for name, (_, keys) in sections.items()}
    old, new = rows["points"]
    slaves = [row for side in rows["slaves"] for row in side.values()]
    reached = _reached(old, new, touched, slaves)
    return Difference(
        points=sections["points"][0],
        slaves=sections["slaves"][0],
        ports=sections["ports"][0],
        scripts=sections["scripts"][0],
        other=[
            *_field_changes(changes.difference(_others(before, after), _others(after, before)).other),
            *(
                change
                for name in BY_FIELD
                for change in _field_changes(_by_row(name, rows_difference(*rows[name])))
            ),
        ],
        periods=_periods(_cycles(before), _cycles(after), old, new),
        points_reached=len(reached),
        slaves_reached=len({key[:1] for key in reached} | touched["slaves"]),
    )


def _others(document: Document, other: Document) -> Document:
    """Sections that are no lists of rows. A table that only the other document has counts as empty."""
    made: Document = {name: {} for name, value in other.items() if isinstance(value, dict)} | document
    return {name: value for name, value in made.items() if name not in TABLES}


def _by_row(section: str, rows: RowsDifference) -> list[changes.FieldChange]:
    """Changes of rows of which there are few, each as a field of the document."""
    row_changes = [
        *(changes.FieldChange((section, name_of(key)), row, ABSENT) for key, row in rows.removed.items()),
        *(changes.FieldChange((section, name_of(key)), ABSENT, row) for key, row in rows.added.items()),
    ]
    fields = [
        each._replace(path=(section, name_of(key), *each.path))
        for key, changed in rows.changed.items()
        for each in changed
    ]
    return [*row_changes, *fields]


def _section(rows: RowsDifference) -> tuple[Section, set[Key]]:
    """With the keys of its rows."""
    changed = {key: visible for key, fields in rows.changed.items() if (visible := _field_changes(fields))}
    section = Section(
        [name_of(key) for key in rows.added],
        [name_of(key) for key in rows.removed],
        [Altered(name_of(key), fields) for key, fields in changed.items()],
    )
    return section, {*rows.added, *rows.removed, *changed}


def _field_changes(fields: Sequence[changes.FieldChange]) -> list[DocumentFieldChange]:
    """By name. A field that is null is as one that is absent."""
    field_changes = []
    for path, *values in sorted(fields, key=lambda each: each.path):
        before, after = (None if value is ABSENT else masked_at(path, value) for value in values)
        if before is not None or after is not None:
            field_changes.append(DocumentFieldChange(".".join(path), before, after))
    return field_changes


def _reached(old: Rows, new: Rows, touched: Mapping[str, set[Key]], slaves: Iterable[Row]) -> set[Key]:
    """Points that changed, or whose slave or port did."""
    names = changes.slaves_reached(touched["ports"], touched["slaves"], slaves)
    reached = set(touched["points"])
    if names:
        for rows in (old, new):
            reached |= {key for key, row in rows.items() if str(row.get("slave")) in names}
    return reached


def _cycles(document: Document) -> dict[str, int]:
    """Capture cycle of each slave: its own, else its port's, else the gateway's."""
    general = document.get("collection")
    gateway_cycle_ms = (
        _integer_or_none(general.get("capture_cycle_ms")) if isinstance(general, dict) else None
    )
    ports = {str(row.get("name", "")): row for row in rows_of(document, "ports")}
    return {
        str(row.get("name", "")): _integer_or_none(row.get("capture_cycle_ms"))
        or _integer_or_none(ports.get(str(row.get("port")), {}).get("capture_cycle_ms"))
        or gateway_cycle_ms
        or DEFAULT_CYCLE_MS
        for row in rows_of(document, "slaves")
    }


def _integer_or_none(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _periods(before: Mapping[str, int], after: Mapping[str, int], old: Rows, new: Rows) -> list[PeriodChange]:
    counts: Counter[tuple[int, int]] = Counter()
    for key, row in new.items():
        if (was := old.get(key)) is not None:
            pair = (_period(before, was), _period(after, row))
            if pair[0] != pair[1]:
                counts[pair] += 1
    return [PeriodChange(*pair, points) for pair, points in counts.most_common()]


def _period(cycles: Mapping[str, int], row: Row) -> int:
    return cycles.get(str(row.get("slave")), DEFAULT_CYCLE_MS) * (
        _integer_or_none(row.get("capture_freq")) or 1
    )
