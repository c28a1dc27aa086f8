"""Scripts: what they mean, what is refused and where, and that refusing is bounded."""

from __future__ import annotations

import random
import re
import time
from typing import Any

import pytest
from fuzzing.formula import changed

from edge_agent.errors import ConfigError
from edge_agent.model import Value
from edge_agent.points.formula.functions import CHECKED_OPERATORS, FUNCTIONS
from edge_agent.sandbox import SandboxScript, compile_script, language
from edge_agent.sandbox.model import Counters
from edge_agent.sandbox.runtime import Fault, callables

INPUTS = ("a", "b")


def run(text: str, a: Value = None, b: Value = None) -> Any:
    """The value of `x` after a script, run here."""
    space: dict[str, Any] = {"__builtins__": {}, **callables(FUNCTIONS, CHECKED_OPERATORS)}
    exec(compile_script(SandboxScript("s", text, INPUTS, ("x",))), space)
    return space["script"](a, b)[0]


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("x = a + b * 2", 16),
        ("x = a\nx += 1\nx *= b\nx -= 2\nx /= 4\nx //= 2", 3.0),
        ("if a > b:\n    x = 1\nelif a == 4:\n    x = 2\nelse:\n    x = 3", 2),
        ("x = 0\nfor i in range(5):\n    if i == 3:\n        break\n    x += i", 3),
        ("x = 0\nfor v in (a, b, 2):\n    if v == b:\n        continue\n    x += v", 6),
        ("x = 0\nwhile x < 10:\n    x += a", 12),
        ("x = 1\nif a:\n    return\nx = 2", 1),
        ("t = [a, b, 7]\nx = t[2] + t[-1] + len(t)", 17),
        ("t = (a, b)\nx = max(t) + sum(t) + mean(t) + min(1, 2)", 22.0),
        ("x = interpolate(5, (0, 10, 20), (0, 100, 50))", 50.0),
        ("x = interpolate(15, (0, 10, 20), (0, 100, 50))", 75.0),
        ("x = interpolate(-1, (0, 10), (3, 100)) + interpolate(11, (0, 10), (3, 100))", 103),
        ("y = 1 if a > 9 else None\nx = y is None and a is not None", True),
        ("x = 3 < a < b and a in (4, 5) and a not in (1, 2)", True),
        ("x = 'run' if a == 4 else 'idle'", "run"),
        ("x = 'run' == 'run' and 'x' in ('x', 'y')", True),
        ("x = not a or -a < +b", True),
        ("x = a ** 2 + (a & 6) + (a | 1) + (~a) + (a << 1) + (a >> 1)", 16.0 + 4 + 5 - 5 + 8 + 2),
        ("x = round(pi, 2)  # 圆周率", 3.14),
        ("x = 9223372036854775807 * 9223372036854775807", 9223372036854775807.0**2),
        ("pass", None),
        ("", None),
    ],
)
def test_meaning(text: str, result: object) -> None:
    found = run(text, 4, 6)
    assert (found, type(found)) == (result, type(result))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("x = a + 1", "an operand has no value"),
        ("x = 'a' * 1000000000", "a number is needed, not a text"),
        ("x = 'a' + 'b'", "a number is needed, not a text"),
        ("x = (1, 2) * 1000000000", "a number is needed, not a row"),
        ("x = 'a' % 3", "a number is needed, not a text"),
        ("x = 'a' < 'b'", "a number is needed, not a text"),
        ("x = abs('a')", "a number is needed, not a text"),
        ("t = (1, 2)\nt = (t, t)", "a row must not lie in a row"),
        ("t = (1, 2)\nx = t[2]", "item 2 of a row of 2"),
        ("t = (1, 2)\nx = t[0.5]", "item 0.5"),
        ("t = 1\nx = t[0]", "only a row has items"),
        ("x = len(1)", "only a row has a length"),
        ("t = 3\nfor i in t:\n    x = i", "for needs a row"),
        ("for i in range(10 ** 9):\n    x = i", "at most 1000000 turns"),
        ("for i in range(0.5):\n    x = i", "whole numbers"),
        ("x = 1 in 2", "in needs a row"),
        ("x = 1e308 * 10", "too large"),
        ("x = 1e308 * 10 - 1e308 * 10", "too large"),
        ("x = interpolate(1, (1, 1), (2, 3))", "rising"),
        ("x = interpolate(1, (1, 2), (2, 3, 4))", "same length"),
    ],
)
def test_faults(text: str, fault: str) -> None:
    with pytest.raises(Fault, match=fault):
        run(text)


