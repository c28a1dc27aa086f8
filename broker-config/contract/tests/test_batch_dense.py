"""Rows in arrays and in Decimals: the bytes of the same values in lists."""

from __future__ import annotations

import random
from array import array
from collections.abc import Sequence

import pytest

from edge_contract._dense_forms import plan_block
from edge_contract._forms import plan_columns
from edge_contract._tables import blocks_of, tables_of
from edge_contract.batch import decode, encode
from edge_contract.dense import MOST_DECIMALS, Decimals, all_finite
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
        decimals = tuple(chance.choices(range(MOST_DECIMALS + 1), k=size))
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
