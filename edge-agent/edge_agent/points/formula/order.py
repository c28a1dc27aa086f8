"""In which order formulas over formulas are evaluated, and that no one needs itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from graphlib import CycleError, TopologicalSorter
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
    return list(_sorter(formulas).static_order())


def cycles(formulas: Mapping[int, Needy]) -> list[list[int]]:
    """Every ring of formulas, from its lowest key: each needs the next one, the last the first."""
    found: list[list[int]] = []
    left = dict(formulas)
    while cycle := _cycle(left):
        at = cycle.index(min(cycle))
        found.append(cycle[at:] + cycle[:at])
        for key in cycle:
            del left[key]
    return sorted(found)


def _sorter(formulas: Mapping[int, Needy]) -> TopologicalSorter[int]:
    return TopologicalSorter(
        {
            key: [other for other in formula.references if other in formulas]
            for key, formula in formulas.items()
        }
    )


def _cycle(formulas: Mapping[int, Needy]) -> list[int]:
    try:
        _sorter(formulas).prepare()
    except CycleError as error:
        # graphlib lists operand before user, and its first key again at the end
        return list(reversed(error.args[1][:-1]))
    return []
