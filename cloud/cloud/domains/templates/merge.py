"""How a template's rows and a gateway's own changes make the rows of a draft. Pure.

The rule. A row is a point, slave or port, known by its key. Of every row that the template of the link has:
a field that differs in the draft is an override; a row that is missing in the draft is one too (it was taken
out). A row of the draft that the template has not is the gateway's own.

With overrides kept, a new version gives its rows with the overrides over them; a row that it no longer
has goes, unless something of it is overridden: then it stays, as the gateway's own. Without, rows are the
new version's exactly; of ports and slaves what the template leaves open stays (an address, a password). Own
rows stay either way; one whose key the new version brings counts as an override of all of its fields, so it
wins when overrides are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from edge_contract.document.difference import rows_difference
from edge_contract.document.merge import Clash, merge_rows, mine_first
from edge_contract.document.rows import Row, Rows
from edge_contract.document.values import ABSENT, flat, nested, same

Key = Callable[[Row], str]


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
class MergeOutcome:
    """Rows after a version was applied, in the draft's order, new ones after them in the template's.

    overridden: keys with overrides that stay. clashes: own rows whose key the version brings. orphans: rows
    that the version has no more, kept for their overrides.
    """

    rows: list[dict[str, Any]]
    added: list[str]
    changed: list[str]
    removed: list[str]
    overridden: list[str]
    clashes: list[str]
    orphans: list[str]


def named(row: Row) -> str:
    """Key of a port or slave, and of a point within its slave."""
    return str(row.get("name", ""))


def overrides_of(template: Iterable[Row], rows: Iterable[Row], key: Key = named) -> Overrides:
    """What these rows have otherwise than the template's."""
    made = rows_difference(_flat(template, key), _flat(rows, key), deep=False)
    fields = {
        name: {each.path[0]: each.after for each in changes} for (name,), changes in made.changed.items()
    }
    own = {name for (name,) in made.added}
    return Overrides(
        fields=fields,
        removed=frozenset(name for (name,) in made.removed),
        own={key(row): row for row in rows if key(row) in own},
    )


def applied(
    rows: Sequence[Row],
    before: Sequence[Row],
    after: Sequence[Row],
    *,
    keep: bool,
    fill: bool = False,
    key: Key = named,
) -> MergeOutcome:
    """The rows of a draft after another version.

    before: rows of the version that it was made with, none for a first time; after: of the one that is
    applied; keep: the overrides; fill: what the template leaves open is the row's to say, so it stays
    without keep too.
    """
    overrides = overrides_of(before, rows, key)
    here, wanted = {key(row): row for row in rows}, {key(row): row for row in after}
    mine, theirs = _flat(rows, key), _flat(after, key)
    base = _flat(before, key) if keep else _given_up(mine, theirs, overrides, fill=fill)
    clashes: list[Clash] = []
    made = merge_rows("", base, mine, theirs, clashes, order=mine_first, by_field=True, equal=same)
    result = {name: _row(fields, here.get(name), wanted.get(name)) for (name,), fields in made.items()}
    return MergeOutcome(
        rows=list(result.values()),
        added=[name for name in result if name not in here],
        changed=[name for name, row in result.items() if name in here and not same(here[name], row)],
        removed=[name for name in here if name not in result],
        overridden=_overridden(overrides, here, wanted) if keep else [],
        clashes=[name for name in overrides.own if name in wanted],
        orphans=[name for name in result if name not in wanted and name not in overrides.own],
    )


def _flat(rows: Iterable[Row], key: Key) -> Rows:
    return {(key(row),): flat(row) for row in rows}


def _given_up(mine: Rows, theirs: Rows, overrides: Overrides, *, fill: bool) -> Rows:
    """A base of which only own rows differ and, with fill, what the template leaves open."""
    base: Rows = {}
    for key, row in mine.items():
        if key in theirs:
            base[key] = {name: each for name, each in row.items() if not fill or name in theirs[key]}
        elif key[0] not in overrides.own:
            base[key] = row
    return base


def _row(fields: Row, here: Row | None, wanted: Row | None) -> dict[str, Any]:
    """As one of the two has it, when it is the same."""
    if wanted is None:
        assert here is not None
        return dict(here)
    made = dict(wanted) if same(fields, flat(wanted)) else nested(fields)
    return dict(here) if here is not None and same(here, made) else made


def _overridden(overrides: Overrides, here: Mapping[str, Row], wanted: Mapping[str, Row]) -> list[str]:
    """Rows of the version with something that stays the gateway's own."""
    fields = [name for name in here if name in wanted and _is_own(name, overrides, here, wanted)]
    return fields + [name for name in wanted if name in overrides.removed]


def _is_own(name: str, overrides: Overrides, here: Mapping[str, Row], wanted: Mapping[str, Row]) -> bool:
    if name not in overrides.own:
        return name in overrides.fields
    given = flat(wanted[name])
    return any(not same(each, given.get(field, ABSENT)) for field, each in flat(here[name]).items())


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
