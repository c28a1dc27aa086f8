"""Formulas: what they give, what they refuse, and that the quick way and the careful way agree."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_agent.errors import ConfigError
from edge_agent.model import Value
from edge_agent.points.formula import FUNCTIONS, NoValue, compile_formula
from edge_agent.points.formula.functions import integer
from edge_agent.points.formula.words import read_words

DATA = Path(__file__).parent / "golden"
NAMES = {"a": 1, "b": 2, "m1.Ua": 3, "in": 4, "state": 5, "b_too": 2}


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def value(text: str) -> Value:
    """An operand of values.csv; a text stands after a ~."""
    if text.startswith("~"):
        return text[1:]
    if text in {"None", "True", "False"}:
        return {"None": None, "True": True, "False": False}[text]
    return float(text) if any(mark in text for mark in ".ein") and "x" not in text else int(text, 0)


@pytest.mark.parametrize("row", rows("values.csv"), ids=lambda row: f"{row['formula']} | {row['values']}")
def test_values(row: dict[str, str]) -> None:
    given_values = dict(part.split("=", 1) for part in row["values"].split())
    names = {name: number for number, name in enumerate(given_values, 100)}
    formula = compile_formula(row["formula"], names)
    assert sorted(formula.references) == sorted(names.values())
    found, reason = formula([value(given_values[name]) for name in formula.written])
    if row["result"] in NoValue.__members__:
        assert (found, reason) == (None, NoValue[row["result"]])
    else:
        assert reason is None
        assert repr(found) == row["result"]


@pytest.mark.parametrize("row", rows("refused.csv"), ids=lambda row: row["formula"])
def test_refused(row: dict[str, str]) -> None:
    with pytest.raises(ConfigError) as caught:
        compile_formula(row["formula"], NAMES, "points[3].formula")
    assert caught.value.field == "points[3].formula"
    assert row["rule"] in caught.value.rule
    if row["column"]:
        assert caught.value.rule.startswith(f"column {row['column']}:")


def test_every_function_is_in_the_table_of_values() -> None:
    written = " ".join(row["formula"] for row in rows("values.csv"))
    assert [name for name in FUNCTIONS if f"{name}(" not in written] == []


@pytest.mark.parametrize("whole", [2**64 - 1, -(2**63)])
def test_whole_numbers_have_at_most_64_bits(whole: int) -> None:
    assert integer(whole) == whole
    with pytest.raises(ValueError, match="64 bits"):
        integer(whole + (1 if whole > 0 else -1))


def test_how_many_arguments_each_function_takes() -> None:
    several = {
        "atan2": (2, 2), "bit": (2, 2), "bits": (3, 3), "clamp": (3, 3), "hypot": (1, 250), "log": (1, 2),
        "max": (2, 250), "mean": (1, 250), "min": (2, 250), "pow": (2, 2), "round": (1, 2), "scale": (5, 5),
        "sum": (1, 250), "xor": (2, 2),
    }  # fmt: skip
    found = {name: (each.min_args, each.max_args) for name, each in FUNCTIONS.items()}
    assert {name: count for name, count in found.items() if count != (1, 1)} == several


def test_two_names_of_one_point_are_one_operand() -> None:
    formula = compile_formula("b + b_too + a + b", NAMES)
    assert formula.references == (2, 1)
    assert formula.written == ("b", "a")
    assert formula([10, 1]) == (31, None)


def test_lines_and_tabs_are_spaces() -> None:
    assert compile_formula("\n a\n\t+ b  ", NAMES)([1, 2]) == (3, None)


def test_a_missing_value_is_not_a_wrong_count() -> None:
    with pytest.raises(TypeError):
        compile_formula("a + b", NAMES)([1])


@pytest.mark.parametrize(
    "text",
    [
        "a" + "+a" * 200,
        "-" * 300 + "a",
        "not " * 300 + "a",
        "a**" * 120 + "a",
        "1 if a else " * 120 + "a",
        "(" * 31 + "a" + ")" * 31,
        "(" * 1900 + "a" + ")" * 1900,
        "a+" * 1990 + "a",
        "-" * 3999 + "a",
        "sum(" + "a," * 249 + "a)" + "+sum(" + "a," * 249 + "a)",
        "a in (" + "1," * 60 + "2)",
        "a" * 4001,
        "9" * 3999,
        "state == '" + "x" * 65 + "'",
        "a" + " < a" * 499,
    ],
    ids=lambda text: f"{text[:12]}...{len(text)}",
)
def test_bounds(text: str) -> None:
    with pytest.raises(ConfigError, match=r"must|text|too"):
        compile_formula(text, NAMES)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("+".join("a" * 90), 90),
        ("sum(" + "a," * 249 + "a)", 250),
        ("(" * 30 + "a" + ")" * 30, 1),
        ("*".join(["(a*a)"] * 40), 1),
        ("a" + " <= a" * 400, True),
    ],
    ids=["deep", "wide", "parentheses", "product", "chain"],
)
def test_within_bounds(text: str, result: float) -> None:
    assert compile_formula(text, NAMES)([1]) == (result, None)


@pytest.mark.parametrize(
    "inner",
    [
        "a", "(a + 1)", "(1 + a)", "(a ** 1)", "(-a)", "~a", "(a and 1)", "(1 or a)", "(a if 1 else 0)",
        "(1 if 1 else a)", "(0 < a)", "(a < 2)", "(a in (1, 2))", "max(a, 1)", "max(0, a)",
    ],
)  # fmt: skip
def test_at_most_100_operations_deep(inner: str) -> None:
    """Whatever stands innermost counts as one operation more; a point alone is none."""
    around = 100 if inner == "a" else 99
    found, reason = compile_formula("-" * around + inner, NAMES)([1])
    assert (abs(found or 0) <= 2, reason) == (True, None)
    with pytest.raises(ConfigError) as caught:
        compile_formula("-" * (around + 1) + inner, NAMES)
    assert "must be at most 100 operations deep" in caught.value.rule


def test_at_most_500_operands_and_operators() -> None:
    """A function, a sign and a point are one each, also a point that is compared to a text."""
    signed = ",".join(["---a"] * 124)
    assert compile_formula(f"sum({signed},--a)", NAMES)([1]) == (-123, None)
    texts = f"sum({signed},state == 'x',0)"
    assert compile_formula(texts, NAMES)([1, "x"]) == (-123, None)
    for longer in (f"sum({signed},---a)", f"sum({signed},state == 'x',-0)"):
        with pytest.raises(ConfigError) as caught:
            compile_formula(longer, NAMES)
        assert caught.value.rule.endswith("must have at most 500 operands and operators")


def test_at_most_50_choices() -> None:
    assert compile_formula(f"a in ({','.join(map(str, range(50)))})", NAMES)([49]) == (True, None)
    assert compile_formula("a in (7,)", NAMES)([7]) == (True, None)
    for choices in (",".join(map(str, range(51))), ""):
        with pytest.raises(ConfigError) as caught:
            compile_formula(f"a in ({choices})", NAMES)
        assert "must be 1 to 50 choices" in caught.value.rule


def test_at_most_1000_words() -> None:
    assert read_words("a" + "+a" * 499 + "+", NAMES, "f").references.keys() == set(range(0, 1000, 2))
    with pytest.raises(ConfigError) as caught:
        read_words("a" + "+a" * 500, NAMES, "f")
    assert caught.value.rule == "column 1001: must be at most 1000 words"


def test_at_most_4000_characters_and_64_in_a_text() -> None:
    assert compile_formula("a".ljust(4000), NAMES)([1]) == (1, None)
    with pytest.raises(ConfigError) as caught:
        compile_formula("a".ljust(4001), NAMES)
    assert caught.value.rule == "must be at most 4000 characters"
    assert compile_formula(f"state == '{'x' * 64}'", NAMES)(["x" * 64]) == (True, None)
    with pytest.raises(ConfigError) as caught:
        compile_formula(f"state == '{'x' * 65}'", NAMES)
    assert caught.value.rule == "column 10: a text must be at most 64 characters"


def test_a_whole_number_of_a_formula_has_at_most_64_bits() -> None:
    assert compile_formula(f"a < {2**64 - 1}", NAMES)([1]) == (True, None)
    with pytest.raises(ConfigError) as caught:
        compile_formula(f"a < {2**64}", NAMES)
    assert caught.value.rule == "column 5: a whole number must have at most 64 bits"


def test_many_operands() -> None:
    names = {f"p{number}": number for number in range(200)}
    formula = compile_formula(f"sum({','.join(names)})", names)
    assert formula(range(200)) == (19900, None)
    assert formula([*range(199), None]) == (None, NoValue.MISSING)
    assert formula([*range(199), "x"]) == (None, NoValue.TEXT)


NUMBERS = st.one_of(
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-9, 9),
    st.booleans(),
)
LEAVES = st.one_of(st.sampled_from(["a", "b", "m1.Ua"]), st.integers(0, 99).map(str), st.just("2.5"))


def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.sampled_from(["+", "-", "*", "/", "//", "%", "<", ">=", "==", "and", "or"])
    return st.one_of(
        st.tuples(inner, binary, inner).map(lambda part: f"({part[0]} {part[1]} {part[2]})"),
        inner.map(lambda part: f"(-{part})"),
        inner.map(lambda part: f"(not {part})"),
        st.tuples(inner, inner, inner).map(lambda part: f"({part[0]} if {part[1]} else {part[2]})"),
        st.tuples(inner, inner).map(lambda part: f"max({part[0]}, {part[1]})"),
    )


@settings(max_examples=250, deadline=None)
@given(st.recursive(LEAVES, grow, max_leaves=12), st.tuples(NUMBERS, NUMBERS, NUMBERS))
def test_a_formula_means_what_it_means_in_python(text: str, operands: tuple[Value, Value, Value]) -> None:
    known = dict(zip(("a", "b", "m1.Ua"), operands, strict=True))
    formula = compile_formula(text, NAMES)
    found, reason = formula([known[name] for name in formula.written])
    python = text.replace("m1.Ua", "c")
    try:
        expected = eval(python, {"a": known["a"], "b": known["b"], "c": known["m1.Ua"]})
        finite = abs(float(expected)) < float("inf")
    except ArithmeticError:
        finite = False
    if not finite:
        assert found is None and reason in {NoValue.DIVISION, NoValue.TOO_LARGE}
        return
    assert reason is None and found is not None
    if "and" in text or "or" in text:
        assert isinstance(found, (bool, int, float))  # and, or are always true or false here
    else:
        assert found == expected or found == float(expected)


def test_bits_of_a_whole_number() -> None:
    assert FUNCTIONS["bits"].call(2**64 - 1, 0, 64) == 2**64 - 1
    assert compile_formula("bits(a, 63, 1)", NAMES)([2**63]) == (1, None)
    assert compile_formula("bits(a, 4, 3)", NAMES)([0x5A]) == (5, None)
    for first, count in ((0, 0), (0, 65), (-1, 1), (64, 1)):
        with pytest.raises(ValueError, match="bit"):
            FUNCTIONS["bits"].call(1, first, count)


def test_how_many_decimals_are_rounded_to() -> None:
    call = FUNCTIONS["round"].call
    assert (call(2.567, 0), call(2.567, 1), call(0.1234567890123456, 15)) == (3, 2.6, 0.123456789012346)
    for decimals in (-1, 16):
        with pytest.raises(ValueError, match="must be 0 to 15 decimals"):
            call(2.567, decimals)


@pytest.mark.parametrize(("a", "kind"), [(2**63 - 2, int), (2**63 - 1, float), (2**63, float)])
def test_whole_numbers_stay_whole_up_to_63_bits(a: int, kind: type) -> None:
    for sign in (1, -1):
        found, reason = compile_formula("a + b", NAMES)([sign * a, sign])
        assert (found, type(found), reason) == (kind(sign * (a + 1)), kind, None)
