"""What a running script can do, checked: a value is a number of 64 bits, a short text, None, or a flat row.

Runs in the sandbox process, which has the standard library only: nothing of the agent is imported here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from math import isfinite
from typing import Any

EXACT = 2.0**63
MAX_TURNS = 1_000_000  # of one `for`


class Fault(Exception):
    """The script did what cannot be done."""


def number(value: Any) -> float | int:
    """The value when it is a number. Raises Fault for a text, a row or no value."""
    if isinstance(value, (int, float)):
        return value
    raise Fault("an operand has no value" if value is None else f"a number is needed, not a {kind(value)}")


def kind(value: Any) -> str:
    return "text" if isinstance(value, str) else "row"


def fit(value: Any) -> Any:
    """A finite number; a whole one beyond 64 bits goes on as a float.

    Raises Fault when it is too large for that.
    """
    if -EXACT < value < EXACT:
        return value
    if isinstance(value, int):
        value = float(value)
    if not isfinite(value):
        raise Fault("too large to be a number")
    return value


def checked(calculate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """An operator over two numbers."""

    def calculated(left: Any, right: Any) -> Any:
        return fit(calculate(number(left), number(right)))

    return calculated


def compared(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """A comparison of two numbers."""

    def answer(left: Any, right: Any) -> bool:
        return compare(number(left), number(right))

    return answer


def of_numbers(call: Callable[..., Any]) -> Callable[..., Any]:
    """A function over numbers, which may come in one row."""

    def called(*arguments: Any) -> Any:
        if len(arguments) == 1 and isinstance(arguments[0], tuple):
            arguments = arguments[0]
        return fit(call(*map(number, arguments)))

    return called


def minus(value: Any) -> Any:
    return -number(value)


def plus(value: Any) -> Any:
    return number(value)


def row(*items: Any) -> tuple[Any, ...]:
    """A row of single values. Raises Fault when one of them is a row."""
    if any(isinstance(item, tuple) for item in items):
        raise Fault("a row must not lie in a row")
    return items


def item(values: Any, at: Any) -> Any:
    """One value of a row, counted from 0, or from the end when negative.

    Raises Fault for a value that is no row, and a place that the row does not have.
    """
    if not isinstance(values, tuple):
        raise Fault("only a row has items")
    place = number(at)
    if place != int(place) or not -len(values) <= place < len(values):
        raise Fault(f"item {place:g} of a row of {len(values)}")
    return values[int(place)]


def length(values: Any) -> int:
    """Number of values of a row. Raises Fault for anything else."""
    if not isinstance(values, tuple):
        raise Fault("only a row has a length")
    return len(values)


def turns(*bounds: Any) -> range:
    """range() of whole numbers, as long as a loop may be.

    Raises Fault for bounds that are no whole numbers, and more than MAX_TURNS.
    """
    if any(number(bound) != int(bound) for bound in bounds):
        raise Fault("range needs whole numbers")
    numbers = range(*map(int, bounds))
    if len(numbers) > MAX_TURNS:
        raise Fault(f"a loop has at most {MAX_TURNS} turns")
    return numbers


def each(values: Any) -> tuple[Any, ...]:
    """What a `for` goes over. Raises Fault for a single value."""
    if not isinstance(values, tuple):
        raise Fault("for needs a row or range()")
    return values


def has(values: Any, value: Any) -> bool:
    """Whether a row holds a value. Raises Fault for anything but a row."""
    if not isinstance(values, tuple):
        raise Fault("in needs a row")
    return value in values


def interpolate(value: Any, places: Any, results: Any) -> Any:
    """On the broken line through (places[0], results[0]) ...; the first and last result outside of it.

    Raises Fault for rows of other lengths, fewer than 2 places, and places that do not rise.
    """
    length(places)
    if length(results) != len(places) or len(places) < 2:
        raise Fault("interpolate needs two rows of the same length, at least 2")
    x, xs, ys = number(value), [*map(number, places)], [*map(number, results)]
    if any(xs[at] >= xs[at + 1] for at in range(len(xs) - 1)):
        raise Fault("interpolate needs rising places")
    if x <= xs[0]:
        return ys[0]
    for at in range(1, len(xs)):
        if x <= xs[at]:
            return fit(ys[at - 1] + (x - xs[at - 1]) * (ys[at] - ys[at - 1]) / (xs[at] - xs[at - 1]))
    return ys[-1]


OPERATIONS: dict[str, Callable[..., Any]] = {
    "Add": checked(operator.add), "Sub": checked(operator.sub), "Mult": checked(operator.mul),
    "Div": checked(operator.truediv), "FloorDiv": checked(operator.floordiv), "Mod": checked(operator.mod),
    "Lt": compared(operator.lt), "LtE": compared(operator.le), "Gt": compared(operator.gt),
    "GtE": compared(operator.ge), "USub": minus, "UAdd": plus,
    "row": row, "item": item, "turns": turns, "each": each, "has": has,
}  # fmt: skip
MORE_FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "interpolate": (interpolate, 3, 3),
    "len": (length, 1, 1),
}
OVER_ROWS = {"hypot", "max", "mean", "min", "sum"}  # one argument may be a row


def callables(functions: dict[str, Any], operators: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """Everything that a translated script may name. functions, operators: of formulas."""
    return {
        **{f"operation_{name}": call for name, call in OPERATIONS.items()},
        **{f"operation_{name}": of_numbers(call) for name, call in operators.items()},
        **{f"function_{name}": of_numbers(function.call) for name, function in functions.items()},
        **{f"function_{name}": call for name, (call, _, _) in MORE_FUNCTIONS.items()},
    }
