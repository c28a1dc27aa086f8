"""Names of what a row is about, at the time when the row is written.

What a request that succeeded names in its path was seen by whoever acted: it is named, also when he does not
see it any more (he left it, his share has ended). All else, and all of a failed request, only as far as he
sees it.

`thing` is what a line shows, `things` every number that ids, query and changes name. What a path does not
name (the gateway of a bind code) a service reports (core.changes.touch); it counts when the request
succeeds. Of a deleted thing the name comes from its last state; older rows have the number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.core.tables import NamedTable
from cloud.core.text import storable

Row = dict[str, Any]
Refs = dict[str, set[int]]
Names = dict[str, dict[str, str]]

REFERRING = {
    "device_id": "device", "device_ids": "device", "ids": "device", "user_id": "user", "owner_id": "user",
    "project_id": "project", "group_id": "group", "product_id": "product", "template_id": "template",
    "point_template_id": "template", "gateway_template_id": "template",
    "contact_id": "contact", "contact_group_id": "contact group",
    "task_id": "task", "calendar_id": "calendar", "sim_card_id": "SIM card",
    "parameter_plan_id": "parameter plan",
}  # fmt: skip
"""Field to the kind of thing that its number is of."""

MAIN = (
    "device", "user", "project", "template", "product", "group", "contact", "contact group", "task",
    "calendar", "SIM card", "parameter plan",
)  # fmt: skip
"""Of these the first that a row's path names is what it is about."""

NAMING = ("device_title", "user_name", "title", "name", "key", "file_name", "iccid")
"""Fields by which people know a thing, for what is new or gone."""

MAX_EACH = 20
MAX_LENGTH = 300


def refs_of(row: Mapping[str, Any]) -> Refs:
    """Numbers of things that a row names, by kind."""
    changes = row["changes"]
    return _refs(row["ids"], row["query"], changes, changes.get("before"), changes.get("after"))


def proven_of(row: Mapping[str, Any]) -> Refs:
    """Those that whoever acted saw when he did: what the path of a request that succeeded names."""
    return _refs(row["ids"]) if row["status"] < 400 else {}


def _refs(*parts: Any) -> Refs:
    refs: Refs = defaultdict(set)
    for part in (part for part in parts if isinstance(part, Mapping)):
        for name, value in part.items():
            kind = REFERRING.get(name)
            if kind is not None and len(refs[kind]) < MAX_EACH:
                refs[kind].update(list(_numbers(value))[:MAX_EACH])
    return {kind: numbers for kind, numbers in refs.items() if numbers}


def _numbers(value: Any) -> Iterator[int]:
    for each in value if isinstance(value, list) else [value]:
        text = str(each)
        if not isinstance(each, bool) and text.isascii() and text.isdigit() and 0 < int(text) < 2**31:
            yield int(text)


async def names_of(session: AsyncSession, scope: Scope, refs: Refs, tables: Sequence[NamedTable]) -> Names:
    """Of those things that the scope sees: kind to number to name."""
    of_kind = {table.kind: table for table in tables}
    names: Names = {}
    for kind, numbers in refs.items():
        table = of_kind[kind]
        query = select(table.number, table.title).where(table.number.in_(numbers), table.seen(scope))
        rows = await session.execute(query)
        names[kind] = {str(row[0]): row[1] for row in rows}
    return {kind: titles for kind, titles in names.items() if titles}


def thing_of(row: Mapping[str, Any], names: Names) -> str:
    """What a row is about, in a line: the command's target, what its path names, else what is new or gone.

    What was sent may hold characters that no column takes: halves of surrogate pairs, NUL.
    """
    changes = row["changes"]
    before, after = (part if isinstance(part, Mapping) else {} for part in _sides(changes))
    parts: list[str] = []
    if "gateway_id" in after and "action" in after:
        parts = [
            _text(after, "device_title", "gateway_id"),
            _text(after, "slave_title", "slave"),
            _text(after, "ds_title", "point"),
        ]
    else:
        parts = [_main(row["ids"], names), *(str(row["ids"].get(name, "")) for name in _OWN_NAMES)]
        if not any(parts):
            parts = [_text(part, *NAMING) for part in (after, before, changes, row["query"])]
            parts = [part for part in parts if part][:1]
        if not any(parts):
            parts = list(names.get("device", {}).values())[:3]
    return storable(" / ".join(part for part in parts if part), MAX_LENGTH)


_OWN_NAMES = ("gateway_id", "port_name", "slave_name", "script_name", "domain", "code")
"""Parts of a path that are names; gateway_id: serial number, reported for a gateway that was bound."""


def _sides(changes: Mapping[str, Any]) -> tuple[Any, Any]:
    return changes.get("before"), changes.get("after")


def _main(ids: Mapping[str, Any], names: Names) -> str:
    for kind in MAIN:
        for field, of_kind in REFERRING.items():
            name = names.get(kind, {}).get(str(ids.get(field, ""))) if of_kind == kind else None
            if name:
                return name
    return ""


def _text(part: Mapping[str, Any], *fields: str) -> str:
    return next(
        (str(part[field]) for field in fields if isinstance(part.get(field), str) and part[field]), ""
    )


async def named(session: AsyncSession, rows: Sequence[Row], tables: Sequence[NamedTable]) -> list[Row]:
    """The rows with thing and things; one query for each kind and scope, and one for each kind of what
    successes prove. everything: of the platform. tables: of each kind in REFERRING.
    """
    proven = await names_of(session, Scope.system(), _together(proven_of(row) for row in rows), tables)
    groups: dict[tuple[int | None, str, bool], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["user_id"], row["user_path"], row.get("everything", False)].append(row)
    result: list[Row] = []
    for (user_id, path, everything), some in groups.items():
        refs = _together(refs_of(row) for row in some)
        known = await names_of(session, Scope(user_id, path, everything), refs, tables) if user_id else {}
        result += [_with_names(row, known, proven) for row in some]
    return result


def _together(each: Iterable[Refs]) -> Refs:
    union: Refs = defaultdict(set)
    for refs in each:
        for kind, numbers in refs.items():
            union[kind] |= numbers
    return union


def _with_names(row: Row, known: Names, proven: Names) -> Row:
    names: Names = {}
    for refs, source in ((refs_of(row), known), (proven_of(row), proven)):
        for kind, numbers in refs.items():
            of_kind = source.get(kind, {})
            titles = {str(number): of_kind[str(number)] for number in numbers if str(number) in of_kind}
            if titles:
                names[kind] = names.get(kind, {}) | titles
    fields = {name: value for name, value in row.items() if name != "everything"}
    return fields | {"thing": thing_of(row, names), "things": names}
