"""How a template's rows and a gateway's own changes make the rows of a draft. Pure.

The rule. A row is a point, slave or port, known by its key. Of every row that the template of the link has:
a field that differs in the draft is an override; a row that is missing in the draft is one too (it was taken
out). A row of the draft that the template has not is the gateway's own.

With overrides kept, a new version gives its rows with the overrides laid over them; a row that it no longer
has goes, unless something of it is overridden: then it stays, as the gateway's own. Without, rows are the
new version's exactly; of ports and slaves what the template leaves open stays (an address, a password). Own
rows stay either way; one whose key the new version brings counts as an override of all of its fields, so it
wins when overrides are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, Any]
Key = Callable[[Row], str]

NESTED = frozenset({"address", "options"})
"""Tables of a row whose fields count one by one; everything else is taken as a whole."""

ABSENT = object()
"""In place of a value: the row has no such field."""


@dataclass(frozen=True)
class Overrides:
    """What a gateway has otherwise than its template. fields: by key and dotted field, ABSENT for none.

    removed: keys of rows that were taken out; own: rows that the template has not, by key.
    """

    fields: Mapping[str, Mapping[str, Any]]
    removed: frozenset[str]
    own: Mapping[str, Row]

    def count(self) -> int:
        """Fields and rows taken out; own rows override nothing."""
        return sum(map(len, self.fields.values())) + len(self.removed)


@dataclass(frozen=True)
class Outcome:
    """Rows after a version was applied, in the draft's order, new ones after them in the template's.

    kept: keys with overrides that stay. clashes: own rows whose key the version brings. orphans: rows that
    the version has no more, kept for their overrides.
    """

    rows: list[dict[str, Any]]
    added: list[str]
    changed: list[str]
    removed: list[str]
    kept: list[str]
    clashes: list[str]
    orphans: list[str]


def named(row: Row) -> str:
    """Key of a port or slave, and of a point within its slave."""
    return str(row.get("name", ""))


def same(before: Any, after: Any) -> bool:
    """Equal as the gateway reads it: 7 is 7.0, but true is not 1."""
    if isinstance(before, bool) != isinstance(after, bool):
        return False
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        return before.keys() == after.keys() and all(same(before[name], after[name]) for name in before)
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(same, before, after))
    return bool(before == after)


def flat(row: Row) -> dict[str, Any]:
    """Fields of a row by dotted name; an empty nested table is none."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if name in NESTED and isinstance(value, Mapping):
            found.update({f"{name}.{inner}": each for inner, each in value.items()})
        else:
            found[name] = value
    return found


def nested(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The row of such fields, without those that are ABSENT."""
    row: dict[str, Any] = {}
    for name, value in fields.items():
        if value is ABSENT:
            continue
        outer, dot, inner = name.partition(".")
        if dot and outer in NESTED:
            held = row.get(outer)
            row[outer] = {**held, inner: value} if isinstance(held, dict) else {inner: value}
        else:
            row[name] = value
    return row


def differing(template: Row, row: Row) -> dict[str, Any]:
    """Fields of the row that are not as in the template's; ABSENT for what it has not."""
    before, after = flat(template), flat(row)
    found = {
        name: value for name, value in after.items() if name not in before or not same(before[name], value)
    }
    return found | {name: ABSENT for name in before if name not in after}


def overrides_of(template: Iterable[Row], rows: Iterable[Row], key: Key = named) -> Overrides:
    """What these rows have otherwise than the template's."""
    known = {key(row): row for row in template}
    here = {key(row): row for row in rows}
    fields = {name: differing(row, here[name]) for name, row in known.items() if name in here}
    return Overrides(
        fields={name: changes for name, changes in fields.items() if changes},
        removed=frozenset(known.keys() - here.keys()),
        own={name: row for name, row in here.items() if name not in known},
    )


def merged(template: Iterable[Row], overrides: Overrides, key: Key = named) -> list[dict[str, Any]]:
    """The effective rows: the template's with the overrides laid over them, and the own ones after them."""
    rows = [
        laid_over(row, overrides.fields.get(key(row), {}))
        for row in template
        if key(row) not in overrides.removed
    ]
    return rows + [dict(row) for row in overrides.own.values()]


def laid_over(row: Row, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A row with these fields of its own."""
    return nested({**flat(row), **fields}) if fields else dict(row)


def applied(
    rows: Sequence[Row],
    before: Sequence[Row],
    after: Sequence[Row],
    *,
    keep: bool,
    fill: bool = False,
    key: Key = named,
) -> Outcome:
    """The rows of a draft after another version.

    before: rows of the version that it was made with, none for a first time; after: of the one that is
    applied; keep: the overrides; fill: what the template leaves open is the row's to say, so it stays
    without keep too.
    """
    overrides = overrides_of(before, rows, key)
    known = {key(row): row for row in before}
    wanted = {key(row): row for row in after}
    clashes = [name for name in overrides.own if name in wanted]
    kept: list[str] = []
    orphans: list[str] = []
    result: dict[str, dict[str, Any]] = {}
    for row in rows:
        name = key(row)
        target = wanted.get(name)
        if target is None:
            if name in overrides.own or (keep and name in overrides.fields):
                result[name] = dict(row)
                orphans += [] if name in overrides.own else [name]
            continue
        own = differing(target, row) if name in overrides.own else overrides.fields.get(name, {})
        if name in overrides.own:
            own = {field: value for field, value in own.items() if value is not ABSENT}
        if not keep:
            own = _filled(target, row) if fill else {}
        made = laid_over(target, own)
        result[name] = dict(row) if same(row, made) else made
        kept += [name] if keep and own else []
    for name, row in wanted.items():
        if name in result:
            continue
        if keep and name in overrides.removed and name in known:
            kept.append(name)
        else:
            result[name] = dict(row)
    here = {key(row): row for row in rows}
    return Outcome(
        rows=list(result.values()),
        added=[name for name in result if name not in here],
        changed=[name for name, row in result.items() if name in here and not same(here[name], row)],
        removed=[name for name in here if name not in result],
        kept=kept,
        clashes=clashes,
        orphans=orphans,
    )


def _filled(template: Row, row: Row) -> dict[str, Any]:
    known = flat(template)
    return {name: value for name, value in flat(row).items() if name not in known}


def listed(
    template: Iterable[Row], overrides: Overrides, key: Key = named
) -> Iterator[tuple[str, str, Any, Any]]:
    """Each override as key, field, the template's value and the own one; ABSENT for none, field "" for a
    row.
    """
    for row in template:
        name = key(row)
        if name in overrides.removed:
            yield name, "", dict(row), ABSENT
        values = flat(row)
        for field, value in overrides.fields.get(name, {}).items():
            yield name, field, values.get(field, ABSENT), value
