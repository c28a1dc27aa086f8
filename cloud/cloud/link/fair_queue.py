"""Items of many owners in one bounded queue that serves the owners in turns. Pure."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass
class _Queue(Generic[T]):
    items: deque[tuple[T, int]] = field(default_factory=deque)
    size: int = 0
    served: int = 0


class FairQueue(Generic[T]):
    """Each owner's items keep their order. max_items: of all; max_items_each, max_size_each (bytes): of one
    owner. turn: items that an owner gives before the next one does.

    An owner may always have one item, whatever its size.
    """

    def __init__(self, max_items: int, max_items_each: int, max_size_each: int, turn: int = 1) -> None:
        self._max_items = max_items
        self._max_items_each = max_items_each
        self._max_size_each = max_size_each
        self._turn = turn
        self._queues: OrderedDict[str, _Queue[T]] = OrderedDict()
        self._on_hold: dict[str, _Queue[T]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def owners(self) -> int:
        """Owners whose turn may come."""
        return len(self._queues)

    def put(self, owner: str, item: T, size: int) -> bool:
        """Take an item; False when there is no room for it."""
        if self._count >= self._max_items:
            return False
        queue = self._on_hold.get(owner) or self._queues.get(owner)
        if queue is None:
            queue = self._queues[owner] = _Queue()
        elif queue.items and (
            len(queue.items) >= self._max_items_each or queue.size + size > self._max_size_each
        ):
            return False
        queue.items.append((item, size))
        queue.size += size
        self._count += 1
        return True

    def pop(self) -> tuple[str, T, int]:
        """The next item of the owner whose turn it is, with its owner and size; IndexError without any."""
        if not self._queues:
            raise IndexError("no owner has a turn")
        owner, queue = next(iter(self._queues.items()))
        item, size = queue.items.popleft()
        queue.size -= size
        self._count -= 1
        queue.served += 1
        if queue.items and queue.served >= self._turn:
            queue.served = 0
            self._queues.move_to_end(owner)
        elif not queue.items:
            del self._queues[owner]
        return owner, item, size

    def hold(self, owner: str) -> None:
        """The owner has no turn until it is released; its items stay, and more may come."""
        self._on_hold[owner] = self._queues.pop(owner) if owner in self._queues else _Queue()

    def release(self, owner: str) -> None:
        """The owner has turns again."""
        queue = self._on_hold.pop(owner, None)
        if queue is not None and queue.items:
            self._queues[owner] = queue

    def remove(self, owner: str) -> list[T]:
        """Take out everything of an owner."""
        queue = self._queues.pop(owner, None)
        if queue is None:
            waiting = self._on_hold.get(owner)
            queue = _Queue(deque(waiting.items), waiting.size) if waiting is not None else _Queue()
            if waiting is not None:
                waiting.items.clear()
                waiting.size = 0
        self._count -= len(queue.items)
        return [item for item, _ in queue.items]
