"""What people name in a sheet: projects, products, gateway templates; by number, title or path. Pure.

An export has the name where it leads back to one thing alone, else the number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

SEPARATOR = "/"
SHOWN = " / "


class WrongName(Exception):
    """code: unknown or ambiguous."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Node:
    """A project, a template or a group of their tree. path: "/1/4/", from the root to itself."""

    number: int
    path: str
    title: str
    is_group: bool


@dataclass
class Named:
    """Things of one kind. shown: what a sheet says of one; the name leads back to it alone. is_closed: a
    number that is not among them is none.
    """

    full: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    titles: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    shown: dict[int, str] = field(default_factory=dict)
    is_closed: bool = False

    def number_of(self, said: str | int) -> int:
        if isinstance(said, int):
            if self.is_closed and said not in self.shown:
                raise WrongName("unknown")
            return said
        name = _plain(said)
        found = self.full.get(name) or self.titles.get(name) or set()
        if len(found) != 1:
            raise WrongName("ambiguous" if found else "unknown")
        return next(iter(found))

    def cell_of(self, number: Any) -> Any:
        """What an export says: the name where it is one's alone, else the number."""
        text = self.shown.get(number) if isinstance(number, int) else None
        if text is None and self.is_closed:
            return None
        if text is None or _plain(text).isdecimal() or text != text.strip():
            return number
        return text if self.full.get(_plain(text)) == {number} else number


@dataclass(frozen=True)
class Names:
    """What the importer sees, by the fields that refer to it."""

    of: Mapping[str, Named] = field(default_factory=dict)

    def number_of(self, name: str, said: str | int) -> int:
        return self.of.get(name, Named()).number_of(said)

    def also(self, name: str, named: Named) -> Names:
        return replace(self, of={**self.of, name: named})

    def shown(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Fields of a gateway with names instead of numbers."""
        return {
            name: self.of[name].cell_of(value) if name in self.of else value for name, value in fields.items()
        }


def names_of(nodes: Iterable[Node], products: Iterable[tuple[int, str, str]]) -> Names:
    """products: number, code and title of each."""
    made = Named()
    for number, code, title in products:
        made.full[_plain(code)].add(number)
        made.titles[_plain(title)].add(number)
        made.shown[number] = code
    return Names({"project_id": in_tree(nodes), "product_id": made})


def in_tree(nodes: Iterable[Node], *, is_closed: bool = False) -> Named:
    """Those that are no groups, by their paths and titles."""
    found = Named(is_closed=is_closed)
    by_number = {node.number: node for node in nodes}
    for node in by_number.values():
        if node.is_group:
            continue
        above = [by_number.get(int(part)) for part in node.path.strip("/").split("/") if part]
        titles = [each.title for each in above if each is not None] or [node.title]
        found.full[_plain(SEPARATOR.join(titles))].add(node.number)
        found.titles[_plain(node.title)].add(node.number)
        found.shown[node.number] = SHOWN.join(titles)
    return found


def _plain(text: str) -> str:
    return SEPARATOR.join(part.strip() for part in text.split(SEPARATOR)).casefold()
