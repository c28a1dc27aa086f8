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
