"""Formulas for scripts/fuzz: sound ones, changed ones and soups of words, with hostile operands."""

from __future__ import annotations

from collections import Counter
from random import Random

from edge_agent.errors import ConfigError
from edge_agent.model import Value
from edge_agent.points.formula import Formula, NoValue, compile_formula

NAMES = {
    name: key for key, name in enumerate(["a", "b", "m1.Ua", "meter-1.Ub", "__class__", "os", "eval", "open"])
}
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
FRAGMENTS = [*ESCAPES, *WORDS.split(), *SPACED, "\x00", "\udc80", "9" * 30]
VALUES: list[Value] = [
    *(0, 1, -1, 2.5, 1e308, -1e308, 5e-324, 2**64 - 1, -(2**63), 10**300, True, None),
    *("", "text", "%9999999d", float("nan"), float("inf"), float("-inf")),
]

OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", " and ", " or ", "=="]
OF_ONE = ["abs", "sqrt", "exp", "log10", "floor", "ceil", "trunc", "round", "sin", "acos", "sign"]
OF_TWO = ["min", "max", "pow", "round", "log", "atan2", "bit", "xor", "hypot"]
SHAPES = [
    *["({0}{op}{1})", "({0} if {1} else {2})", "{g}({0}, {1})", "{f}({0})", "(not {0})", "(-{0})", "(~{0})"],
    *["clamp({0},{1},{2})", "bits({0},{1},{2})", "({0} < {1} <= {2})", "sum({0},{1},{2})"],
]
LEAVES = ["a", "b", "m1.Ua", "{meter-1.Ub}", "0", "1", "64", "1e300", "2.5", "-1", "0.0"]
DEEPEST = 4
EVALUATIONS = 3


class Formulas:
    """A third each of soups of words, sound formulas and changed ones."""

    def mutant(self, chance: Random) -> tuple[int, bytes]:
        kind = int(chance.random() * 3)
        if kind == 0:
            text = "".join(chance.choices(FRAGMENTS, k=chance.randint(1, 7)))
        else:
            text = random_formula(chance, chance.randint(1, DEEPEST))
        if kind == 2:
            text = changed(text, FRAGMENTS, chance)
        return kind, text.encode("utf-8", "surrogatepass")

    def check(self, origin: int, data: bytes, chance: Random) -> Counter[str]:
        counts: Counter[str] = Counter()
        try:
            formula = compile_formula(data.decode("utf-8", "surrogatepass"), NAMES)
        except ConfigError as error:
            assert error.field == "formula"
            counts["refused"] += 1
            return counts
        counts["compiled"] += 1
        for _ in range(EVALUATIONS):
            counts["values"] += evaluated(formula, chance)
        return counts


def evaluated(formula: Formula, chance: Random) -> bool:
    """Whether it has a value for some operands: a finite number of at most 64 bits, else a reason."""
    values = chance.choices(VALUES, k=len(formula.references))
    value, reason = formula(values)
    if value is None:
        assert isinstance(reason, NoValue), values
        return False
    assert reason is None, values
    assert type(value) in {int, float, bool}, values
    assert value - value == 0, f"must be finite: {value} of {values}"
    assert isinstance(value, float) or -(2**63) < value < 2**63, values
    return True


def changed(text: str, parts: list[str], chance: Random) -> str:
    """One to three fragments put in, mostly in place of something."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text) + 1)
        text = text[:at] + chance.choice(parts) + text[at + chance.randint(0, 3) :]
    return text


def random_formula(chance: Random, depth: int) -> str:
    if depth == 0 or chance.random() < 0.15:
        return chance.choice(LEAVES)
    one, two, three = (random_formula(chance, depth - 1) for _ in range(3))
    return chance.choice(SHAPES).format(
        one, two, three, op=chance.choice(OPERATORS), f=chance.choice(OF_ONE), g=chance.choice(OF_TWO)
    )
