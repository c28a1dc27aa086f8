"""Rows of a draft that applying a template adds, changes or removes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from cloud.domains.templates.schemas import RowPreview, TemplateFieldChange
from edge_contract.document.difference import FieldChange as Change
from edge_contract.document.difference import fields_difference, rows_difference
from edge_contract.document.masking import masked_at
from edge_contract.document.rows import Key, Rows, by_key
from edge_contract.document.tables import TABLES
from edge_contract.document.values import ABSENT, flat

Section = Literal["ports", "slaves", "points"]
SECTIONS: tuple[Section, ...] = ("ports", "slaves", "points")


def row_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[RowPreview]:
    """In the order of the sections; what goes stands behind what comes. Secrets are masked."""
    return [each for section in SECTIONS for each in _of_section(section, before, after)]


def _of_section(
    section: Section, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[RowPreview]:
    had, has = _flat(before, section), _flat(after, section)
    made = rows_difference(had, has, deep=False)
    for key, row in has.items():
        if key in made.added:
            yield _row_preview("added", section, key, fields_difference({}, row, deep=False))
        elif key in made.changed:
            yield _row_preview("changed", section, key, made.changed[key])
    for key in made.removed:
        yield _row_preview("removed", section, key, ())


def _flat(document: Mapping[str, Any], section: Section) -> Rows:
    return {key: flat(row) for key, row in by_key(document, section).items()}


def _row_preview(
    kind: Literal["added", "changed", "removed"], section: Section, key: Key, changes: Iterable[Change]
) -> RowPreview:
    slave = key[0] if section == "points" else ""
    fields = [
        TemplateFieldChange(
            field=each.field, before=_value(each.before, each), after=_value(each.after, each)
        )
        for each in changes
        if each.field not in TABLES[section].key
    ]
    return RowPreview(kind=kind, section=section, slave=slave, name=key[-1], fields=fields)


def _value(value: Any, change: Change) -> Any:
    return None if value is ABSENT else masked_at(tuple(change.field.split(".")), value)
