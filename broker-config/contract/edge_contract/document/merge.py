"""One document, or one list of rows, that has the changes of two that were made from the same base. Pure.

Where both changed the same, and not into the same, the result has mine and names the clash.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from edge_contract.deployment import Document
from edge_contract.document.rows import Key, Rows, keyed, name_of
from edge_contract.document.tables import TABLES
from edge_contract.document.values import ABSENT, identical

Equal = Callable[[Any, Any], bool]
Order = Callable[[Rows, Rows, Rows], Sequence[Key]]
"""Keys of mine and theirs in the order of the result; told base, mine and theirs."""

Sides = tuple[Any, Any, Any]
"""Values of base, mine and theirs."""


@dataclass(frozen=True)
class Clash:
    """Both changed it. key: of a row, empty for a section; field: empty for a whole row or section."""

    section: str
    key: Key = ()
    field: str = ""

    def __str__(self) -> str:
        row = f"{self.section} {name_of(self.key)}" if self.key else self.section
        return f"{row}.{self.field}" if self.field else row


@dataclass(frozen=True)
class Merged:
    document: Document
    clashes: list[Clash] = field(default_factory=list)


def by_adjacency(base: Rows, mine: Rows, theirs: Rows) -> Sequence[Key]:
    """As they stand in theirs, unless mine changed the order of the base's; what only the other one has
    stands before its next neighbour there.
    """
    shared = [key for key in base if key in mine]
    lead, other = (theirs, mine) if shared == [key for key in mine if key in base] else (mine, theirs)
    before: dict[Key, list[Key]] = {}
    waiting: list[Key] = []
    for key in other:
        if key in lead:
            before[key], waiting = waiting, []
        else:
            waiting.append(key)
    return [*(each for key in lead for each in (*before.get(key, ()), key)), *waiting]


def mine_first(base: Rows, mine: Rows, theirs: Rows) -> Sequence[Key]:
    """As they stand in mine, what only theirs has behind them."""
    return list(dict.fromkeys([*mine, *theirs]))


def theirs_first(base: Rows, mine: Rows, theirs: Rows) -> Sequence[Key]:
    """As they stand in theirs, what only mine has behind them."""
    return list(dict.fromkeys([*theirs, *mine]))


def merge(base: Document, mine: Document, theirs: Document, order: Order = by_adjacency) -> Merged:
    """Rows are merged as wholes by their keys, other sections by field, one level deep."""
    clashes: list[Clash] = []
    made: Document = {}
    for name in [*theirs, *(each for each in mine if each not in theirs)]:
        sides = _sides(name, base, mine, theirs)
        if name in TABLES:
            value = _section(name, sides, clashes, order)
        else:
            value = _fields(Clash(name), sides, clashes, identical)
        if value is not ABSENT:
            made[name] = value
    return Merged(made, clashes)


def merge_rows(
    section: str,
    base: Rows,
    mine: Rows,
    theirs: Rows,
    clashes: list[Clash],
    *,
    order: Order,
    by_field: bool = False,
    equal: Equal = identical,
) -> Rows:
    """by_field: two versions of a row become one with the changed fields of both."""
    made: Rows = {}
    for key in order(base, mine, theirs):
        merged = _fields if by_field else _either
        row = merged(Clash(section, key), _sides(key, base, mine, theirs), clashes, equal)
        if row is not ABSENT:
            made[key] = row
    return made


def _sides(name: Any, base: Mapping[Any, Any], mine: Mapping[Any, Any], theirs: Mapping[Any, Any]) -> Sides:
    return base.get(name, ABSENT), mine.get(name, ABSENT), theirs.get(name, ABSENT)


def _section(name: str, sides: Sides, clashes: list[Clash], order: Order) -> Any:
    """A section that is no list of rows with a key each counts as one value."""
    base, mine, theirs = ({} if each is ABSENT else keyed(name, each) for each in sides)
    if base is None or mine is None or theirs is None:
        return _either(Clash(name), sides, clashes, identical)
    if rows := list(merge_rows(name, base, mine, theirs, clashes, order=order).values()):
        return rows
    there: list[Any] = [each if each is ABSENT else [] for each in sides]
    return _either(Clash(name), (there[0], there[1], there[2]), clashes, identical)


def _fields(where: Clash, sides: Sides, clashes: list[Clash], equal: Equal) -> Any:
    """By field when both are tables."""
    base, mine, theirs = sides
    if not (isinstance(mine, Mapping) and isinstance(theirs, Mapping)):
        return _either(where, sides, clashes, equal)
    before = base if isinstance(base, Mapping) else {}
    made = {}
    for name in [*theirs, *(each for each in mine if each not in theirs)]:
        field_ = Clash(where.section, where.key, name)
        value = _either(field_, _sides(name, before, mine, theirs), clashes, equal)
        if value is not ABSENT:
            made[name] = value
    return made


def _either(where: Clash, sides: Sides, clashes: list[Clash], equal: Equal) -> Any:
    """The one that is not as in the base; ABSENT is a value like any other."""
    base, mine, theirs = sides
    if equal(mine, theirs) or equal(mine, base):
        return theirs
    if not equal(theirs, base):
        clashes.append(where)
    return mine
