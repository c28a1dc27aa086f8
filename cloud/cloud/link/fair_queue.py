"""Items of many owners in one bounded queue that serves the owners in turns. Pure."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class _Line(Generic[T]):
    items: deque[tuple[T, int]] = field(default_factory=deque)
    size: int = 0


class Turns(Generic[T]):
    """Each owner's items keep their order. most: items of all; most_each, most_size_each: of one owner.

    An owner may always have one item, whatever its size.
    """

    def __init__(self, most: int, most_each: int, most_size_each: int) -> None:
        self._most = most
        self._most_each = most_each
        self._most_size_each = most_size_each
        self._lines: OrderedDict[str, _Line[T]] = OrderedDict()
        self._held: dict[str, _Line[T]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def owners(self) -> int:
        """Owners whose turn may come."""
        return len(self._lines)

    def put(self, owner: str, item: T, size: int) -> bool:
        """Take an item; False when there is no room for it."""
        if self._count >= self._most:
            return False
        line = self._held.get(owner) or self._lines.get(owner)
        if line is None:
            line = self._lines[owner] = _Line()
        elif line.items and (len(line.items) >= self._most_each or line.size + size > self._most_size_each):
            return False
        line.items.append((item, size))
        line.size += size
        self._count += 1
        return True

    def pop(self) -> tuple[str, T, int]:
        """The next item of the owner whose turn it is, with its owner and size; IndexError without any."""
        if not self._lines:
            raise IndexError("no owner has a turn")
        owner, line = next(iter(self._lines.items()))
        item, size = line.items.popleft()
        line.size -= size
        self._count -= 1
        if line.items:
            self._lines.move_to_end(owner)
        else:
            del self._lines[owner]
        return owner, item, size

    def hold(self, owner: str) -> None:
        """The owner has no turn until it is released; its items stay, and more may come."""
        self._held[owner] = self._lines.pop(owner) if owner in self._lines else _Line()

    def release(self, owner: str) -> None:
        """The owner has turns again."""
        line = self._held.pop(owner, None)
        if line is not None and line.items:
            self._lines[owner] = line

    def remove(self, owner: str) -> list[T]:
        """Take out everything of an owner."""
        line = self._lines.pop(owner, None)
        if line is None:
            held = self._held.get(owner)
            line = _Line(deque(held.items), held.size) if held is not None else _Line()
            if held is not None:
                held.items.clear()
                held.size = 0
        self._count -= len(line.items)
        return [item for item, _ in line.items]
