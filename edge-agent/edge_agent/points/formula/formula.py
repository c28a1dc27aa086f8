"""A formula that can be evaluated: numbers in, a finite number out, or why there is none. No exceptions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from typing import Any

from edge_agent.errors import ConfigError
from edge_agent.model import Value
from edge_agent.points.formula.grammar import CALLABLES, FormulaTranslation, parse
from edge_agent.points.formula.words import read_words

EXACT = 2.0**63  # whole numbers below stay whole in every part of the system
MAX_ADDED = 16  # operands that are checked by adding them up in the function itself

Answer = tuple[float | int | bool, None] | tuple[None, "NoValue"]
Evaluate = Callable[[Sequence[Value]], Answer]

# The fast path. The sum of the operands is finite only when each of them is a finite number, so that one test
# checks all; whatever is not plain sailing is done again with care, which also finds the reason.
TEMPLATE = """
def evaluate(values):
    try:
        OPERANDS = values
        if isfinite(TOTAL):
            value = FORMULA
            if -EXACT < value < EXACT:
                return value, None
    except (ArithmeticError, TypeError, ValueError):
        pass
    return carefully(values)
"""


class NoValue(StrEnum):
    """Why a formula has no value. MISSING: ask the operands; the others are out of range."""

    MISSING = "an operand has no value"
    TEXT = "an operand is a text and a number is needed, or the other way round"
    DIVISION = "division by zero"
    DOMAIN = "outside the domain of a function"
    TOO_LARGE = "too large to be a number"


class Formula:
    """references: keys of the operands, each once; written: the same as the formula names them.

    evaluate(values): value and None, or None and the reason. values: one of each reference, in their order;
    None where there is none. It is a function of its own for every formula, which saves a call.
    """

    __slots__ = ("evaluate", "references", "text", "written")

    def __init__(
        self, text: str, references: tuple[int, ...], written: tuple[str, ...], evaluate: Evaluate
    ) -> None:
        self.text = text
        self.references = references
        self.written = written
        self.evaluate = evaluate

    def __call__(self, values: Sequence[Value]) -> Answer:
        return self.evaluate(values)

    def __repr__(self) -> str:
        return f"Formula({self.text!r})"


@dataclass(frozen=True)
class Outline:
    """A formula that was read and found right. references: keys of its operands, each once.

    written: the same as the formula names them. Compiling is three quarters of the work, and a check of a
    configuration needs none of it.
    """

    text: str
    references: tuple[int, ...]
    written: tuple[str, ...]
    body: ast.expr
    operands: tuple[str, ...]
    compared: frozenset[int]  # positions of the operands that are compared to a text

    def compiled(self) -> Formula:
        evaluate = _careful(_function(self.body, self.operands), self.compared)
        if not self.compared:
            evaluate = _fast(self.body, self.operands, evaluate)
        return Formula(self.text, self.references, self.written, evaluate)


def read_formula(
    text: str, names: Mapping[str, int], field: str = "formula", texts: Set[int] = frozenset()
) -> Outline:
    """Outline of a text. names: the key of a point for every way to write it (`point`, `slave.point`).

    texts: keys of the points that are known to hold texts, which cannot be calculated with.
    ConfigError with the field, the column and the rule for everything that is no formula.
    """
    words = read_words(text, names, field)
    translation = FormulaTranslation(words, field)
    body = translation.expression(parse(words, field))
    for key in sorted(translation.numeric & texts):
        raise ConfigError(field, f"{words.written[key]} is a text, which cannot be calculated with")
    compared = frozenset(at for at, key in enumerate(translation.keys) if key in translation.texts)
    written = tuple(words.written.values())
    return Outline(text, translation.keys, written, body, translation.operands, compared)


def compile_formula(text: str, names: Mapping[str, int], field: str = "formula") -> Formula:
    """Formula of a text; names and errors as in read_formula."""
    return read_formula(text, names, field).compiled()


def _function(body: ast.expr, operands: Sequence[str]) -> Callable[..., Any]:
    """`lambda v0, v1, ...: formula`."""
    taken = [ast.arg(name) for name in operands]
    signature = ast.arguments(posonlyargs=[], args=taken, kwonlyargs=[], kw_defaults=[], defaults=[])
    tree = ast.fix_missing_locations(ast.Expression(ast.Lambda(signature, body)))
    space = {"__builtins__": {}, **CALLABLES}
    function: Callable[..., Any] = eval(compile(tree, "<formula>", "eval"), space)  # noqa: S307  # our own tree
    return function


def _fast(body: ast.expr, operands: Sequence[str], carefully: Evaluate) -> Evaluate:
    """The template with the formula in it."""
    total = " + ".join(operands) if 1 <= len(operands) <= MAX_ADDED else "sum(values)"
    parts: dict[str, ast.expr] = {
        "OPERANDS": ast.List([ast.Name(name, ast.Store()) for name in operands], ast.Store()),
        "TOTAL": ast.parse(total, mode="eval").body,
        "FORMULA": body,
    }
    tree = ast.fix_missing_locations(_Filling(parts).visit(ast.parse(TEMPLATE)))
    space: dict[str, Any] = {
        "__builtins__": {
            "ArithmeticError": ArithmeticError,
            "TypeError": TypeError,
            "ValueError": ValueError,
        },
        "isfinite": isfinite,
        "sum": sum,
        "EXACT": EXACT,
        "carefully": carefully,
        **CALLABLES,
    }
    exec(compile(tree, "<formula>", "exec"), space)  # noqa: S102  # the template and our own tree
    evaluate: Evaluate = space["evaluate"]
    return evaluate


class _Filling(ast.NodeTransformer):
    """Puts trees where the template has their names."""

    def __init__(self, parts: Mapping[str, ast.expr]) -> None:
        self._parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._parts.get(node.id, node)


def _careful(function: Callable[..., Any], texts: frozenset[int]) -> Evaluate:
    """Operand by operand. texts: positions of the operands that are compared to texts."""

    def evaluate(values: Sequence[Value]) -> Answer:
        for at, value in enumerate(values):
            if value is None or (isinstance(value, float) and not isfinite(value)):
                return None, NoValue.MISSING
            if isinstance(value, str) is not (at in texts):
                return None, NoValue.TEXT
        try:
            result = function(*values)
            if not isinstance(result, float) and not -EXACT < result < EXACT:
                result = float(result)  # a whole number beyond 64 bits goes on as a float
            return (result, None) if isfinite(result) else (None, NoValue.TOO_LARGE)
        except ZeroDivisionError:
            return None, NoValue.DIVISION
        except ValueError:
            return None, NoValue.DOMAIN
        except OverflowError:
            return None, NoValue.TOO_LARGE

    return evaluate
