"""The rules of the tree: order, depth, and counts with what is below. No session, no clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cloud.domains.inventory.project_models import Project

MAX_DEPTH = 8


@dataclass(frozen=True)
class Tally:
    """Gateways: how many, how many of them online, how many of these with an open alarm, and
    without one but with a silent slave.
    """

    devices: int = 0
    online: int = 0
    alarm: int = 0
    silent: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.devices + other.devices,
            self.online + other.online,
            self.alarm + other.alarm,
            self.silent + other.silent,
        )


def ids_of(path: str) -> list[int]:
    """Numbers of a path, from the root to the node itself."""
    return [int(part) for part in path.split("/") if part]


def depth_of(path: str) -> int:
    """1 for a node at the top."""
    return len(ids_of(path))


def ordered(nodes: Iterable[Project]) -> list[Project]:
    """A parent before its children, siblings by place; whose parent is not among them stands at the top."""
    found = list(nodes)
    known = {node.id for node in found}
    children: dict[int | None, list[Project]] = {}
    for node in sorted(found, key=lambda one: (one.place, one.id)):
        parent = node.parent_id if node.parent_id in known else None
        children.setdefault(parent, []).append(node)
    result: list[Project] = []
    waiting = list(reversed(children.get(None, [])))
    while waiting:
        node = waiting.pop()
        result.append(node)
        waiting += reversed(children.get(node.id, []))
    return result


def rolled_up(nodes: Iterable[Project], own: Mapping[int, Tally]) -> dict[int, Tally]:
    """Each node's gateways with those of everything below it."""
    totals: dict[int, Tally] = {}
    for node in nodes:
        if (tally := own.get(node.id)) is not None:
            for number in ids_of(node.path):
                totals[number] = totals.get(number, Tally()) + tally
    return totals


def placed(siblings: Sequence[int], moved: int, place: int) -> list[int]:
    """The siblings' new order: so many of the others stand before the moved one."""
    others = [number for number in siblings if number != moved]
    return [*others[:place], moved, *others[place:]]
