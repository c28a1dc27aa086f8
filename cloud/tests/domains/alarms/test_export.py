"""The workbook of alarm events, read back."""

from __future__ import annotations

import asyncio
import io
import json
import time
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from cloud.domains.alarms import service
from cloud.domains.alarms.export import COLUMNS, workbook
from cloud.domains.alarms.schemas import AlarmQuery, AlarmRow
from cloud.domains.alarms.service import MAX_EXPORTED
from cloud.domains.alarms.words import CAUSES, STATES, STATUSES
from cloud.errors import Busy

from .conftest import LEVELS, Scene

ROOT = Path(__file__).resolve().parents[4]
AT_MS = 1_790_000_000_999
MOST_S = 60.0
"""Of processor time for the most events: two seconds as a rule; more than this would be no bound."""


def row(**changes: object) -> AlarmRow:
    words: dict[str, object] = {
        "id": 1, "at": AT_MS, "alarm_type": 4, "level": None, "shown": "warning", "status": 0,
        "device_id": 1, "device_title": "=cmd|'/c calc'!A1", "gateway_id": "gw-1", "slave": None,
        "slave_title": None, "dsid": None, "title": "=1+1", "cause": "link_lost", "value": -3.5,
        "since_ms": 1, "recovered_ms": None, "handled_by": None, "handled_name": "", "handled_ms": None,
        "note": 'a "b", c',
    }  # fmt: skip
    return AlarmRow(**{**words, **changes})  # type: ignore[arg-type]


def sheet_of(*rows: AlarmRow, language: Any = "en", offset_min: int = 0) -> Any:
    return load_workbook(io.BytesIO(workbook(rows, language, offset_min, LEVELS))).active


def cells(line: Any) -> dict[str, Any]:
    """Of a row, by the English names of the columns."""
    return {words["en"]: cell for (words, _), cell in zip(COLUMNS, line, strict=True)}


def told(sheet: Any) -> dict[str, Any]:
    """Values of the first event, without those that are empty."""
    return {name: cell.value for name, cell in cells(list(sheet.iter_rows())[1]).items() if cell.value}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("zh", ("报警事件", "时间 (UTC+08:00)", "上下线报警", "未处理")),
        ("en", ("Alarm events", "Time (UTC+08:00)", "Online/offline alarm", "Unhandled")),
    ],
)  # fmt: skip
def test_in_the_reader_s_language_and_time(language: str, words: tuple[str, ...]) -> None:
    changed = row(alarm_type=260, handled_ms=0, acked_ms=60_000)
    sheet = sheet_of(row(), changed, language=language, offset_min=480)
    head, *lines = sheet.iter_rows()
    first, second = (cells(line) for line in lines)
    assert (sheet.title, head[0].value, first["Type"].value, first["Handling"].value) == words
    assert [cell.column for cell in head if "UTC+08:00" in cell.value] == [1, 13, 16, 19]
    assert len(head) == len(COLUMNS)
    assert all(cell.font.bold for cell in head) and not first["Device"].font.bold
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:T3")
    assert (first["Time"].value, first["Time"].is_date) == (datetime(2026, 9, 21, 22, 13, 20), True)  # noqa: DTZ001
    assert second["Handled"].value == datetime(1970, 1, 1, 8)  # noqa: DTZ001
    assert second["Acknowledged"].value == datetime(1970, 1, 1, 8, 1)  # noqa: DTZ001
    assert (first["Value"].value, first["Recovered"].value, first["Note"].value) == (-3.5, None, 'a "b", c')
    assert (second["Type"].value, second["Type code"].value, second["Level"].value) == ("260", 260, None)


LIMIT = {"condition": {"type": 1, "dsid": 4, "trigger_optype": 1, "trigger_threshold": 80.0}}
POINT = {"ds_type": "num", "data_type": "float", "unit": "°C", "decimals": 1}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("zh", ("越限报警", "危险", "> 80 °C", "°C", "已确认", "触发器已修改或停用", "误报")),
        ("en", ("Over-limit alarm", "Danger", "> 80 °C", "°C", "Acknowledged",
                "trigger changed or switched off", "False alarm")),
    ],
)  # fmt: skip
def test_what_was_passed_by_how_much_and_who_has_seen_it(language: str, words: tuple[str, ...]) -> None:
    changes: dict[str, object] = {
        "alarm_type": 1, "value": 98.5, "point": POINT, "reason": LIMIT, "state": "acknowledged",
        "acked_name": "Li", "acked_ms": 60_000, "status": 2, "cause": "rule_changed",
    }  # fmt: skip
    found = told(sheet_of(row(**changes), language=language))
    names = ("Type", "Level", "Limit or condition", "Unit", "State", "Cause", "Handling")
    assert tuple(found[name] for name in names) == words
    assert (found["Type code"], found["Value"], found["Acknowledged by"]) == (1, 98.5, "Li")
    assert found["Acknowledged"] == datetime(1970, 1, 1, 0, 1)  # noqa: DTZ001


