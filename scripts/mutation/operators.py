"""Every mutant of a module's syntax tree: one operator, constant, slice or return changed.

Left alone, because a change there is no change of behaviour: annotations, unions of types, decorators,
docstrings, texts, zip's strict, and kw_only, slots and repr of a class, which no value shows.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
}
TWINS = {"min": "max", "max": "min", "any": "all", "all": "any"}
BUILTIN_TYPES = {
    "int",
    "float",
    "str",
    "bool",
    "bytes",
    "bytearray",
    "list",
    "dict",
    "tuple",
    "set",
    "object",
}


@dataclass(frozen=True)
class Mutant:
    """number: among the mutants of its module. change: with (2) when it is the second such on its line."""

    number: int
    line: int
    change: str


Change = tuple[ast.AST, str, Callable[[], None]]
"""The node, what is changed of it, and the change itself, made in place."""


def mutants(source: str) -> list[Mutant]:
    """All mutants of a module's text, in the order of its syntax tree."""
    mutants_of_text: list[Mutant] = []
    alike: Counter[tuple[int, str]] = Counter()
    for number, (node, text, _) in enumerate(_changes(ast.parse(source))):
        line = getattr(node, "lineno", 0)
        alike[line, text] += 1
        nth = alike[line, text]
        mutants_of_text.append(Mutant(number, line, text if nth == 1 else f"{text} ({nth})"))
    return mutants_of_text


def mutated(source: str, number: int | None) -> ast.Module:
    """The syntax tree with one change, or as it is."""
    tree = ast.parse(source)
    if number is not None:
        for at, (_, _, change) in enumerate(_changes(tree)):
            if at == number:
                change()
                break
        else:
            raise IndexError(f"the module has no mutant {number}")
    return ast.fix_missing_locations(tree)


def _changes(tree: ast.AST) -> Iterator[Change]:
    for node in _behaviour(tree):
        yield from _of(node)


def _behaviour(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes that do something when the module runs."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_inert(node, child):
                yield from _behaviour(child)


def _is_inert(parent: ast.AST, child: ast.AST) -> bool:
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return True  # a docstring
    if isinstance(child, ast.BinOp) and isinstance(child.op, ast.BitOr):
        return _is_type(child.left) and _is_type(child.right)
    if isinstance(parent, ast.If) and isinstance(parent.test, ast.Name):
        return parent.test.id == "TYPE_CHECKING"
    return isinstance(child, ast.keyword) and child.arg in {"strict", "kw_only", "slots", "repr"}


def _is_type(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(op=ast.BitOr()):
            return _is_type(node.left) and _is_type(node.right)
        case ast.Constant(value=None):
            return True
        case ast.Subscript():
            return _is_type(node.value)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in BUILTIN_TYPES or (name[0].isupper() and not name.isupper())
    return False


def _of(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare():
            for at, was in enumerate(node.ops):
                for comparison in COMPARISONS[type(was)]:
                    yield _put(node, f"{_name(was)} -> {comparison.__name__}", node.ops, at, comparison())
        case ast.BinOp() | ast.AugAssign() if type(node.op) in ARITHMETIC:
            operator = ARITHMETIC[type(node.op)]
            yield _set(node, f"{_name(node.op)} -> {operator.__name__}", "op", operator())
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield _set(node, f"{_name(node.op)} -> {_name(other)}", "op", other)
        case ast.UnaryOp(op=ast.Not()):
            yield _set(node, "not removed", "op", ast.Not(), operand=_not(node.operand))
        case ast.Constant(value=bool(value)):
            yield _set(node, f"{value} -> {not value}", "value", not value)
        case ast.Constant(value=int(value) | float(value)):
            for step in (1, -1):
                yield _set(node, f"{value} -> {value + step}", "value", value + step)
        case ast.Slice():
            for end in ("lower", "upper"):
                bound = getattr(node, end)
                if bound is not None and not isinstance(bound, ast.Constant):
                    more = ast.BinOp(copy.deepcopy(bound), ast.Add(), ast.Constant(1))
                    yield _set(node, f"{end} bound of slice + 1", end, more)
        case ast.Return(value=ast.expr() as value) if not _is_none(value):
            yield _set(node, "return None", "value", ast.Constant(None))
        case ast.Call(func=ast.Name(id=name)) if name in TWINS:
            yield _set(node, f"{name} -> {TWINS[name]}", "func", ast.Name(TWINS[name], ast.Load()))


def _put(node: ast.AST, text: str, items: list[ast.cmpop], at: int, new: ast.cmpop) -> Change:
    return node, text, lambda: items.__setitem__(at, new)


def _set(node: ast.AST, text: str, field: str, new: object, **more: object) -> Change:
    def change() -> None:
        for name, value in {field: new, **more}.items():
            setattr(node, name, value)

    return node, text, change


def _not(node: ast.expr) -> ast.expr:
    """What `not` turns into the truth of the node."""
    return ast.UnaryOp(ast.Not(), copy.deepcopy(node))


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _name(operator: ast.AST) -> str:
    return type(operator).__name__
