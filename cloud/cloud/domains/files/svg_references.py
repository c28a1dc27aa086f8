"""How much a picture grows when it is drawn: a use of a group of uses doubles with every level. Pure."""

from __future__ import annotations

MAX_DRAWN = 200_000
"""Elements that are drawn when every reference is followed."""
MAX_REFERENCES = 5000
MAX_CHAIN = 64

PLAIN = frozenset({"linearGradient", "radialGradient", "filter", "clipPath"})
"""What a style may refer to: a style holds for many elements, so that what it leads to must not grow."""


class References:
    """Told of every element in the order of the document, and of every reference that it makes."""

    def __init__(self) -> None:
        self.elements = 0
        self._open: list[str] = []
        self._kinds: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        self._targets: dict[str, list[str]] = {}
        self._all: list[str] = []
        self._by_style: set[str] = set()
        self._drawn: dict[str, int] = {}

    def opened(self, name: str, identifier: str) -> None:
        """An element begins; identifier: its id or ""."""
        self.elements += 1
        self._open.append(identifier)
        if identifier:
            self._kinds[identifier] = name
        for each in set(self._open) - {""}:
            self._sizes[each] = self._sizes.get(each, 0) + 1

    def closed(self) -> None:
        """The innermost element ends."""
        self._open.pop()

    def made(self, target: str) -> None:
        """The innermost element refers to another."""
        self._all.append(target)
        if len(self._all) <= MAX_REFERENCES:
            for each in set(self._open) - {""}:
                self._targets.setdefault(each, []).append(target)

    def made_by_style(self, target: str) -> None:
        """A style sheet refers to an element."""
        self._by_style.add(target)

    def fault(self) -> str | None:
        """What is wrong with the references of the complete picture, or None."""
        if len(self._all) > MAX_REFERENCES:
            return f"more than {MAX_REFERENCES} references"
        if any(self._kinds.get(target, "filter") not in PLAIN for target in self._by_style):
            return "a style that refers to something else than a gradient, filter or clip path"
        drawn = self.elements + sum(self._size(target, 0) for target in self._all)
        return f"references that draw more than {MAX_DRAWN} elements" if drawn > MAX_DRAWN else None

    def _size(self, target: str, chain: int) -> int:
        """Elements drawn for one reference; a circle or a long chain counts as too many."""
        if target not in self._drawn:
            if chain > MAX_CHAIN:
                return MAX_DRAWN + 1
            inside = sum(self._size(each, chain + 1) for each in self._targets.get(target, ()))
            self._drawn[target] = min(self._sizes.get(target, 0) + inside, MAX_DRAWN + 1)
        return self._drawn[target]
