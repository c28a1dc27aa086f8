"""What people name in a sheet: projects, products, gateway templates; by number, title or path. Pure.

An export has the name where it leads back to one thing alone, else the number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cloud.domains.sheets.values import WrongValue

SEPARATOR = "/"
EXPORTED_SEPARATOR = " / "


class WrongName(WrongValue):
    """code: unknown or ambiguous, in Names with what the field names."""


@dataclass(frozen=True)
class Node:
    """A project, a template or a group of their tree. path: "/1/4/", from the root to itself."""

    number: int
    path: str
    title: str
    is_group: bool


@dataclass
class NameIndex:
    """Things of one kind. exported: what a sheet says of one; the name leads back to it alone. is_closed: a
    number that is not among them is none.
    """

    full: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    titles: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    exported: dict[int, str] = field(default_factory=dict)
    is_closed: bool = False

    def number_of(self, text: str | int) -> int:
        """Raises WrongName when nothing, or more than one thing, has this name."""
        if isinstance(text, int):
            if self.is_closed and text not in self.exported:
                raise WrongName("unknown")
            return text
        name = _plain(text)
        numbers = self.full.get(name) or self.titles.get(name) or set()
        if len(numbers) != 1:
            raise WrongName("ambiguous" if numbers else "unknown")
        return next(iter(numbers))

    def cell_of(self, number: Any) -> Any:
        """What an export says: the name where it is one's alone, else the number."""
        text = self.exported.get(number) if isinstance(number, int) else None
        if text is None and self.is_closed:
            return None
        if text is None or _plain(text).isdecimal() or text != text.strip():
            return number
        return text if self.full.get(_plain(text)) == {number} else number


@dataclass(frozen=True)
class Names:
    """What the importer sees, by the fields that refer to it."""

    of: Mapping[str, NameIndex] = field(default_factory=dict)

    def number_of(self, name: str, text: str | int) -> int:
        """Raises WrongName when nothing, or more than one thing, has this name."""
        try:
            return self.of.get(name, NameIndex()).number_of(text)
        except WrongName as wrong:
            raise WrongName(f"{wrong.code}_{name.removesuffix('_id')}") from None

    def also(self, name: str, named: NameIndex) -> Names:
        return replace(self, of={**self.of, name: named})

    def with_names(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Fields of a gateway with names instead of numbers."""
        return {
            name: self.of[name].cell_of(value) if name in self.of else value for name, value in fields.items()
        }


def names_of(nodes: Iterable[Node], products: Iterable[tuple[int, str, str]]) -> Names:
    """products: number, code and title of each."""
    made = NameIndex()
    for number, code, title in products:
        made.full[_plain(code)].add(number)
        made.titles[_plain(title)].add(number)
        made.exported[number] = code
    return Names({"project_id": in_tree(nodes), "product_id": made})


def in_tree(nodes: Iterable[Node], *, is_closed: bool = False) -> NameIndex:
    """Those that are no groups, by their paths and titles."""
    named = NameIndex(is_closed=is_closed)
    by_number = {node.number: node for node in nodes}
    for node in by_number.values():
        if node.is_group:
            continue
        above = [by_number.get(int(part)) for part in node.path.strip("/").split("/") if part]
        titles = [each.title for each in above if each is not None] or [node.title]
        named.full[_plain(SEPARATOR.join(titles))].add(node.number)
        named.titles[_plain(node.title)].add(node.number)
        named.exported[node.number] = EXPORTED_SEPARATOR.join(titles)
    return named


def _plain(text: str) -> str:
    return SEPARATOR.join(part.strip() for part in text.split(SEPARATOR)).casefold()
