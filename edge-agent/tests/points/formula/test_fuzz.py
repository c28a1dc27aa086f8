"""Hostile formulas: the compiler raises nothing but a ConfigError, a formula gives nothing but an answer."""

from __future__ import annotations

import builtins
import random
import time

import pytest

from edge_agent.errors import ConfigError
from edge_agent.model import Value
from edge_agent.points.formula import Formula, NoValue, compile_formula

NAMES = {
    name: key for key, name in enumerate(["a", "b", "m1.Ua", "meter-1.Ub", "__class__", "os", "eval", "open"])
}
LONGEST_S = 0.25  # of one compilation or evaluation, on a busy machine
ESCAPES = [
    "__import__('os').system('id')",
    "().__class__.__bases__[0].__subclasses__()",
    "(lambda: (yield))()",
    "[x for x in (1).__class__.__base__.__subclasses__()]",
    "a.__class__.__mro__",
    "abs.__self__.open('/etc/passwd')",
    "getattr(abs, '__self__')",
    "eval('1')",
    "open('/etc/passwd')",
    "os.system('id')",
    "{__class__}.__base__",
    "{a}.{__class__}",
    "{a.__class__}",
    "f'{a.__class__}'",
    "'{0.__class__}'.format(a)",
    "'%s' % a",
    "a if (b := 1) else 2",
    "print(a)",
    "globals()",
    "function_abs.__globals__",
    "carefully(values)",
    "isfinite",
    "values",
    "EXACT",
    "v0",
    "_",
    "operator_Pow(9, 9)",
    "exec('1')",
    "type(a)",
    "breakpoint()",
    "a\x00b",
    "a\u2028b",
    "ｏｓ",
]
WORDS = r"""a b m1.Ua {meter-1.Ub} { } ( ) [ ] + - * ** / // % << >> & | ^ ~ < <= == != = := : , . .. \ ' "
# @ ; 0 1 64 1e308 1e-320 0x 0b2 1_0 None True min( round( pow( bits( sum( log( exp( floor( 'x' 'run' é"""
SPACED = ["not ", " and ", " or ", " if ", " else ", " in ", " is ", "lambda ", "await ", " ", "\n", "\t"]
PIECES = [*ESCAPES, *WORDS.split(), *SPACED, "\x00", "\udc80", "9" * 30]
VALUES: list[Value] = [
    0,
    1,
    -1,
    2.5,
    1e308,
    -1e308,
    5e-324,
    2**64 - 1,
    -(2**63),
    10**300,
    True,
    None,
    "",
    "text",
    "%9999999d",
    float("nan"),
    float("inf"),
    float("-inf"),
]


def compiled(text: str) -> Formula | None:
    started = time.process_time()
    try:
        return compile_formula(text, NAMES)
    except ConfigError as error:
        assert error.field == "formula"
        return None
    finally:
        assert time.process_time() - started < LONGEST_S, text


def evaluated(formula: Formula, chance: random.Random) -> None:
    values = chance.choices(VALUES, k=len(formula.references))
    started = time.process_time()
    value, reason = formula(values)
    assert time.process_time() - started < LONGEST_S, (formula.text, values)
    if value is None:
        assert isinstance(reason, NoValue)
    else:
        assert reason is None
        assert type(value) in {int, float, bool}
        assert value - value == 0, "must be finite"
        assert isinstance(value, float) or -(2**63) < value < 2**63


@pytest.mark.parametrize("text", ESCAPES, ids=ascii)
def test_escapes_are_refused(text: str) -> None:
    assert compiled(text) is None


def test_a_compiled_formula_reaches_no_builtin(monkeypatch: pytest.MonkeyPatch) -> None:
    formula = compile_formula("a ** 2 + max(a, b) // b", NAMES)
    reached: list[str] = []
    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", lambda *words: (reached.append(words[0]), real(*words))[1])
    formula([1, 0])
    monkeypatch.undo()
    assert reached == []
    names = formula.evaluate.__globals__["__builtins__"]  # type: ignore[attr-defined]
    assert set(names) == {"ArithmeticError", "TypeError", "ValueError"}


def test_soup_of_words() -> None:
    chance = random.Random(645)
    sound = 0
    for _ in range(8_000):
        text = "".join(chance.choices(PIECES, k=chance.randint(1, 7)))
        if formula := compiled(text):
            sound += 1
            evaluated(formula, chance)
    assert sound > 50


OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", " and ", " or ", "=="]
OF_ONE = ["abs", "sqrt", "exp", "log10", "floor", "ceil", "trunc", "round", "sin", "acos", "sign"]
OF_TWO = ["min", "max", "pow", "round", "log", "atan2", "bit", "xor", "hypot"]
SHAPES = [
    *["({0}{op}{1})", "({0} if {1} else {2})", "{g}({0}, {1})", "{f}({0})", "(not {0})", "(-{0})", "(~{0})"],
    *["clamp({0},{1},{2})", "bits({0},{1},{2})", "({0} < {1} <= {2})", "sum({0},{1},{2})"],
]


def random_formula(chance: random.Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.15:
        return chance.choice(["a", "b", "m1.Ua", "{meter-1.Ub}", "0", "1", "64", "1e300", "2.5", "-1", "0.0"])
    one, two, three = (random_formula(chance, depth - 1) for _ in range(3))
    return chance.choice(SHAPES).format(
        one, two, three, op=chance.choice(OPERATORS), f=chance.choice(OF_ONE), g=chance.choice(OF_TWO)
    )


def test_sound_formulas_with_hostile_values() -> None:
    chance = random.Random(1997)
    sound = 0
    for _ in range(800):
        formula = compiled(random_formula(chance, chance.randint(1, 5)))
        if formula is None:
            continue
        sound += 1
        for _ in range(4):
            evaluated(formula, chance)
    assert sound > 600


def test_mutations_of_sound_formulas() -> None:
    chance = random.Random(2007)
    for _ in range(2_000):
        text = random_formula(chance, 3)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice(PIECES) + text[at + chance.randint(0, 2) :]
        if formula := compiled(text):
            evaluated(formula, chance)
