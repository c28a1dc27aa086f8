"""Changes of parameters in a configuration document, and what they make different. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from cloud.domains.parameters.schemas import (
    GroupRows,
    ParameterChange,
    ParameterFault,
    ParameterFieldChange,
)
from cloud.errors import ParameterError
from edge_contract.deployment import Document, Fault
from edge_contract.document.masking import MASK, is_secret, masked_at, unmasked
from edge_contract.document.values import same
from edge_contract.parameters.groups import GROUPS
from edge_contract.parameters.model import Json, ParameterGroup
from edge_contract.parameters.validation import faults_of, field_faults

EVERY = "*"
PLATFORMS = frozenset({"hj212", "mqtt"})
"""Groups of platforms of others: a plan for them has a version above 1."""
LOWEST_OF_PLATFORMS = 2
NO_GROUP = "is no parameter group"


def change_faults(changes: Sequence[ParameterChange], version: int) -> Iterator[tuple[str, str]]:
    """Field and rule of what is wrong with changes whatever the gateway."""
    for at, change in enumerate(changes):
        field = f"changes[{at}]"
        group = GROUPS.get(change.group)
        if group is None:
            yield f"{field}.group", NO_GROUP
            continue
        if bool(change.row) != bool(group.key):
            rule = "must name a row, * for every one" if group.key else "must be empty for this group"
            yield f"{field}.row", rule
        if change.remove == bool(change.values):
            yield f"{field}.values", "must be given, or remove, and not both"
        for name in group.key:
            if name in change.values:
                yield f"{field}.values.{name}", "names the row: it does not change"
        given = {name: value for name, value in change.values.items() if value is not None}
        for fault in field_faults(group, given):
            yield f"{field}.values.{fault.field}", fault.rule
        for name, value in given.items():
            if value == MASK and is_secret(name):
                yield f"{field}.values.{name}", "is masked; the secret itself is needed"
        if change.group in PLATFORMS and version < LOWEST_OF_PLATFORMS:
            yield (
                "version",
                f"must be at least {LOWEST_OF_PLATFORMS} for a platform of others ({change.group})",
            )


def with_changes(document: Document, changes: Sequence[ParameterChange]) -> Document:
    """The document with all of them, one after the other. A row that is not there is new; without the fields
    that it needs, faults says so.
    """
    for change in changes:
        group = GROUPS[change.group]
        document = group.write(document, _changed(group, group.read(document), change))
    return document


def with_groups(document: Document, groups: Sequence[GroupRows]) -> Document:
    """The document with these groups in place of its own; a masked secret stays what it was. Raises
    ParameterError for the first fault.
    """
    for at, given in enumerate(groups):
        group = GROUPS.get(given.name)
        if group is None:
            raise ParameterError(f"groups[{at}].name", NO_GROUP)
        rows = unmasked(given.rows, group.read(document))
        for fault in faults_of(group, rows):
            raise ParameterError(_place(group.name, fault), fault.rule)
        document = group.write(document, rows)
    return document


def faults(document: Document, groups: Collection[str]) -> list[ParameterFault]:
    """Of these groups of a document, as group.field or group[n].field."""
    return [
        ParameterFault(field=_place(name, fault), rule=fault.rule)
        for name in groups
        for fault in faults_of(GROUPS[name], GROUPS[name].read(document))
    ]


def group_rows(document: Document) -> list[GroupRows]:
    """All groups of a document, in their order."""
    return [GroupRows(name=group.name, rows=group.read(document)) for group in GROUPS.values()]


def difference(before: Document, after: Document, groups: Collection[str]) -> list[ParameterFieldChange]:
    """Fields of these groups that differ, secrets masked."""
    made: list[ParameterFieldChange] = []
    for name in dict.fromkeys(groups):
        group = GROUPS[name]
        old, new = (_by_name(group, document) for document in (before, after))
        for row in dict.fromkeys([*old, *new]):
            made += _fields(name, row, old.get(row, {}), new.get(row, {}))
    return made


def _changed(group: ParameterGroup, rows: list[Json], change: ParameterChange) -> list[Json]:
    named = {group.row_name(row) for row in rows}
    mine = named if change.row == EVERY or not group.key else {change.row}
    if change.remove:
        return [row for row in rows if group.row_name(row) not in mine]
    made = [_with(row, change) if group.row_name(row) in mine else row for row in rows]
    if change.row == EVERY or named & mine:
        return made
    if not group.key:
        return [_with(rows[0] if rows else {}, change)]
    return [*made, _with(_key_fields(group, change.row), change)]


def _with(row: Json, change: ParameterChange) -> Json:
    return {name: value for name, value in {**row, **change.values}.items() if value is not None}


def _key_fields(group: ParameterGroup, row: str) -> Json:
    parts = row.split(".", len(group.key) - 1)
    return dict(zip(group.key, parts, strict=False))


def _place(group: str, fault: Fault) -> str:
    return (
        f"{group}{fault.field}"
        if fault.field.startswith("[")
        else ".".join(filter(None, (group, fault.field)))
    )


def _by_name(group: ParameterGroup, document: Document) -> dict[str, Json]:
    return {group.row_name(row): row for row in group.read(document)}


def _fields(group: str, row: str, old: Json, new: Json) -> Iterator[ParameterFieldChange]:
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        if not same(before, after):
            yield ParameterFieldChange(
                field=".".join(filter(None, (group, row, name))),
                before=_visible(name, before),
                after=_visible(name, after),
            )


def _visible(name: str, value: Any) -> Any:
    return masked_at((name,), value)
