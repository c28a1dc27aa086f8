"""The workbook of alarm events, read back."""

from __future__ import annotations

import asyncio
import io
import time
import zipfile
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from cloud.domains.alarms import service
from cloud.domains.alarms.export import COLUMNS, WIDTHS, workbook
from cloud.domains.alarms.schemas import AlarmQuery, AlarmRow
from cloud.domains.alarms.service import MAX_EXPORTED
from cloud.errors import Busy

from .conftest import Scene

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
    return load_workbook(io.BytesIO(workbook(rows, language, offset_min))).active


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("zh", ("报警事件", "时间 (UTC+08:00)", "上下线报警", "未处理")),
        ("en", ("Alarm events", "Time (UTC+08:00)", "Online/offline alarm", "Unhandled")),
    ],
)  # fmt: skip
def test_in_the_reader_s_language_and_time(language: str, words: tuple[str, ...]) -> None:
    sheet = sheet_of(row(), row(alarm_type=260, handled_ms=0), language=language, offset_min=480)
    head, first, second = sheet.iter_rows()
    assert (sheet.title, head[0].value, first[1].value, first[10].value) == words
    assert [cell.column for cell in head if "UTC+08:00" in cell.value] == [1, 10, 13]
    assert len(head) == len(COLUMNS) == len(WIDTHS)
    assert all(cell.font.bold for cell in head) and not first[3].font.bold
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:N3")
    assert (first[0].value, first[0].is_date) == (datetime(2026, 9, 21, 22, 13, 20), True)  # noqa: DTZ001
    assert second[12].value == datetime(1970, 1, 1, 8)  # noqa: DTZ001
    assert (first[8].value, first[9].value, first[13].value) == (-3.5, None, 'a "b", c')
    assert second[1].value == "260"


def test_west_of_utc_and_before_its_beginning() -> None:
    (_, first) = sheet_of(row(at=0), offset_min=-90).iter_rows()
    assert first[0].value == datetime(1969, 12, 31, 22, 30)  # noqa: DTZ001


@pytest.mark.parametrize(
    "text", ["=1+1", "=cmd|'/c calc'!A1", "+1", "-1", "@SUM(1)", "\t=1", "#REF!", "'x", "1"]
)
def test_a_text_stays_text(text: str) -> None:
    book = workbook([row(title=text)], "en", 0)
    (_, first) = load_workbook(io.BytesIO(book)).active.iter_rows()  # type: ignore[union-attr]
    assert (first[6].value, first[6].data_type) == (text, "s")
    assert first[6].quotePrefix == text.startswith(("=", "#", "+", "-", "@", "\t"))
    with zipfile.ZipFile(io.BytesIO(book)) as parts:
        assert b"<f>" not in parts.read("xl/worksheets/sheet1.xml")


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=20), st.one_of(st.floats(), st.integers(), st.booleans(), st.none(), st.text(max_size=5))
)
def test_whatever_comes_the_file_opens(text: str, value: Any) -> None:
    (_, first) = sheet_of(row(title=text, value=value)).iter_rows()
    assert first[6].data_type in {"s", "n"} and first[8].data_type in {"s", "n", "b"}
    if text.isprintable() and text:
        assert first[6].value == text


def test_what_no_xml_may_have_is_replaced() -> None:
    (_, first) = sheet_of(row(title="a\x00\x1b\ufffe\ud800b", value=float("nan"))).iter_rows()
    assert (first[6].value, first[8].value) == ("a\ufffd\ufffd\ufffd\ufffdb", "nan")


def test_the_most_events_are_bounded() -> None:
    began_s = time.process_time()
    book = workbook([row(note="n" * 100)] * MAX_EXPORTED, "zh", 480)
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
