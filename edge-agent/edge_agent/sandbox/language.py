"""The language of scripts: Python's assignments, if, while and for over numbers, texts and flat rows. Pure.

An allow-list over Python's ast, as in formulas. The tree that comes out is built anew as one function,
`script(inputs..., state...)`, which gives the outputs and the state; every operation in it is one of
`runtime.py`. A script has no attributes, no functions of its own, no way to make a value grow.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from types import CodeType

from edge_agent.errors import ConfigError
from edge_agent.points.formula.functions import CHECKED_OPERATORS, FUNCTIONS
from edge_agent.sandbox.model import SandboxScript
from edge_agent.sandbox.runtime import MORE_FUNCTIONS, OPERATIONS, OVER_ROWS
from edge_agent.sandbox.words import NAME, check_words, refused

MAX_NAMES = 200
MAX_NODES = 5_000
MAX_DEPTH = 60  # of an expression
LARGEST_INTEGER = 2**63 - 1
FILE = "<script>"
CONSTANTS = {"pi": math.pi}


def compile_script(script: SandboxScript, field: str = "script") -> CodeType:
    """Code that defines the function `script`; ConfigError with line, column and rule."""
    _check_names(script, field)
    check_words(script.text, field)
    try:
        tree = ast.parse(script.text, FILE)
    except SyntaxError as error:
        raise refused(
            field, error.lineno or 1, (error.offset or 1) - 1, f"is no script: {error.msg}"
        ) from None
    except (RecursionError, MemoryError, ValueError) as error:
        raise ConfigError(field, f"is too deep or too large: {type(error).__name__}") from None
    return compile(ScriptTranslation(script, field).module(tree), FILE, "exec")


def _check_names(script: SandboxScript, field: str) -> None:
    names = [*script.inputs, *script.outputs, *script.state]
    for name in names:
        if not NAME.fullmatch(name):
            raise ConfigError(
                field, f"the name {name!r} must be ASCII letters, digits and _, and begin with a letter"
            )
    for name in {*script.inputs} & {*script.state}:
        raise ConfigError(field, f"{name} must not be an input and state at the same time")
    for name, value in script.state.items():
        if isinstance(value, (float, int)) and not -(2**63) < value < 2**63:
            raise ConfigError(field, f"{name} must begin as a finite number of at most 63 bits")
    if len(set(names)) > MAX_NAMES:
        raise ConfigError(field, f"must have at most {MAX_NAMES} inputs, outputs and state names")


def given(script: SandboxScript) -> tuple[str, ...]:
    """Names of the arguments of the function, in order."""
    return (*script.inputs, *script.state)


def answered(script: SandboxScript) -> tuple[str, ...]:
    """Names of the results of the function, in order."""
    return (*script.outputs, *script.state)


class ScriptTranslation:
    """One script on its way."""

    def __init__(self, script: SandboxScript, field: str) -> None:
        self._script = script
        self._field = field
        self._lines = script.text.splitlines()
        self._names: set[str] = set()
        self._nodes = 0

    def module(self, tree: ast.Module) -> ast.Module:
        """`def script(...): ...`; variables that are not given begin as None."""
        self._names = {*given(self._script), *answered(self._script), *_assigned(tree)}
        body = self._block(tree.body, loops=0)
        taken = given(self._script)
        beginning: list[ast.stmt] = [
            ast.Assign([ast.Name(variable(name), ast.Store())], ast.Constant(None))
            for name in sorted(self._names - {*taken})
        ]
        arguments = [ast.arg(variable(name)) for name in taken]
        signature = ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=[])
        function = ast.FunctionDef("script", signature, [*beginning, *body, self._result()], [])
        return ast.fix_missing_locations(ast.Module([function], []))

    def _result(self) -> ast.Return:
        names = [ast.Name(variable(name), ast.Load()) for name in answered(self._script)]
        return ast.Return(ast.Tuple(list[ast.expr](names), ast.Load()))

    def _refusal(self, node: ast.stmt | ast.expr, rule: str) -> ConfigError:
        line = self._lines[node.lineno - 1] if node.lineno <= len(self._lines) else ""
        column = len(line.encode()[: node.col_offset].decode(errors="ignore"))
        return refused(self._field, node.lineno, column, rule)

    def _block(self, statements: Sequence[ast.stmt], loops: int) -> list[ast.stmt]:
        return [ast.copy_location(self._statement(one, loops), one) for one in statements]

    def _statement(self, node: ast.stmt, loops: int) -> ast.stmt:
        self._count(node, 0)
        match node:
            case ast.Assign(targets=[target], value=value):
                return ast.Assign([self._target(target)], self._expression(value, 0))
            case ast.AugAssign(target=target, op=operation, value=value):
                stored = self._target(target)
                now = ast.copy_location(ast.Name(stored.id, ast.Load()), target)
                added = self._operation(node, operation, [now, self._expression(value, 0)])
                return ast.Assign([stored], ast.copy_location(added, node))
            case ast.If(test=test, body=body, orelse=otherwise):
                return ast.If(
                    self._expression(test, 0), self._block(body, loops), self._block(otherwise, loops)
                )
            case ast.While(test=test, body=body, orelse=[]):
                return ast.While(self._expression(test, 0), self._block(body, loops + 1), [])
            case ast.For(target=target, iter=over, body=body, orelse=[]):
                return ast.For(self._target(target), self._iterable(over), self._block(body, loops + 1), [])
            case ast.Break() | ast.Continue() if loops:
                return node
            case ast.Pass():
                return node
            case ast.Return(value=None):
                return self._result()
            case ast.Return():
                raise self._refusal(node, "return gives nothing back; assign the outputs")
            case ast.Expr():
                raise self._refusal(node, "a statement must do something, such as an assignment")
        raise self._refusal(node, f"{type(node).__name__} has no meaning in a script")

    def _target(self, node: ast.expr) -> ast.Name:
        if not isinstance(node, ast.Name):
            raise self._refusal(node, "only a name can be given a value")
        if node.id in self._script.inputs and node.id not in self._script.outputs:
            raise self._refusal(node, f"{node.id} is an input and cannot be changed")
        return ast.copy_location(ast.Name(variable(node.id), ast.Store()), node)

    def _iterable(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            if not 1 <= len(node.args) <= 3 or node.keywords:
                raise self._refusal(node, f"range takes 1 to 3 arguments, not {len(node.args)}")
            return self._named("operation_turns", node, node.args, 0)
        return self._named("operation_each", node, [node], 0)

    def _named(self, name: str, node: ast.expr, arguments: Sequence[ast.expr], depth: int) -> ast.expr:
        inner = [self._expression(argument, depth + 1) for argument in arguments]
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), inner, []), node)

    def _operation(self, node: ast.stmt | ast.expr, operation: ast.AST, operands: list[ast.expr]) -> ast.expr:
        name = type(operation).__name__
        if name not in OPERATIONS and name not in CHECKED_OPERATORS:
            raise self._refusal(node, f"the operator {name} has no meaning in a script")
        return ast.Call(ast.Name(f"operation_{name}", ast.Load()), operands, [])

    def _count(self, node: ast.stmt | ast.expr, depth: int) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise self._refusal(node, f"must have at most {MAX_NODES} operands, operators and statements")
        if depth > MAX_DEPTH:
            raise self._refusal(node, f"an expression must be at most {MAX_DEPTH} operations deep")

    def _expression(self, node: ast.expr, depth: int) -> ast.expr:
        self._count(node, depth)
        return ast.copy_location(self._translated(node, depth + 1), node)

    def _translated(self, node: ast.expr, depth: int) -> ast.expr:
        match node:
            case ast.Constant(value=value):
                return self._constant(node, value)
            case ast.Name():
                return self._name(node)
            case ast.BinOp(left=left, op=operation, right=right):
                return self._operation(
                    node, operation, [self._expression(side, depth) for side in (left, right)]
                )
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ast.UnaryOp(ast.Not(), self._expression(operand, depth))
            case ast.UnaryOp(op=operation, operand=operand):
                return self._operation(node, operation, [self._expression(operand, depth)])
            case ast.BoolOp(op=operation, values=values):
                joined = ast.BoolOp(operation, [self._expression(value, depth) for value in values])
                return ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), joined))
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                return ast.IfExp(*(self._expression(part, depth) for part in (test, body, otherwise)))
            case ast.Compare():
                return self._comparison(node, depth)
            case ast.Call():
                return self._call(node, depth)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return self._named("operation_row", node, items, depth)
            case ast.Subscript(value=values, slice=at) if not isinstance(at, (ast.Slice, ast.Tuple)):
                return self._named("operation_item", node, [values, at], depth)
        raise self._refusal(node, f"{type(node).__name__} has no meaning in a script")

    def _constant(self, node: ast.expr, value: object) -> ast.expr:
        if isinstance(value, int) and value > LARGEST_INTEGER:
            raise self._refusal(node, "a whole number must have at most 63 bits")
        if isinstance(value, float) and not math.isfinite(value):
            raise self._refusal(node, "a number must be finite")
        if value is None or isinstance(value, (int, float, str)):
            return ast.Constant(value)
        raise self._refusal(node, f"{type(value).__name__} has no meaning in a script")

    def _name(self, node: ast.Name) -> ast.expr:
        if node.id in self._names:
            return ast.Name(variable(node.id), ast.Load())
        if node.id in CONSTANTS:
            return ast.Constant(CONSTANTS[node.id])
        raise self._refusal(node, f"{node.id!r} is no input and is never given a value")

    def _call(self, node: ast.Call, depth: int) -> ast.expr:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self._refusal(node, "only a function may stand before a parenthesis")
        name, count = node.func.id, len(node.args)
        if name in FUNCTIONS:
            min_args, max_args = FUNCTIONS[name].min_args, FUNCTIONS[name].max_args
        elif name in MORE_FUNCTIONS:
            _, min_args, max_args = MORE_FUNCTIONS[name]
        else:
            raise self._refusal(
                node, f"{name!r} is no function; there are {', '.join([*FUNCTIONS, *MORE_FUNCTIONS])}"
            )
        if not (1 if name in OVER_ROWS else min_args) <= count <= max_args:
            takes = str(min_args) if min_args == max_args else f"{min_args} to {max_args}"
            raise self._refusal(node, f"{name} takes {takes} arguments, not {count}")
        return self._named(f"function_{name}", node, node.args, depth)

    def _comparison(self, node: ast.Compare, depth: int) -> ast.expr:
        """A chain a < b < c is a < b and b < c; its inner operands are evaluated twice, without effect."""
        sides = [node.left, *node.comparators]
        parts = [
            self._pair(node, operation, left, right, depth)
            for operation, left, right in zip(node.ops, sides, sides[1:], strict=False)
        ]
        return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)

    def _pair(
        self, node: ast.expr, operation: ast.cmpop, left: ast.expr, right: ast.expr, depth: int
    ) -> ast.expr:
        sides = [self._expression(side, depth) for side in (left, right)]
        match operation:
            case ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE():
                return ast.copy_location(self._operation(node, operation, sides), node)
            case ast.Eq() | ast.NotEq():
                return ast.Compare(sides[0], [operation], [sides[1]])
            case ast.In() | ast.NotIn():
                call: ast.expr = ast.Call(ast.Name("operation_has", ast.Load()), sides[::-1], [])
                return call if isinstance(operation, ast.In) else ast.UnaryOp(ast.Not(), call)
            case ast.Is() | ast.IsNot() if isinstance(right, ast.Constant) and right.value is None:
                return ast.Compare(sides[0], [operation], [sides[1]])
        raise self._refusal(node, "is may only ask for None; write == to compare")


def variable(name: str) -> str:
    """What a script's name is called in the function, so that it meets no other name."""
    return f"v_{name}"


def _assigned(tree: ast.Module) -> set[str]:
    """Names that a script gives values to."""
    return {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
