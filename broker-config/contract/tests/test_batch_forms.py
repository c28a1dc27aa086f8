"""Which form the values of a column get: each kind, each width at its ends, many columns at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest

from edge_contract._forms import LONG, MANY, Form, ValueKind, mostly_raw, narrow, plan, plan_columns
from edge_contract._packing import Reader, Writer
from edge_contract._values import read_values, write_columns
from edge_contract.errors import BatchError

SINGLE = 0.10000000149011612  # what a float32 makes of 0.1
WIDTH_ENDS = [
    (0, 0), (1, 1), (-1, 1), (127, 1), (-128, 1), (128, 2), (-129, 2), (2**15 - 1, 2), (-(2**15), 2),
    (2**15, 4), (-(2**15) - 1, 4), (2**31 - 1, 4), (-(2**31), 4), (2**31, 8), (-(2**31) - 1, 8),
    (2**63 - 1, 8), (-(2**63), 8),
]  # fmt: skip


def forms(columns: Sequence[Sequence[Any]]) -> dict[Form, tuple[list[int], list[list[Any]]]]:
    """Places and what is written, by form."""
    return {
        form: (found.places, [list(column) for column in found.columns])
        for form, found in plan_columns(columns).items()
    }


def test_the_numbers_of_the_kinds_are_part_of_the_contract() -> None:
    assert [kind.value for kind in ValueKind] == list(range(9))
    assert [kind.name for kind in ValueKind][-3:] == ["TEXT", "UINT64", "MIXED"]
    assert Form(ValueKind.INT) == Form(ValueKind.INT, decimals=0, width=0, delta=False)


@pytest.mark.parametrize(
    ("values", "form"),
    [
        ([None, None], Form(ValueKind.NONE)),
        ([True, False], Form(ValueKind.BOOL)),
        (["a", ""], Form(ValueKind.TEXT)),
        ([1, 1.0], Form(ValueKind.MIXED)),
        ([1, None], Form(ValueKind.MIXED)),
        ([2**63], Form(ValueKind.UINT64)),
        ([2**64 - 1, 2**63], Form(ValueKind.UINT64)),
        ([2**63, 1], Form(ValueKind.MIXED)),
        ([2**63, 2**63 - 1], Form(ValueKind.MIXED)),
        ([math.pi], Form(ValueKind.FLOAT64)),
        ([SINGLE], Form(ValueKind.FLOAT32)),
        ([SINGLE, math.pi], Form(ValueKind.FLOAT64)),
        ([-0.0], Form(ValueKind.FLOAT32)),
        ([-0.0, 1.5], Form(ValueKind.FLOAT32)),
        ([2.0**31], Form(ValueKind.FLOAT32)),
        ([2.0**31 + 1], Form(ValueKind.FLOAT64)),
        ([2.0**53, 2.0**53 - 1], Form(ValueKind.FLOAT64)),
        ([-(2.0**53), -(2.0**53) + 1], Form(ValueKind.FLOAT64)),
        ([2.0**53 / 10, 0.1], Form(ValueKind.FLOAT64)),
        ([1.5, 0.25, SINGLE, 0.5], Form(ValueKind.FLOAT32)),
        ([1e-7], Form(ValueKind.FLOAT64)),
        *(([value], Form(ValueKind.INT, width=width)) for value, width in WIDTH_ENDS),
    ],
)
def test_a_column_that_is_written_as_it_is(values: list[Any], form: Form) -> None:
    assert plan(values) == (form, values)


@pytest.mark.parametrize(
    ("values", "form", "written"),
    [
        ([0.0], Form(ValueKind.DECIMAL), [0]),
        ([7.0], Form(ValueKind.DECIMAL, 0, 1), [7]),
        ([1.5], Form(ValueKind.DECIMAL, 1, 1), [15]),
        ([-1.5, 1.25, 0.5], Form(ValueKind.DECIMAL, 2, 2), [-150, 125, 50]),
        ([0.125], Form(ValueKind.DECIMAL, 3, 1), [125]),
        ([0.000001], Form(ValueKind.DECIMAL, 6, 1), [1]),
        ([2.0**31 - 1], Form(ValueKind.DECIMAL, 0, 4), [2**31 - 1]),
        ([2.0**53 - 2, 2.0**53 - 1], Form(ValueKind.DECIMAL, 0, 1, True), [2**53 - 2, 1]),
        ([1 - 2.0**53, 2 - 2.0**53], Form(ValueKind.DECIMAL, 0, 1, True), [1 - 2**53, 1]),
        ([1000, 1001, 999], Form(ValueKind.INT, 0, 1, True), [1000, 1, -2]),
        ([1000, 1128], Form(ValueKind.INT, 0, 2), [1000, 1128]),
        ([1000, 1127], Form(ValueKind.INT, 0, 1, True), [1000, 127]),
        ([5, 5], Form(ValueKind.INT, 0, 0, True), [5, 0]),
        ([0, 0], Form(ValueKind.INT), [0, 0]),
        ([1, 2], Form(ValueKind.INT, 0, 1), [1, 2]),
    ],
)
def test_a_column_that_gets_narrower(values: list[Any], form: Form, written: list[int]) -> None:
    assert plan(values) == (form, written)


@pytest.mark.parametrize("values", [[b"a"], [2**64], [-(2**63) - 1], [math.inf], [1.0, math.nan]])
def test_what_has_no_form(values: list[Any]) -> None:
    with pytest.raises(BatchError):
        plan(values)
    with pytest.raises(BatchError):
        plan_columns([values[-1:]] * MANY)


def test_large_numbers_are_finite_though_their_sum_is_not() -> None:
    assert plan([1.7e308, 1.7e308]) == (Form(ValueKind.FLOAT64), [1.7e308, 1.7e308])


def test_differences_are_of_one_kind_with_what_they_are_differences_of() -> None:
    assert narrow(ValueKind.DECIMAL, 3, [1000, 1001]) == (Form(ValueKind.DECIMAL, 3, 1, True), [1000, 1])
    assert narrow(ValueKind.DECIMAL, 3, [1000]) == (Form(ValueKind.DECIMAL, 3, 2), [1000])


@pytest.mark.parametrize(
    ("probes", "raw"),
    [
        ([], False),
        ([SINGLE], True),
        ([1.5], False),
        ([SINGLE] * 3 + [1.5], False),
        ([SINGLE] * 4 + [1.5], True),
        ([0.000001], False),
        ([2.0**31], True),
        ([2.0**31 - 1], False),
        ([-(2.0**31)], True),
        ([1 - 2.0**31], False),
    ],
)
def test_numbers_of_a_device_are_told_from_decimals(probes: list[float], raw: bool) -> None:
    assert mostly_raw(probes) is raw


@pytest.mark.parametrize(("value", "width"), WIDTH_ENDS)
def test_many_short_columns_of_integers(value: int, width: int) -> None:
    places = list(range(MANY))
    assert forms([[value]] * MANY) == {Form(ValueKind.INT, width=width): (places, [[value]] * MANY)}


@pytest.mark.parametrize(
    ("value", "form", "written"),
    [
        (0.0, Form(ValueKind.DECIMAL, 2, 0), 0),
        (-0.0, Form(ValueKind.FLOAT32), -0.0),
        (0.5, Form(ValueKind.DECIMAL, 2, 1), 50),
        (1.5, Form(ValueKind.DECIMAL, 2, 2), 150),
        (-1.28, Form(ValueKind.DECIMAL, 2, 1), -128),
        (0.015625, Form(ValueKind.DECIMAL, 6, 2), 15625),  # a 64th
        (0.0078125, Form(ValueKind.FLOAT32), 0.0078125),
        (0.1234, Form(ValueKind.DECIMAL, 4, 2), 1234),
        (0.123456, Form(ValueKind.DECIMAL, 6, 4), 123456),
        (0.1234567, Form(ValueKind.FLOAT64), 0.1234567),
        (21474836.47, Form(ValueKind.DECIMAL, 2, 4), 2**31 - 1),
        (21474836.48, Form(ValueKind.FLOAT64), 21474836.48),
        (-21474836.47, Form(ValueKind.DECIMAL, 2, 4), 1 - 2**31),
        (-21474836.48, Form(ValueKind.FLOAT64), -21474836.48),
        (2.0**31, Form(ValueKind.FLOAT32), 2.0**31),
        (SINGLE, Form(ValueKind.FLOAT32), SINGLE),
        (math.pi, Form(ValueKind.FLOAT64), math.pi),
    ],
)
def test_many_short_columns_of_floats(value: float, form: Form, written: float) -> None:
    columns = [[value]] * MANY + [["text"]]
    found = forms(columns)
    assert found.pop(Form(ValueKind.TEXT)) == ([MANY], [["text"]])
    assert found == {form: (list(range(MANY)), [[written]] * MANY)}
    assert math.copysign(1, found[form][1][0][0]) == math.copysign(1, value)


def test_few_columns_and_long_ones_are_planned_one_by_one() -> None:
    short, each = [1000, 1001, 1002], Form(ValueKind.INT, 0, 1, True)
    assert list(forms([short] * 21)) == [each]
    assert list(forms([short] * 22)) == [Form(ValueKind.INT, 0, 2)]
    assert list(forms([[*short, 1003]] * MANY)) == [each]
    assert LONG == 4
    assert list(forms([[0.5]] * (MANY - 1))) == [Form(ValueKind.DECIMAL, 1, 1)]


def test_only_columns_of_the_shortest_length_and_one_type_go_together() -> None:
    columns: list[list[Any]] = [[300]] * MANY + [[300, 301], [0.5], [True]]
    assert forms(columns) == {
        Form(ValueKind.INT, 0, 2): (list(range(MANY)), [[300]] * MANY),
        Form(ValueKind.INT, 0, 1, True): ([MANY], [[300, 1]]),
        Form(ValueKind.DECIMAL, 1, 1): ([MANY + 1], [[5]]),
        Form(ValueKind.BOOL): ([MANY + 2], [[True]]),
    }
    pairs: list[list[Any]] = [[1, 1]] * 32 + [[1, True], [1, 1, 1]]
    assert forms(pairs) == {
        Form(ValueKind.INT, 0, 1): (list(range(32)), [[1, 1]] * 32),
        Form(ValueKind.MIXED): ([32], [[1, True]]),
        Form(ValueKind.INT, 0, 0, True): ([33], [[1, 0, 0]]),
    }


def test_many_integers_of_which_one_needs_all_its_bits() -> None:
    columns = [[5], [2**63]] * (MANY // 2)
    odd = list(range(1, MANY, 2))
    assert forms(columns)[Form(ValueKind.UINT64)] == (odd, [[2**63]] * len(odd))
    assert forms(columns)[Form(ValueKind.INT, 0, 1)][0] == list(range(0, MANY, 2))


def test_the_places_of_a_form_rise() -> None:
    columns = [[0.5, 0.5], [0.1234, 0.5], [math.pi, 0.5], [SINGLE, SINGLE], [1.5, 0.25]] * 8
    found = forms(columns)
    assert {form: places[:2] for form, (places, _) in found.items()} == {
        Form(ValueKind.DECIMAL, 2, 1): [0, 5],
        Form(ValueKind.DECIMAL, 4, 2): [1, 6],
        Form(ValueKind.FLOAT64): [2, 7],
        Form(ValueKind.FLOAT32): [3, 8],
        Form(ValueKind.DECIMAL, 2, 2): [4, 9],
    }
    assert all(places == sorted(places) and len(places) == 8 for places, _ in found.values())
    assert found[Form(ValueKind.DECIMAL, 4, 2)][1][0] == [1234, 5000]


def test_raw_measurements_are_taken_all_at_once() -> None:
    columns = [[SINGLE, 0.5]] * 3
    assert forms([[SINGLE] * 4] * 3) == {Form(ValueKind.FLOAT32): ([0, 1, 2], [[SINGLE] * 4] * 3)}
    assert forms(columns) == {Form(ValueKind.FLOAT32): ([0, 1, 2], columns)}
    assert list(forms([[math.pi] * 4] * 3)) == [Form(ValueKind.FLOAT64)]


def test_the_numbers_of_the_classes_in_a_mixed_column_are_part_of_the_contract() -> None:
    """Runs of a class and a length: none, true or false, integer, number, text, integer from 2**63."""
    values = [None, True, 7, 0.5, "x", 2**63, 2**63, 2**63 - 1]
    writer = Writer()
    write_columns(writer, Form(ValueKind.MIXED), [values])
    assert bytes(writer.data[:14]).hex(" ", 2) == "0001 0101 0201 0301 0401 0502 0201"
    assert read_values(Reader(bytes(writer.data)), Form(ValueKind.MIXED), [8]) == values
    with pytest.raises(BatchError, match="run: class 0 to 5, length at least 1"):
        read_values(Reader(b"\x06\x01"), Form(ValueKind.MIXED), [1])
    with pytest.raises(BatchError, match="run: class 0 to 5, length at least 1"):
        read_values(Reader(b"\x05\x00"), Form(ValueKind.MIXED), [1])
