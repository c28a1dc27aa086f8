"""Rows in arrays and in Decimals: the bytes of the same values in lists."""

from __future__ import annotations

import random
from array import array
from collections.abc import Sequence
from typing import Any

import pytest

from edge_contract._dense import Integers, Singles, columns_of, joined, picked
from edge_contract._dense_forms import plan_block
from edge_contract._forms import Form, plan_columns
from edge_contract._tables import blocks_of, tables_of
from edge_contract.batch import decode, encode
from edge_contract.dense import MAX_DECIMALS, Decimals, all_finite, is_singles
from edge_contract.errors import BatchError
from edge_contract.model import Row, Value

NOW = 1_790_000_000_000
IDS = "0123456789abcdef", 1, "fedcba9876543210", NOW + 100_000
REACHES = (0, 1, 9, 100, 127, 128, 300, 40_000, 2**31 - 1, 2**31, 2**40)
STEPS = (0, 1, 10, 100, 127, 128, 200, 40_000, 10**6)


class Plant:
    """Random blocks of points of one kind, read a few times: dense rows, plain ones of the same values."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.dense: list[Row] = []
        self.plain: list[Row] = []
        self._next = 1
        kind, rounds = self.chance.choice("fdi"), self.chance.choice((1, 1, 2, 3, 4, 5, 10))
        for _ in range(self.chance.choice((1, 1, 2, 3, 8, 30))):
            if self.chance.random() < 0.2:
                kind, rounds = self.chance.choice("fdi"), self.chance.choice((1, 2, 3, 4, 10))
            self._block(kind, rounds)

    def _block(self, kind: str, rounds: int) -> None:
        chance, size = self.chance, self.chance.choice((1, 2, 5, 30, 62))
        numbers = list(range(self._next, self._next + size))
        self._next += size
        if chance.random() < 0.1:
            chance.shuffle(numbers)
        decimals = tuple(chance.choices(range(MAX_DECIMALS + 1), k=size))
        if chance.random() < 0.5:
            decimals = decimals[:1] * size
        reach, step, factor = chance.choice(REACHES), chance.choice(STEPS), chance.choice((1, 1, 10, 1000))
        now = [chance.randint(-reach, reach) for _ in range(size)]
        for turn in range(rounds):
            t_ms = NOW + 1000 * turn + chance.choice((0, 0, 0, 1, 2))
            values = self._values(kind, [number * factor for number in now], decimals)
            self.dense.append(Row(tuple(numbers), t_ms, values))
            self.plain.append(Row(tuple(numbers), t_ms, list(values)))
            now = [number + chance.randint(-step, step) for number in now]

    def _values(self, kind: str, integers: list[int], decimals: tuple[int, ...]) -> Sequence[Value]:
        if kind == "d":
            return Decimals(integers, decimals)
        if kind == "i":
            return integers
        chance = self.chance
        return array("f", [chance.choice((chance.gauss(50, 12), number / 8)) for number in integers])


@pytest.mark.clause("C-042")
@pytest.mark.clause("C-043")
def test_equal_samples_give_equal_bytes_however_they_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(150):
        plant = Plant(seed)
        together = encode(*IDS, plant.dense)
        with monkeypatch.context() as patch:
            patch.setattr("edge_contract._tables.plan_block", lambda columns: plan_columns(list(columns)))
            assert encode(*IDS, plant.plain) == together, f"seed {seed}"
        wanted = sorted(
            (number, row.t_ms, repr(value))
            for row in plant.plain
            for number, value in zip(row.points, row.values, strict=True)
        )
        found = [
            (column.point, t_ms, repr(value))
            for column in decode(together)[1]
            for t_ms, value in zip(column.t_ms, column.values, strict=True)
        ]
        assert sorted(found) == wanted


def test_what_a_field_bus_gives_stays_together() -> None:
    """The plan of dense columns is made at once, not column by column."""
    chance = random.Random(1)
    rows = [Row((1, 2, 3), NOW + n, array("f", [chance.gauss(50, 12) for _ in range(3)])) for n in range(5)]
    (block,) = blocks_of(tables_of(rows))
    ((_, group),) = plan_block(block.columns).items()
    assert group.columns is block.columns


def test_infinite_measurements_are_refused_as_ever() -> None:
    assert all_finite(array("f", [1.0, -3.0, 0.0]))
    for bad in (float("nan"), float("inf"), float("-inf")):
        values = array("f", [50.123, bad, 51.3])
        assert not all_finite(values)
        with pytest.raises(BatchError, match="finite"):
            encode(*IDS, [Row((1, 2, 3), NOW, values)])
    largest = array("f", [3.4e38, -3.4e38, 50.123])
    assert [column.values for column in decode(encode(*IDS, [Row((1, 2, 3), NOW, largest)]))[1]] == [
        [value] for value in largest
    ]


def test_decimals_are_a_sequence_of_floats() -> None:
    values = Decimals([125, -7, 0], (2, 0, 1))
    assert list(values) == [1.25, -7.0, 0.0]
    assert values == [1.25, -7.0, 0.0] and values != [1.25]
    assert (values[0], values[-1], list(values[1:])) == (1.25, 0.0, [-7.0, 0.0])
    assert len(values) == 3 and hash(values) == hash((1.25, -7.0, 0.0))


def test_what_is_not_finite_is_refused_wherever_it_stands() -> None:
    for length in range(1, 9):
        for at in range(length):
            for bad in (float("nan"), float("inf"), float("-inf")):
                values = array("f", [1.0] * length)
                values[at] = bad
                assert not all_finite(values), (length, at, bad)
    patterns = array("f")
    patterns.frombytes(bytes.fromhex("7f7f7f41 ffffff41 ff7fff40 7fff7f3e 00007f00 ffffff00"))
    assert all_finite(patterns), "only the highest byte of a number says so"
    assert is_singles(patterns) and not is_singles(array("d", [1.0])) and not is_singles([1.0])


def test_decimals_have_up_to_six_digits_and_may_be_cut() -> None:
    assert MAX_DECIMALS == 6
    values = Decimals([1_234_567] * 7, tuple(range(7)))
    assert list(values) == [1234567.0, 123456.7, 12345.67, 1234.567, 123.4567, 12.34567, 1.234567]
    assert list(values[5:]) == [12.34567, 1.234567] and values[6] == 1.234567
    assert repr(Decimals([5], (1,))) == "Decimals([0.5])"
    assert values != "1234567" and Decimals([5], (0,)) == Decimals([50], (1,))


def test_columns_are_picked_and_joined_as_lists_are() -> None:
    """Whatever they are held in: one column after the other, in any order, and of several tables."""
    singles = columns_of([array("f", [1, 2, 3]), array("f", [4, 5, 6])])
    integers = columns_of([[1, 2, 3], [4, 5, 6]])
    decimals = columns_of([Decimals([10, 2, 3], (1, 0, 0)), Decimals([40, 5, 6], (1, 0, 0))])
    plain = columns_of([[1, 2.5, None], [4, 5, "x"]])
    assert isinstance(singles, Singles) and isinstance(integers, Integers) and isinstance(decimals, Integers)
    assert list(plain) == [(1, 4), (2.5, 5), (None, "x")]
    for columns in (singles, integers, decimals):
        assert [list(column) for column in columns] == [[1, 4], [2, 5], [3, 6]]
        assert len(columns) == 3 and list(columns[1]) == [2, 5]
        assert [list(column) for column in picked(columns, [2, 0])] == [[3, 6], [1, 4]]
        assert joined([columns]) is columns
        twice = joined([columns, columns])
        assert type(twice) is type(columns) and len(twice) == 6
        assert [list(column) for column in twice] == [[1, 4], [2, 5], [3, 6]] * 2
    assert picked(plain, [2, 0]) == [(None, "x"), (1, 4)]
    mixed = joined([singles, integers, decimals])
    assert [list(column) for column in mixed] == [[1, 4], [2, 5], [3, 6]] * 3
    longer = columns_of([array("f", [7]), array("f", [8]), array("f", [9])])
    assert [list(column) for column in joined([singles, longer])] == [[1, 4], [2, 5], [3, 6], [7, 8, 9]]
    other = joined([integers, decimals])
    assert [type(value) for column in other for value in column] == [int] * 6 + [float] * 6


@pytest.mark.parametrize("limit", [2**31, 2**31 // 100, 2**15, 2**7])
@pytest.mark.parametrize(("count", "rounds"), [(3, 1), (3, 5), (70, 1), (70, 2), (1, 9)])
def test_integers_at_the_limits_of_their_forms(limit: int, count: int, rounds: int) -> None:
    for value in (limit - 1, limit, limit + 1, -limit - 1, -limit, -limit + 1):
        for last in (value, 0, -value):
            made = [[value] * (count - 1) + [last if turn % 2 else value] for turn in range(rounds)]
            numbers = tuple(range(1, count + 1))
            for decimals in (None, 0, 1, 3):
                rows = [
                    Row(
                        numbers, NOW + turn, each if decimals is None else Decimals(each, (decimals,) * count)
                    )
                    for turn, each in enumerate(made)
                ]
                (block,) = blocks_of(tables_of(rows))
                assert told(plan_block(block.columns)) == told(plan_columns(list(block.columns)))


def told(groups: Any) -> dict[Form, list[tuple[int, list[float]]]]:
    return {
        form: [(place, list(column)) for place, column in zip(group.places, group.columns, strict=True)]
        for form, group in groups.items()
    }


@pytest.mark.parametrize("rounds", [1, 2, 5])
@pytest.mark.parametrize("count", [3, 70])
@pytest.mark.parametrize("numbers", [(10, 11, 20), (10, 20, 30), (100, 200, 300), (0, 0, 0), (7, 10, 20)])
def test_decimals_that_all_values_of_a_column_can_do_without(
    numbers: tuple[int, ...], count: int, rounds: int
) -> None:
    for decimals in range(MAX_DECIMALS + 1):
        rows = [
            Row(
                tuple(range(1, count + 1)),
                NOW + turn,
                Decimals([numbers[(turn * (place % 2)) % 3] for place in range(count)], (decimals,) * count),
            )
            for turn in range(rounds)
        ]
        (block,) = blocks_of(tables_of(rows))
        assert told(plan_block(block.columns)) == told(plan_columns(list(block.columns)))
