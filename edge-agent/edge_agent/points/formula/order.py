"""In which order formulas over formulas are evaluated, and that no one needs itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from graphlib import TopologicalSorter
from typing import Protocol

from edge_agent.errors import ConfigError


class Needy(Protocol):
    """What is calculated from others: a formula, or anything that knows its operands."""

    @property
    def references(self) -> tuple[int, ...]: ...


def order(formulas: Mapping[int, Needy], name: Callable[[int], str] = str) -> list[int]:
    """Keys of the formulas, operands first. formulas: by the key of the point that they calculate.

    ConfigError lists the first cycle by the names of its points; its field is that of the first of them.
    """
    for cycle in cycles(formulas):
        raise ConfigError(
            f"{name(cycle[0])}.formula",
            f"must not need its own value: {' -> '.join(name(key) for key in (*cycle, cycle[0]))}",
        )
    return list(TopologicalSorter(_needs(formulas)).static_order())


def cycles(formulas: Mapping[int, Needy]) -> list[list[int]]:
    """A ring of every knot, from its lowest key: each needs the next one, the last the first.

    A knot is a set of formulas of which each needs all others. Its ring is the shortest through its lowest
    key; other rings of the same knot show once that one is opened. One pass, whatever the number of rings.
    """
    needs = _needs(formulas)
    return sorted(_ring(knot, needs) for knot in _knots(needs))


def _needs(formulas: Mapping[int, Needy]) -> dict[int, list[int]]:
    return {
        key: [other for other in formula.references if other in formulas] for key, formula in formulas.items()
    }


def _knots(needs: Mapping[int, list[int]]) -> Iterator[set[int]]:
    """Strongly connected components that hold a ring (Tarjan 1972, without recursion)."""
    number: dict[int, int] = {}
    lowest: dict[int, int] = {}
    open_keys: list[int] = []
    is_open: set[int] = set()
    for start in needs:
        if start in number:
            continue
        path = [(start, iter(needs[start]))]
        while path:
            key, others = path[-1]
            if key not in number:
                number[key] = lowest[key] = len(number)
                open_keys.append(key)
                is_open.add(key)
            for other in others:
                if other not in number:
                    path.append((other, iter(needs[other])))
                    break
                if other in is_open:
                    lowest[key] = min(lowest[key], number[other])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[key])
                if lowest[key] == number[key]:
                    knot = set(_popped(open_keys, key))
                    is_open -= knot
                    if len(knot) > 1 or key in needs[key]:
                        yield knot


def _popped(keys: list[int], last: int) -> Iterator[int]:
    """Keys from the end, up to and with the last."""
    while True:
        key = keys.pop()
        yield key
        if key == last:
            return


def _ring(knot: set[int], needs: Mapping[int, list[int]]) -> list[int]:
    start = min(knot)
    before: dict[int, int] = {}
    reached = deque([start])
    while start not in before:
        key = reached.popleft()
        for other in needs[key]:
            if other in knot and other not in before:
                before[other] = key
                reached.append(other)
    ring = [before[start]]
    while ring[-1] != start:
        ring.append(before[ring[-1]])
    return ring[::-1]
