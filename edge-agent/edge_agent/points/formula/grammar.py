"""Python's syntax tree to one that has only what a formula may have: an allow-list, the rest is refused.

The tree that comes out is built anew; its names are `v0`, `v1` ... for the operands and those of `CALLABLES`.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

from edge_agent.errors import ConfigError
from edge_agent.points.formula.functions import CHECKED_OPERATORS, FUNCTIONS
from edge_agent.points.formula.words import FormulaTokens, refused

MAX_NODES = 500
MAX_DEPTH = 100
MAX_CHOICES = 50  # in `x in (1, 2, 3)`
LARGEST_INTEGER = 2**64 - 1

PLAIN_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
CONSTANTS = {"pi": math.pi}
CALLABLES: dict[str, Any] = {
    **{f"function_{name}": function.call for name, function in FUNCTIONS.items()},
    **{f"operator_{name}": call for name, call in CHECKED_OPERATORS.items()},
}
OPENING = "("  # around the text, so that its leading spaces do no harm; shifts columns by one


def parse(words: FormulaTokens, where: str) -> ast.expr:
    """Python's tree of the words; ConfigError when they are no expression."""
    try:
        return ast.parse(f"{OPENING}{words.text})", mode="eval").body
    except SyntaxError as error:
        column = min(max((error.offset or 1) - 1 - len(OPENING), 0), len(words.text) - 1)
        raise refused(where, column, f"is no expression: {error.msg}") from None
    except (RecursionError, MemoryError, ValueError) as error:
        raise ConfigError(where, f"is too deep or too large: {type(error).__name__}") from None