@pytest.mark.parametrize(
    "text", ["x = 1 / 0", "x = 1 % 0", "x = sqrt(-1)", "x = 1 << 64", "x = (-8) ** 0.5", "x = exp(1e9)"]
)
def test_arithmetic_faults(text: str) -> None:
    with pytest.raises((ArithmeticError, ValueError)):
        run(text)


REFUSED = [
    ("import os", 1, 1, "Import has no meaning"),
    ("x = 1\nfrom os import system", 2, 1, "ImportFrom has no meaning"),
    ("x = __import__('os')", 1, 5, "a name must be"),
    ("x = a.__class__", 1, 6, "there are no attributes"),
    ("x = a.real", 1, 6, "there are no attributes"),
    ("x = ().__class__", 1, 7, "there are no attributes"),
    ("x = open('/etc/passwd')", 1, 5, "'open' is no function"),
    ("x = eval('1')", 1, 5, "'eval' is no function"),
    ("x = [v for v in (1, 2)]", 1, 5, "ListComp has no meaning"),
    ("x = sum(v for v in (1, 2))", 1, 8, "GeneratorExp has no meaning"),
    ("x = lambda: 1", 1, 5, "Lambda has no meaning"),
    ("def f():\n    f()\nf()", 1, 1, "FunctionDef has no meaning"),
    ("class A:\n    x = 1", 1, 1, "ClassDef has no meaning"),
    ("try:\n    x = 1\nexcept:\n    x = 2", 1, 1, "Try has no meaning"),
    ("with a:\n    x = 1", 1, 1, "With has no meaning"),
    ("global x", 1, 1, "Global has no meaning"),
    ("del x", 1, 1, "Delete has no meaning"),
    ("assert a", 1, 1, "Assert has no meaning"),
    ("raise a", 1, 1, "Raise has no meaning"),
    ("await a", 1, 1, "must do something"),
    ("yield a", 1, 1, "must do something"),
    ("x = yield", 1, 5, "Yield has no meaning"),
    ("match a:\n    case 1:\n        x = 1", 1, 1, "Match has no meaning"),
    ("x: int = 1", 1, 1, "AnnAssign has no meaning"),
    ("x = {1: 2}", 1, 5, "'{' has no meaning"),
    ("x = (y := 1)", 1, 8, "':=' has no meaning"),
    ("x = f'{a}'", 1, 5, "without prefix"),
    ("x = 'a\\n'", 1, 5, "without prefix and backslash"),
    ("x = '''a'''", 1, 5, "one pair of quotes"),
    ("x = 1; y = 2", 1, 6, "';' has no meaning"),
    ("x = 1 ^ 2", 1, 7, "write **"),
    ("x = a @ b", 1, 7, "'@' has no meaning"),
    ("x @= 1", 1, 3, "'@=' has no meaning"),
    ("x = 1j", 1, 5, "is no number"),
    ("x = 1_000", 1, 5, "is no number"),
    ("x = 1e999", 1, 5, "must be finite"),
    ("x = 9223372036854775808", 1, 5, "at most 63 bits"),
    ("x = ...", 1, 5, "has no meaning"),
    ("x = t[1:2]\nt = (1, 2)", 1, 5, "Subscript has no meaning"),
    ("t = (1, 2)\nt[0] = 1", 2, 1, "only a name can be given a value"),
    ("x, y = 1, 2", 1, 1, "only a name can be given a value"),
    ("x = y = 1", 1, 1, "Assign has no meaning"),
    ("a = 1", 1, 1, "a is an input and cannot be changed"),
    ("for a in range(3):\n    x = 1", 1, 5, "a is an input"),
    ("x = nowhere", 1, 5, "'nowhere' is no input"),
    ("x = 文", 1, 5, "a name must be"),
    ("x = '文' + 文", 1, 11, "a name must be"),
    ("x = max(*a)", 1, 9, "Starred has no meaning"),
    ("x = max(a, key=b)", 1, 5, "only a function"),
    ("x = sqrt(a, b)", 1, 5, "sqrt takes 1 arguments"),
    ("x = a is b", 1, 5, "is may only ask for None"),
    ("x = a is not 1", 1, 5, "is may only ask for None"),
    ("a", 1, 1, "must do something"),
    ("'text'", 1, 1, "must do something"),
    ("return a", 1, 1, "return gives nothing back"),
    ("break", 1, 1, "Break has no meaning"),
    ("for i in range(3):\n    x = i\nelse:\n    x = 1", 1, 1, "For has no meaning"),
    ("while a:\n    x = 1\nelse:\n    x = 2", 1, 1, "While has no meaning"),
    ("x = range(3)", 1, 5, "'range' is no function"),
    ("x =", 1, 4, "is no script"),
    ("if a:\nx = 1", 2, 1, "is no script"),
    ("if a:\n    x = 1\n  x = 2", 3, None, "is no script"),
    ("x = (1", 1, None, "is no script"),
    ("x = 'a", 1, 5, "a text is not closed"),
    ("x = 1if a else 2", 1, 6, "a space is missing"),
    ("x = 0or 1", 1, 6, "a space is missing"),
]


