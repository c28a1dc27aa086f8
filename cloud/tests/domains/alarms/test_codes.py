"""Type codes, levels, and the steps of handling."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

import pytest

from cloud.domains.alarms.codes import LEVELS, AlarmType, Level, OwnLevel, codes_of, look
from cloud.domains.alarms.states import StatusChange, status_change
from cloud.domains.alarms.words import ALARM_TYPES

TABLE = list(csv.DictReader(Path(__file__).with_name("codes.csv").open(encoding="utf-8")))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['code']}-{row['level']}-{row['own_level']}")
def test_every_code_has_its_level(row: dict[str, str]) -> None:
    own = {int(row["own_level"]): OwnLevel("Own", "#123456")} if row["own_level"] else {}
    found = look(int(row["code"]), int(row["level"]) if row["level"] else None, own)
    assert (found.level, found.title, found.color) == (row["shown"], row["title"], row["color"])


def test_the_table_is_the_specification_s_with_limit_warnings() -> None:
    assert (
        set(LEVELS) == {0, 1, 2, 3, 4, *range(101, 109)} | {AlarmType.LIMIT_WARNING} == set(ALARM_TYPES["en"])
    )
    assert codes_of(Level.DANGER) == (1, 101)
    assert codes_of(Level.SUCCESS) == (0, 3)


def test_steps_of_handling() -> None:
    found = {(a, b): status_change(a, b) for a, b in product(range(3), range(3))}
    assert {pair for pair, kind in found.items() if kind is StatusChange.FREE} == {(0, 1), (0, 2)}
    assert {pair for pair, kind in found.items() if kind is StatusChange.NEEDS_NOTE} == {(1, 0), (2, 0)}
    assert {pair for pair, kind in found.items() if kind is StatusChange.FORBIDDEN} == {
        (0, 0), (1, 1), (2, 2), (1, 2), (2, 1)
    }  # fmt: skip
