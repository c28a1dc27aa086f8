"""Rows of a draft that applying a template adds, changes or removes. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from cloud.domains.templates.merge import ABSENT, Row, differing, flat
from cloud.domains.templates.schemas import FieldChange, RowPreview
from edge_contract.document.masking import masked
from edge_contract.document.rows import Key, key_of, rows_of

Section = Literal["ports", "slaves", "points"]
SECTIONS: tuple[Section, ...] = ("ports", "slaves", "points")


def row_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[RowPreview]:
    """In the order of the sections; what goes stands behind what comes. Secrets are masked."""
    return [each for section in SECTIONS for each in _of_section(section, before, after)]


def _of_section(
    section: Section, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[RowPreview]:
    had: dict[Key, Row] = {key_of(section, row): row for row in rows_of(before, section)}
    has: dict[Key, Row] = {key_of(section, row): row for row in rows_of(after, section)}
    for key, row in has.items():
        old = had.get(key)
        fields = list(_fields(old or {}, row))
        if old is None:
            yield _shown("added", section, key, fields)
        elif fields:
            yield _shown("changed", section, key, fields)
    for key in [key for key in had if key not in has]:
        yield _shown("removed", section, key, [])


def _shown(
    kind: Literal["added", "changed", "removed"], section: Section, key: Key, fields: list[FieldChange]
) -> RowPreview:
    slave = key[0] if section == "points" else ""
    return RowPreview(kind=kind, section=section, slave=slave, name=key[-1], fields=fields)


def _fields(old: Row, row: Row) -> Iterator[FieldChange]:
    values = flat(old)
    for field, value in differing(old, row).items():
        if field not in ("name", "slave"):
            yield FieldChange(
                field=field, before=_value(values.get(field, ABSENT), field), after=_value(value, field)
            )


def _value(value: Any, field: str) -> Any:
    return None if value is ABSENT else masked(value, field.rpartition(".")[2])
