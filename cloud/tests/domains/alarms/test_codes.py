"""Type codes, levels, the steps of handling, and the export's cells."""

from __future__ import annotations

import csv
import io
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.domains.alarms.codes import LEVELS, Level, OwnLevel, codes_of, look
from cloud.domains.alarms.export import COLUMNS, FORMULA, TYPES, guarded, table
from cloud.domains.alarms.schemas import AlarmRow
from cloud.domains.alarms.states import Step, step

TABLE = list(csv.DictReader(Path(__file__).with_name("codes.csv").open(encoding="utf-8")))


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row['code']}-{row['level']}-{row['own_level']}")
def test_every_code_has_its_level(row: dict[str, str]) -> None:
    own = {int(row["own_level"]): OwnLevel("Own", "#123456")} if row["own_level"] else {}
    found = look(int(row["code"]), int(row["level"]) if row["level"] else None, own)
    assert (found.level, found.title, found.color) == (row["shown"], row["title"], row["color"])


def test_the_table_is_the_specification_s() -> None:
    assert set(LEVELS) == {0, 1, 2, 3, 4, *range(101, 109)} == set(TYPES)
    assert codes_of(Level.DANGER) == (1, 101)
    assert codes_of(Level.SUCCESS) == (0, 3)


def test_steps_of_handling() -> None:
    found = {(a, b): step(a, b) for a, b in product(range(3), range(3))}
    assert {pair for pair, kind in found.items() if kind is Step.FREE} == {(0, 1), (0, 2)}
    assert {pair for pair, kind in found.items() if kind is Step.NEEDS_NOTE} == {(1, 0), (2, 0)}
    assert {pair for pair, kind in found.items() if kind is Step.FORBIDDEN} == {
        (0, 0), (1, 1), (2, 2), (1, 2), (2, 1)
    }  # fmt: skip


@given(st.text(max_size=20))
def test_no_text_is_worked_out_by_a_spreadsheet(text: str) -> None:
    cell = guarded(text)
    assert isinstance(cell, str)
    assert not cell.startswith(FORMULA)
    assert cell.removeprefix("'") == text or cell == text


def row(**changes: object) -> AlarmRow:
    words: dict[str, object] = {
        "id": 1, "at": 1_790_000_000_000, "alarm_type": 4, "level": None, "shown": "warning", "status": 0,
        "device_id": 1, "device_title": "=cmd|'/c calc'!A1", "gateway_id": "gw-1", "slave": None,
        "slave_title": None, "dsid": None, "title": "+1", "cause": "link_lost", "value": -3.5, "since_ms": 1,
        "recovered_ms": None, "handled_by": None, "handled_name": "", "handled_ms": None, "note": 'a "b", c',
    }  # fmt: skip
    return AlarmRow(**{**words, **changes})  # type: ignore[arg-type]


def test_export_in_the_reader_s_language_and_time() -> None:
    for language, words in (
        ("zh", ("时间", "上下线报警", "未处理")),
        ("en", ("Time", "Online/offline alarm", "Unhandled")),
    ):
        text = table([row(), row(alarm_type=260)], language, 480)  # type: ignore[arg-type]
        assert text.startswith("\ufeff")
        head, first, second = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
        assert len(head) == len(first) == len(COLUMNS)
        assert (head[0], first[1], first[10]) == words
        assert first[0] == "2026-09-21 22:13:20"
        assert (first[3], first[6], first[8], first[13]) == ("'=cmd|'/c calc'!A1", "'+1", "-3.5", 'a "b", c')
        assert second[1] == "260"
