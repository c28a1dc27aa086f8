"""Conditions of the protocols' document: a subset of JsonLogic, compiled once and called with facts. Pure.

The agent's protocols/conditions.py lists the operators. The portal has an evaluator of its own
(blocks/points/conditions.ts); conditions.json beside the tests holds the cases of both.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Facts = Mapping[str, Any]
Compiled = Callable[[Facts], Any]


@dataclass(frozen=True)
class CompiledRule:
    """A fault of a field while the condition holds. field: as the agent names it, such as address.offset."""

    field: str
    code: str
    when: Compiled
    args: Mapping[str, Compiled]
    level: Literal["error", "warning"]


Checks = Sequence[Sequence[CompiledRule]]


def broken(checks: Checks, facts: Facts) -> Iterator[CompiledRule]:
    """Of each check the first rule that holds."""
    for rules in checks:
        for rule in rules:
            if rule.when(facts):
                yield rule
                break


def compiled_checks(checks: Sequence[Sequence[Mapping[str, Any]]]) -> Checks:
    return tuple(
        tuple(
            CompiledRule(
                rule["field"],
                rule["code"],
                compiled(rule["when"]),
                {name: compiled(value) for name, value in rule["args"].items()},
                rule["level"],
            )
            for rule in rules
        )
        for rules in checks
    )


def compiled(condition: Any) -> Compiled:
    """ValueError for an operator that is none of the list.

    A literal, and a fact beside one, stand in the function itself: each call that is saved here is saved for
    every point of a draft (with them 60,000 points take half the time).
    """
    if _is_literal(condition):
        return lambda facts: condition
    if isinstance(condition, list):
        values = [compiled(each) for each in condition]
        return lambda facts: [value(facts) for value in values]
    (name, given) = next(iter(condition.items()))
    if name == "var":
        return lambda facts: facts.get(given)
    if name in _LAZY:
        return _LAZY[name]([compiled(each) for each in given])
    if name not in _EAGER:
        raise ValueError(f"{name!r} is no operator of a condition")
    return _applied(_EAGER[name], given)


def _is_literal(condition: Any) -> bool:
    if isinstance(condition, list):
        return all(map(_is_literal, condition))
    return not isinstance(condition, dict)


def _applied(apply: Callable[..., Any], operands: Sequence[Any]) -> Compiled:
    """An operator whose operands are all evaluated: one of them, or two."""
    first = compiled(operands[0])
    if len(operands) == 1:
        return lambda facts: apply(first(facts))
    if not _is_literal(operands[1]):
        second = compiled(operands[1])
        return lambda facts: apply(first(facts), second(facts))
    literal = operands[1]
    if isinstance(operands[0], dict) and "var" in operands[0]:
        fact = operands[0]["var"]
        if apply is _equal and (literal is None or isinstance(literal, str)):
            return lambda facts: bool(facts.get(fact) == literal)
        return lambda facts: apply(facts.get(fact), literal)
    return lambda facts: apply(first(facts), literal)


def _both(parts: Sequence[Compiled]) -> Compiled:
    if len(parts) == 2:
        left, right = parts
        return lambda facts: bool(left(facts) and right(facts))

    def holds(facts: Facts) -> bool:
        for part in parts:  # noqa: SIM110 (all() over a generator costs twice as much)
            if not part(facts):
                return False
        return True

    return holds


def _either(parts: Sequence[Compiled]) -> Compiled:
    """The first value that holds, or the last one."""
    if len(parts) == 2:
        left, right = parts
        return lambda facts: left(facts) or right(facts)

    def first(facts: Facts) -> Any:
        value: Any = None
        for part in parts:
            value = part(facts)
            if value:
                break
        return value

    return first


def _choice(parts: Sequence[Compiled]) -> Compiled:
    test, then, otherwise = parts
    return lambda facts: then(facts) if test(facts) else otherwise(facts)


NUMBERS = frozenset({int, float})
"""Types of facts that count as numbers; bool is none."""


def _compared(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda left, right: type(left) in NUMBERS and type(right) in NUMBERS and holds(left, right)


def _counted(count: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda left, right: (
        count(left, right) if type(left) in NUMBERS and type(right) in NUMBERS else None
    )


def _equal(left: Any, right: Any) -> bool:
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _matches(text: Any, pattern: str) -> bool:
    return isinstance(text, str) and re.fullmatch(pattern, text) is not None


_LAZY: Mapping[str, Callable[[Sequence[Compiled]], Compiled]] = {"and": _both, "or": _either, "if": _choice}
_EAGER: Mapping[str, Callable[..., Any]] = {
    "!": operator.not_,
    "==": _equal,
    "!=": lambda left, right: not _equal(left, right),
    "in": lambda value, choices: value in choices,
    "<": _compared(operator.lt),
    "<=": _compared(operator.le),
    ">": _compared(operator.gt),
    ">=": _compared(operator.ge),
    "+": _counted(operator.add),
    "-": _counted(operator.sub),
    "*": _counted(operator.mul),
    "/": _counted(lambda left, right: left / right if right else None),
    "%": _counted(lambda left, right: math.fmod(left, right) if right else None),
    "max": _counted(max),
    "matches": _matches,
}
"""Truth is that of both languages for null, false, 0 and "": they are false."""