@pytest.mark.parametrize(("text", "line", "column", "rule"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(text: str, line: int, column: int | None, rule: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compile_script(SandboxScript("s", text, INPUTS, ("x",)), "triggers[2].script")
    assert caught.value.field == "triggers[2].script"
    assert rule in caught.value.rule
    if column is not None:
        assert caught.value.rule.startswith(f"line {line}, column {column}:")


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "-" * 19_000 + "1",
        "x = " + "(" * 9_000 + "1" + ")" * 9_000,
        "x = " + "[" * 21 + "1" + "]" * 21,
        "x = " + "not " * 400 + "a",
        "x = " + "1 if a else " * 150 + "1",
        "x = " + "+".join(["a"] * 200),
        "x = (\n" + "-\n" * 9_000 + "1)",
        "".join(" " * depth + "if a:\n" for depth in range(12)) + " " * 12 + "x = 1",
        "x = 1\n" * 3_000,
        "x = " + "9" * 5_000,
        "x = '" + "a" * 65 + "'",
        "x = a" + " < a" * 20 + "\n" + "x = " + "a < (" * 15 + "a" + " < a)" * 15,
        "x = 1" + " " * 20_000,
        "a\x00b", "x = 1\x0c", "\ud800", "x = 1\u2028y = 2",
    ],
    ids=lambda text: ascii(text[:14]),
)  # fmt: skip
def test_bounds(text: str) -> None:
    started = time.process_time()
    with pytest.raises(ConfigError):
        compile_script(SandboxScript("s", text, INPUTS, ("x",)))
    assert time.process_time() - started < 10, "the work has no bound"


@pytest.mark.parametrize(
    "script",
    [
        SandboxScript("s", "", ("a b",)),
        SandboxScript("s", "", outputs=("__class__",)),
        SandboxScript("s", "", ("a",), (), {"a": 1}),
        SandboxScript("s", "", state={"n": float("nan")}),
        SandboxScript("s", "", state={"n": 2**63}),
        SandboxScript("s", "", tuple(f"p{number}" for number in range(201))),
    ],
    ids=lambda script: repr(script)[:60],
)
def test_names_and_state(script: SandboxScript) -> None:
    with pytest.raises(ConfigError):
        compile_script(script)


def test_mutations_compile_or_are_refused() -> None:
    chance = random.Random(7)
    pieces = [row[0] for row in REFUSED] + [
        "\n",
        "\n    ",
        "(",
        ")",
        "[",
        "]",
        ":",
        "if a:",
        "x",
        "=",
        "'",
        '"',
        "#",
        "é",
        "\x00",
    ]
    for _ in range(1_500):
        text = "\n".join(chance.choices(pieces, k=chance.randint(1, 3)))
        if chance.random() < 0.75:
            text = changed(text, pieces, chance)
        try:
            compile_script(SandboxScript("s", text, INPUTS, ("x",)))
        except ConfigError as error:
            assert error.field == "script"


def test_the_bounds_of_a_script() -> None:
    assert (language.MAX_NAMES, language.MAX_NODES, language.MAX_DEPTH) == (200, 5000, 60)
    assert language.LARGEST_INTEGER == 9_223_372_036_854_775_807


def words_of(text: str) -> str:
    """The rule that refuses a script; empty for one that is taken."""
    try:
        compile_script(SandboxScript("s", text, INPUTS, ("x",)))
    except ConfigError as error:
        return error.rule
    return ""


@pytest.mark.parametrize(
    ("largest", "larger", "rule"),
    [
        ("x = 1" + " " * 19_995, "x = 1" + " " * 19_996, "must be at most 20000 characters"),
        (
            "x = '" + "a" * 64 + "'", "x = '" + "a" * 65 + "'",
            "line 1, column 5: a text must be at most 64 characters",
        ),
        (
            "x = " + "(" * 20 + "a" + ")" * 20, "x = " + "(" * 21 + "a" + ")" * 21,
            "line 1, column 25: must be at most 20 parentheses deep",
        ),
        (
            "x = len([" + "a," * 246 + "a])", "x = -len([" + "a," * 246 + "a])",
            "line 1, column 505: a statement must be at most 500 words",
        ),
        (
            "".join(" " * depth + "if a:\n" for depth in range(10)) + " " * 10 + "x = 1",
            "".join(" " * depth + "if a:\n" for depth in range(11)) + " " * 11 + "x = 1",
            "line 12, column 1: must be at most 10 blocks deep",
        ),
        ("x = 9223372036854775807", "x = 9223372036854775808", "line 1, column 5: a whole number"),
        ("x = " + "-" * 60 + "a", "x = " + "-" * 61 + "a", "line 1, column 66: "),
    ],
    ids=["characters", "text", "parentheses", "words of a statement", "blocks", "number", "depth"],
)  # fmt: skip
def test_the_largest_is_taken_and_one_more_is_refused(largest: str, larger: str, rule: str) -> None:
    assert words_of(largest) == ""
    assert words_of(larger).startswith(rule)


def test_blocks_and_parentheses_that_are_closed_do_not_count() -> None:
    assert words_of("if a:\n    x = 1\n" * 20) == ""
    assert words_of("x = (a)\n" * 30) == ""
    assert words_of("x = [a]\n" * 30) == ""
    assert words_of("x = a\n" * 200) == "", "the words of each statement are counted anew"


@pytest.mark.parametrize(
    ("value", "taken"),
    [
        (2**63 - 1, True), (2**63, False), (-(2**63) + 1, True), (-(2**63), False), (0.0, True), (1e18, True),
        (1e19, False), (-1e19, False), (float("inf"), False), ("text", True), (None, True), (True, True),
    ],
)  # fmt: skip
def test_what_state_may_begin_with(value: Value, taken: bool) -> None:
    script = SandboxScript("s", "n = 1", state={"n": value})
    if taken:
        assert compile_script(script) is not None
        return
    with pytest.raises(ConfigError) as caught:
        compile_script(script)
    assert caught.value.rule == "n must begin as a finite number of at most 63 bits"


def test_at_most_200_names() -> None:
    names = tuple(f"p{number}" for number in range(200))
    assert compile_script(SandboxScript("s", "", names, names)) is not None, "each name once"
    with pytest.raises(ConfigError) as caught:
        compile_script(SandboxScript("s", "", names, ("x",)))
    assert caught.value.rule == "must have at most 200 inputs, outputs and state names"


def test_at_most_5000_operands_operators_and_statements() -> None:
    line = "x = " + "-" * 60 + "a\n"  # a statement, 60 operators, an operand
    assert words_of(line * 80 + "x = " + "-" * 38 + "a") == ""
    rule = words_of(line * 80 + "x = " + "-" * 39 + "a")
    assert rule.endswith("must have at most 5000 operands, operators and statements")


def test_a_text_that_ends_too_early_is_refused_where_it_ends() -> None:
    for text in ("x = (1", "x = (1\n", "if a:\n    x = [1,\n"):
        rule = words_of(text)
        assert "is no script" in rule and not re.search(r"(line|column) -?0", rule), rule


def test_counting_begins_with_nothing() -> None:
    counters = Counters()
    assert (counters.runs, counters.faults, counters.out_of_time) == (0, 0, 0)
    assert (counters.out_of_memory, counters.kills, counters.starts) == (0, 0, 0)