def test_an_own_level_by_its_title_and_a_switch_by_its_positions() -> None:
    found = told(sheet_of(row(alarm_type=201)))
    assert (found["Type"], found["Type code"], found["Level"]) == ("Urgent", 201, "Urgent")
    assert told(sheet_of(row(alarm_type=260, level=7)))["Level"] == "Mild"
    switch = {**POINT, "ds_type": "swh", "unit": "", "on_text": "closed", "off_text": "open"}
    reason = {"condition": {"type": 1, "dsid": 4, "trigger_optype": 5, "trigger_threshold": 1}}
    found = told(sheet_of(row(alarm_type=2, value=True, point=switch, reason=reason)))
    assert (found["Value"], found["Limit or condition"]) == ("closed", "= closed")


def test_what_nobody_knows_is_empty() -> None:
    found = told(sheet_of(row(alarm_type=0, state="normal", cause="")))
    assert not {"State", "Limit or condition", "Unit", "Cause", "Acknowledged", "Acknowledged by"} & set(
        found
    )
    found = told(sheet_of(row(cause="brand_new", reason={"condition": {"type": 99}})))
    assert (found["Cause"], "Limit or condition" in found) == ("brand_new", False)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_words_are_the_portal_s(language: str) -> None:
    words = json.loads((ROOT / f"web/src/i18n/locales/{language}.json").read_text("utf-8"))
    assert words["code"]["alarmState"] == STATES[language]
    assert {str(code): name for code, name in STATUSES[language].items()} == words["code"]["alarmLog"]
    assert CAUSES[language].items() <= words["reason"].items()
    assert set(CAUSES["zh"]) == set(CAUSES["en"])


def test_west_of_utc_and_before_its_beginning() -> None:
    (_, first) = sheet_of(row(at=0), offset_min=-90).iter_rows()
    assert first[0].value == datetime(1969, 12, 31, 22, 30)  # noqa: DTZ001


@pytest.mark.parametrize(
    "text", ["=1+1", "=cmd|'/c calc'!A1", "+1", "-1", "@SUM(1)", "\t=1", "#REF!", "'x", "1"]
)
def test_a_text_stays_text(text: str) -> None:
    book = workbook([row(title=text)], "en", 0, {})
    (_, first) = load_workbook(io.BytesIO(book)).active.iter_rows()  # type: ignore[union-attr]
    title = cells(first)["Description"]
    assert (title.value, title.data_type) == (text, "s")
    assert title.quotePrefix == text.startswith(("=", "#", "+", "-", "@", "\t"))
    with zipfile.ZipFile(io.BytesIO(book)) as parts:
        assert b"<f>" not in parts.read("xl/worksheets/sheet1.xml")


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=20), st.one_of(st.floats(), st.integers(), st.booleans(), st.none(), st.text(max_size=5))
)
def test_whatever_comes_the_file_opens(text: str, value: Any) -> None:
    (_, first) = sheet_of(row(title=text, value=value)).iter_rows()
    title = cells(first)["Description"]
    assert title.data_type in {"s", "n"} and cells(first)["Value"].data_type in {"s", "n", "b"}
    if text.isprintable() and text:
        assert title.value == text


def test_what_no_xml_may_have_is_replaced() -> None:
    (_, first) = sheet_of(row(title="a\x00\x1b\ufffe\ud800b", value=float("nan"))).iter_rows()
    first = cells(first)
    assert (first["Description"].value, first["Value"].value) == ("a\ufffd\ufffd\ufffd\ufffdb", "nan")


def test_the_most_events_are_bounded() -> None:
    began_s = time.process_time()
    book = workbook([row(note="n" * 100)] * MAX_EXPORTED, "zh", 480, {})
    assert time.process_time() - began_s < MOST_S
    assert len(book) < 2_000_000
    with zipfile.ZipFile(io.BytesIO(book)) as parts:
        assert parts.read("xl/worksheets/sheet1.xml").count(b"<row ") == MAX_EXPORTED + 1


async def test_one_at_a_time_and_nobody_waits_for_ever(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    user = await scene.user("reader")
    monkeypatch.setattr(service, "EXPORT_WAIT_S", 0.05)
    async with scene.alarms._exporting:
        with pytest.raises(Busy):
            await scene.alarms.workbook(user, AlarmQuery(), "en", 0)
    both = [scene.alarms.workbook(user, AlarmQuery(), "en", 0) for _ in range(2)]
    monkeypatch.setattr(service, "EXPORT_WAIT_S", 8.0)
    assert all(book.startswith(b"PK") for book in await asyncio.gather(*both))