class FormulaTranslation:
    """One formula on its way.

    keys: of the operands, operands: their names in the tree. numeric, texts: keys of the operands that are
    calculated with, and that are compared to a text.
    """

    def __init__(self, words: FormulaTokens, where: str) -> None:
        self.keys = tuple(words.written)
        self.operands = tuple(f"v{at}" for at in range(len(self.keys)))
        self.numeric: set[int] = set()
        self.texts: set[int] = set()
        self._words = words
        self._where = where
        self._nodes = 0

    def expression(self, tree: ast.expr) -> ast.expr:
        """The formula over the operands. Raises ConfigError, which names the column and the rule."""
        body = self._expression(tree, 0)
        for key in sorted(self.numeric & self.texts):
            name = self._words.written[key]
            raise ConfigError(self._where, f"{name} is compared to a text and used as a number as well")
        return body

    def _refusal(self, node: ast.expr, rule: str) -> ConfigError:
        return refused(self._where, max(node.col_offset - len(OPENING), 0), rule)

    def _count(self, node: ast.expr, depth: int) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise self._refusal(node, f"must have at most {MAX_NODES} operands and operators")
        if depth > MAX_DEPTH:
            raise self._refusal(
                node, f"must be at most {MAX_DEPTH} operations deep; sum(a, b, ...) takes many operands"
            )

    def _expression(self, node: ast.expr, depth: int) -> ast.expr:
        self._count(node, depth)
        match node:
            case ast.Constant(value=value):
                return self._constant(node, value)
            case ast.Name():
                return self._name(node, self.numeric)
            case ast.BinOp(left=left, op=operator, right=right):
                sides = [self._expression(side, depth + 1) for side in (left, right)]
                if isinstance(operator, PLAIN_OPERATORS):
                    return ast.BinOp(sides[0], operator, sides[1])
                return self._checked(node, operator, sides)
            case ast.UnaryOp(op=operator, operand=operand):
                inner = self._expression(operand, depth + 1)
                if isinstance(operator, ast.Invert):
                    return self._checked(node, operator, [inner])
                return ast.UnaryOp(operator, inner)
            case ast.BoolOp(op=operator, values=values):
                parts = [self._expression(value, depth + 1) for value in values]
                return ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), ast.BoolOp(operator, parts)))
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                return ast.IfExp(*(self._expression(part, depth + 1) for part in (test, body, otherwise)))
            case ast.Compare():
                return self._comparison(node, depth)
            case ast.Call():
                return self._call(node, depth)
        raise self._refusal(node, f"{type(node).__name__} has no meaning in a formula")

    def _constant(self, node: ast.expr, value: object) -> ast.expr:
        if isinstance(value, bool):
            return ast.Constant(value)
        if isinstance(value, int):
            if value > LARGEST_INTEGER:
                raise self._refusal(node, "a whole number must have at most 64 bits")
            return ast.Constant(value)
        if isinstance(value, float):
            if not math.isfinite(value):
                raise self._refusal(node, "a number must be finite")
            return ast.Constant(value)
        raise self._refusal(node, "a text may only be compared to a point: point == 'text'")

    def _name(self, node: ast.Name, used: set[int]) -> ast.expr:
        column = node.col_offset - len(OPENING)
        if column in self._words.references:
            key = self._words.references[column]
            used.add(key)
            return ast.Name(self.operands[self.keys.index(key)], ast.Load())
        if node.id in CONSTANTS:
            return ast.Constant(CONSTANTS[node.id])
        raise self._refusal(node, f"{node.id!r} has no meaning in a formula")

    def _checked(self, node: ast.expr, operator: ast.AST, operands: list[ast.expr]) -> ast.expr:
        name = type(operator).__name__
        if name not in CHECKED_OPERATORS:
            raise self._refusal(node, f"the operator {name} has no meaning in a formula")
        return ast.Call(ast.Name(f"operator_{name}", ast.Load()), operands, [])

    def _call(self, node: ast.Call, depth: int) -> ast.expr:
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords:
            raise self._refusal(node, "only a function may stand before a parenthesis")
        function = FUNCTIONS[node.func.id]
        if not function.min_args <= len(node.args) <= function.max_args:
            takes = (
                str(function.min_args)
                if function.min_args == function.max_args
                else f"{function.min_args} to {function.max_args}"
            )
            raise self._refusal(node, f"{node.func.id} takes {takes} arguments, not {len(node.args)}")
        arguments = [self._expression(argument, depth + 1) for argument in node.args]
        return ast.Call(ast.Name(f"function_{node.func.id}", ast.Load()), arguments, [])

    def _comparison(self, node: ast.Compare, depth: int) -> ast.expr:
        right = node.comparators[0]
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            choices = right.elts if isinstance(right, ast.Tuple) else [right]
            return self._membership(node, choices, depth)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.NotEq)) and is_text(right):
            return ast.Compare(self._text_operand(node.left), node.ops, [right])
        for operator in node.ops:
            if not isinstance(operator, COMPARISONS):
                raise self._refusal(node, f"the comparison {type(operator).__name__} may not stand here")
        left, *others = [self._expression(side, depth + 1) for side in (node.left, *node.comparators)]
        return ast.Compare(left, node.ops, others)

    def _membership(self, node: ast.Compare, choices: Sequence[ast.expr], depth: int) -> ast.expr:
        if not 1 <= len(choices) <= MAX_CHOICES:
            raise self._refusal(node, f"must be 1 to {MAX_CHOICES} choices: x in (1, 2, 3)")
        for choice in choices:
            if not isinstance(choice, ast.Constant) or is_text(choice) is not is_text(choices[0]):
                raise self._refusal(
                    choice, "the choices must be numbers, or all of them texts: x in (1, 2, 3)"
                )
        if is_text(choices[0]):
            left, elements = self._text_operand(node.left), list(choices)
        else:
            left = self._expression(node.left, depth + 1)
            elements = [self._expression(choice, depth + 1) for choice in choices]
        return ast.Compare(left, node.ops, [ast.Tuple(elements, ast.Load())])

    def _text_operand(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Name):
            raise self._refusal(node, "only a point may be compared to a text: point == 'text'")
        self._count(node, 0)
        return self._name(node, self.texts)


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
