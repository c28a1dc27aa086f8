"""Cells of a sheet as values of fields, and back: every kind, each bound from both sides."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from cloud.core.xlsx import Cell, NoValue
from cloud.core.xlsx.cells import EXACT, FORMULA
from cloud.domains.sheets.columns import Kind
from cloud.domains.sheets.values import WrongValue, cell_of, check_held, is_same, value_of

MOMENT = datetime(2026, 1, 2, 3, 4, 5)  # noqa: DTZ001 - a cell has no zone
MOMENT_MS = 1_767_323_045_000


@pytest.mark.parametrize("kind", ["text", "int", "number", "bool", "time", "any", "json", "name"])
def test_spaces_are_no_value_and_an_error_is_one_of_its_own(kind: Kind) -> None:
    assert value_of("   ", kind) is None
    for text, code in ((FORMULA, "formula_without_value"), ("#REF!", "error_value")):
        with pytest.raises(WrongValue) as wrong:
            value_of(NoValue(text), kind)
        assert wrong.value.code == code


@pytest.mark.parametrize(
    ("cell", "kind", "value"),
    [
        (" a b ", "text", "a b"),
        (True, "text", "true"),
        (False, "text", "false"),
        (7, "text", "7"),
        (MOMENT, "text", "2026-01-02 03:04:05"),
        ("-12", "int", -12),
        ("+7", "int", 7),
        (2**64 - 1, "int", 2**64 - 1),
        (1 - 2**64, "int", 1 - 2**64),
        ("12", "number", 12),
        ("1.5", "number", 1.5),
        (" 1e3 ", "number", 1000.0),
        (2**64 - 1, "number", 2**64 - 1),
        (2.0**64, "number", 2.0**64),
        (True, "bool", True),
        (False, "bool", False),
        (1, "bool", True),
        (0, "bool", False),
        ("YES", "bool", True),
        ("关", "bool", False),
        (946_684_800_000, "time", 946_684_800_000),
        (7_258_118_399_999, "time", 7_258_118_399_999),
        (946_684_800_000.5, "time", 946_684_800_000),
        (MOMENT, "time", MOMENT_MS),
        (MOMENT + timedelta(microseconds=1999), "time", MOMENT_MS + 1),
        ("2026-01-02T03:04:05Z", "time", MOMENT_MS),
        ("2026-01-02 11:04:05+08:00", "time", MOMENT_MS),
        ("1970-01-01", "time", 0),
        (MOMENT, "any", "2026-01-02 03:04:05"),
        ('{"a": [1]}', "any", {"a": [1]}),
        ('"7"', "any", "7"),
        ("text", "any", "text"),
        (1.5, "any", 1.5),
        (True, "any", True),
        ("[1]", "json", [1]),
        ('"a"', "json", "a"),
        ("Pump", "name", "Pump"),
        ("12", "name", 12),
        (12, "name", 12),
    ],
)
def test_a_cell_as_a_value(cell: Cell, kind: Kind, value: Any) -> None:
    found = value_of(cell, kind)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("cell", "kind", "code"),
    [
        (2**64, "int", "int"),
        (-(2**64), "int", "int"),
        ("123456789012345678901", "int", "int"),
        (1.5, "int", "int"),
        (True, "int", "int"),
        ("a", "int", "int"),
        ("a", "number", "number"),
        (True, "number", "number"),
        ("inf", "number", "number"),
        ("nan", "number", "number"),
        (2**64, "number", "number"),
        (-(2**64), "number", "number"),
        (MOMENT, "number", "number"),
        (2, "bool", "bool"),
        ("perhaps", "bool", "bool"),
        (946_684_799_999, "time", "time_number"),
        (7_258_118_400_000, "time", "time_number"),
        (46_387, "time", "time_number"),
        ("yesterday", "time", "time"),
        (True, "time", "time"),
        ("1969-12-31T23:59:59", "time", "time"),
        (float("inf"), "any", "number"),
        ("{", "any", "json"),
        ("7", "json", "json"),
        ("{", "json", "json"),
        (1.5, "name", "int"),
    ],
)
def test_what_a_column_does_not_take(cell: Cell, kind: Kind, code: str) -> None:
    with pytest.raises(WrongValue) as wrong:
        value_of(cell, kind)
    assert wrong.value.code == code


@pytest.mark.parametrize(
    ("value", "kind", "cell"),
    [
        (None, "json", None),
        (True, "bool", True),
        (1.5, "number", 1.5),
        (True, "json", "true"),
        (1.5, "json", "1.5"),
        (MOMENT_MS, "time", "2026-01-02T03:04:05Z"),
        ({"b": 1, "a": "é"}, "any", '{"a": "é", "b": 1}'),
        ([1], "text", "[1]"),
        ("[", "any", '"["'),
        ("[", "text", "["),
        ("é", "any", "é"),
        ('"é', "any", '"\\"é"'),
        (EXACT - 1, "int", EXACT - 1),
        (1 - EXACT, "int", 1 - EXACT),
        (EXACT, "int", str(EXACT)),
        (-EXACT, "int", str(-EXACT)),
    ],
)
def test_a_value_as_a_cell(value: Any, kind: Kind, cell: Cell) -> None:
    found = cell_of(value, kind)
    assert (found, type(found)) == (cell, type(cell))


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        (2, 2.0, True),
        (2, 3, False),
        (True, True, True),
        (True, 1, False),
        (1, True, False),
        ("2", 2, True),
        (" 2 ", 2, True),
        ("2", 3, False),
        ("None", None, False),
        ("[1]", [1], False),
        ("{}", {}, False),
        (EXACT, str(EXACT), True),
        (-EXACT, str(-EXACT), True),
        (EXACT - 1, str(EXACT - 1), False),
        (EXACT, str(EXACT + 1), False),
        ("a ", " a", True),
        ("a", "b", False),
        (None, None, True),
        (None, 0, False),
        ([1], [1], True),
    ],
)
def test_whether_a_value_is_the_one_that_was_there(before: Any, after: Any, same: bool) -> None:
    assert is_same(before, after) is same


@pytest.mark.parametrize(
    ("value", "levels"),
    [
        ([], 0),
        ({"a": [1]}, 2),
        ([["a"]], 2),
        (2**64 - 1, 0),
        (-(2**63), 0),
        ({"a": True}, 1),
    ],
)
def test_what_a_configuration_can_hold(value: Any, levels: int) -> None:
    check_held(value, levels)


@pytest.mark.parametrize(
    ("value", "levels", "code"),
    [
        (1, -1, "json_deep"),
        ([1], 0, "json_deep"),
        ({"a": 1}, 0, "json_deep"),
        ({"a": [1]}, 1, "json_deep"),
        ("\ud800", 5, "printable"),
        ({"\ud800": 1}, 5, "printable"),
        ([float("nan")], 5, "finite"),
        (2**64, 5, "bits64"),
        (-(2**63) - 1, 5, "bits64"),
    ],
)
def test_what_no_configuration_can_hold(value: Any, levels: int, code: str) -> None:
    with pytest.raises(WrongValue) as wrong:
        check_held(value, levels)
    assert wrong.value.code == code


def test_a_time_before_the_calendar_begins_elsewhere() -> None:
    cell = datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))
    with pytest.raises(WrongValue):
        value_of(cell, "time")
    assert value_of(MOMENT.replace(tzinfo=UTC), "time") == MOMENT_MS
