"""The operators of scripts/mutate: what is changed of a text, and what is left alone."""

import ast
import sys

import pytest
import rules

sys.path.insert(0, str(rules.ROOT / "scripts"))
from mutation import operators, plan


def all_of(source: str) -> list[str]:
    return [ast.unparse(operators.mutated(source, mutant.number)) for mutant in operators.mutants(source)]


@pytest.mark.parametrize(
    ("source", "changed"),
    [
        ("a < b", ["a <= b", "a >= b"]),
        ("a == b", ["a != b"]),
        ("a in b", ["a not in b"]),
        ("a + b", ["a - b"]),
        ("a //= b", ["a *= b"]),
        ("a and b", ["a or b"]),
        ("x = not a", ["x = not not a"]),
        ("x = 5", ["x = 6", "x = 4"]),
        ("x = True", ["x = False"]),
        ("a[b:c]", ["a[b + 1:c]", "a[b:c + 1]"]),
        ("def f():\n    return a", ["def f():\n    return None"]),
        ("def f():\n    return None", []),
        ("min(a)", ["max(a)"]),
        ("def f(a=1):\n    pass", ["def f(a=2):\n    pass", "def f(a=0):\n    pass"]),
        ("a: int | None = b", []),
        ("x = int | None", []),
        ("x = LEFT | RIGHT", ["x = LEFT & RIGHT"]),
        ("@f(1)\ndef g():\n    pass", []),
        ("'text'", []),
        ("zip(a, strict=True)", []),
        (
            "class A(B, frozen=True, kw_only=True):\n    pass",
            ["class A(B, frozen=False, kw_only=True):\n    pass"],
        ),
        ("if TYPE_CHECKING:\n    a = 1", []),
    ],
)
def test_mutants(source: str, changed: list[str]) -> None:
    assert all_of(source) == changed


def test_a_mutant_is_one_change_on_its_line() -> None:
    assert [mutant.change for mutant in operators.mutants("a + b + c")] == ["Add -> Sub", "Add -> Sub (2)"]
    source = "x = 1\n\n\ny = a < b\n"
    assert [(mutant.line, mutant.change) for mutant in operators.mutants(source)] == [
        (1, "1 -> 2"),
        (1, "1 -> 0"),
        (4, "Lt -> LtE"),
        (4, "Lt -> GtE"),
    ]
    assert ast.unparse(operators.mutated(source, None)) == ast.unparse(ast.parse(source))
    with pytest.raises(IndexError, match="no mutant 4"):
        operators.mutated(source, 4)


def test_an_equal_mutant_is_known_by_its_line_and_change() -> None:
    name = "edge-agent/edge_agent/bus/schedule.py"
    source = (rules.ROOT / name).read_text()
    at = source[: source.index("self._turn = 0")].count("\n") + 1
    assert all(plan.equal_mutants().why.values())
    equals = plan.EqualMutants({(name, "self._turn = 0", "0 -> 1"): "turns are only compared"})
    assert (name, operators.Mutant(1, at, "0 -> 1")) in equals
    assert (name, operators.Mutant(1, at, "0 -> -1")) not in equals
    assert (name, operators.Mutant(1, at + 1, "0 -> 1")) not in equals
