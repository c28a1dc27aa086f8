"""Files of cards: what is read, errors by row, preview and import, an export that comes back unchanged."""

from __future__ import annotations

import io
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.core.xlsx import Cell, Column, NoValue, Sheet, WrongFile, write_workbook
from cloud.domains.sim_cards import importing, sheets
from cloud.domains.sim_cards.columns import COLUMNS, MIB, WrongCell, cell_of, recognised, value_of
from cloud.domains.sim_cards.schemas import CardFilter, SimCardBody, SimCardImportPreview
from cloud.domains.sim_cards.sheets import read_sheet
from cloud.errors import Conflict, ParameterError

from .conftest import CARD, OTHER, Scene

HEAD = [
    "ICCID",
    "运营商",
    "Status",
    "套餐流量 (MB)",
    "已用流量 (MB)",
    "已用流量截至日期",
    "到期日期",
    "Colour",
]


def csv(*rows: str, head: str = "ICCID,Supplier,Plan data (MB),Used data (MB),Used until") -> bytes:
    return "\r\n".join([head, *rows]).encode("utf-8-sig")


def book(*rows: list[Cell], head: list[str] = HEAD) -> bytes:
    file = io.BytesIO()
    write_workbook(file, [Sheet("x", [Column(title) for title in head], rows)])
    return file.getvalue()


async def imported(
    scene: Scene, content: bytes, name: str = "a.csv", user: Any = None
) -> SimCardImportPreview:
    user = user or scene.x
    preview = await scene.files.preview(user, content, name)
    result = await scene.files.apply(user, content, name, preview.digest)
    assert (result.added, result.changed, result.billed, result.wrong) == (
        preview.added, preview.changed, preview.billed, preview.wrong
    )  # fmt: skip
    return preview


@pytest.mark.parametrize(
    ("cell", "kind", "value"),
    [
        ("8986 0012 3456 7890 1234", "iccid", CARD),
        ('="89860012345678901234"', "iccid", CARD),
        (" x ", "text", "x"),
        (12, "text", "12"),
        ("1,024", "data", 1024 * MIB),
        (0.5, "data", MIB // 2),
        ("12.5", "money", 1250),
        (-3, "money", -300),
        ("2026/3/1", "day", date(2026, 3, 1)),
        ("20260301", "day", date(2026, 3, 1)),
        ("2026年3月1日", "day", date(2026, 3, 1)),
        ("2026-03-01 00:00:00", "day", date(2026, 3, 1)),
        (datetime.fromisoformat("2026-03-01T05:00"), "day", date(2026, 3, 1)),
        ("是", "yes", True),
        (0, "yes", False),
        ("中国移动", "operator", "cmcc"),
        ("china telecom", "operator", "ctcc"),
        ("active", "status", "active"),
        ("停机", "status", "suspended"),
        ("  ", "data", None),
        (None, "iccid", None),
    ],
)
def test_cells(cell: Cell, kind: Any, value: Any) -> None:
    assert value_of(cell, kind) == value


@pytest.mark.parametrize(
    ("cell", "kind", "code"),
    [
        (8.98600123456789e19, "iccid", "digits_lost"),
        ("8.98601E+19", "iccid", "digits_lost"),
        ("1234", "iccid", "iccid"),
        ("x", "data", "number"),
        (True, "data", "number"),
        ("nan", "money", "number"),
        ("2026-02-30", "day", "day"),
        (46387, "day", "day"),
        ("maybe", "yes", "bool"),
        ("Vodafone", "operator", "one_of"),
        (NoValue("#REF!"), "text", "error_value"),
        (NoValue("="), "text", "formula_without_value"),
    ],
)
def test_cells_that_are_wrong(cell: Cell, kind: Any, code: str) -> None:
    with pytest.raises(WrongCell) as wrong:
        value_of(cell, kind)
    assert wrong.value.code == code


VALUES = {
    "text": st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=20).filter(
        lambda text: not text.startswith("=")
    ),
    "data": st.integers(0, 2**50),
    "money": st.integers(-(10**12), 10**12),
    "day": st.dates(date(2000, 1, 1), date(2199, 12, 31)),
    "yes": st.booleans(),
    "operator": st.sampled_from(["cmcc", "cucc", "ctcc", "cbn", "other"]),
    "status": st.sampled_from(["stock", "test", "silent", "active", "suspended", "cancelled"]),
    "iccid": st.just(CARD),
}


@given(st.data(), st.sampled_from(COLUMNS), st.sampled_from(["zh", "en"]))
def test_what_is_written_is_read(data: Any, column: Any, language: Any) -> None:
    value = data.draw(VALUES[column.kind])
    assert value_of(cell_of(value, column.kind, language), column.kind) == value


def test_heads_of_both_languages_and_fields_are_known_once() -> None:
    columns, ignored = recognised(["iccid", "状态", "Status", "", "colour", "plan_bytes"])
    assert [column.field if column else None for column in columns] == [
        "iccid", "status", None, None, None, "plan_bytes"
    ]  # fmt: skip
    assert ignored == ["Status", "colour"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_csv_of_every_spreadsheet(encoding: str, separator: str) -> None:
    lines = [["ICCID", "供应商"], [CARD, "某某通信"], ["", ""], [OTHER, '"a\nb"']]
    content = "\r\n".join(separator.join(line) for line in lines).encode(encoding)
    first, second = read_sheet(content, "a.CSV").rows
    assert (first.iccid, first.values["supplier"], first.number) == (CARD, "某某通信", 2)
    assert (second.iccid, second.values["supplier"]) == (OTHER, "a\nb")


@pytest.mark.parametrize(
    ("content", "name", "reason"),
    [
        (b"", "a.csv", "sim_card.file_size"),
        (b"x" * 1_000_001, "a.csv", "sim_card.file_size"),
        (b"ICCID\n\xff\xff", "a.csv", "sim_card.csv"),
        (b"ICCID\0\n", "a.csv", "sim_card.csv"),
        (b"Number,Name\n1,2", "a.csv", "sim_card.no_iccid"),
        (b"ICCID\n1", "a.txt", "sim_card.file_form"),
        (b"ICCID\n" + b'"' + b"x" * 200_000 + b'"', "a.csv", "sim_card.csv"),
    ],
)
def test_files_that_cannot_be_read(content: bytes, name: str, reason: str) -> None:
    with pytest.raises(WrongFile) as wrong:
        read_sheet(content, name)
    assert wrong.value.reason == reason


def test_rows_of_a_file_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MAX_ROWS", 2)
    with pytest.raises(WrongFile) as wrong:
        read_sheet(csv(CARD, OTHER, CARD), "a.csv")
    assert wrong.value.reason == "xlsx.rows"


async def test_a_workbook_is_imported(scene: Scene) -> None:
    content = book(
        [CARD, "中国移动", "Active", 1024, 12.5, "2026-09-20", "2027-01-31", "red"],
        [OTHER, "China Unicom", None, None, None, None, None, "blue"],
    )
    preview = await imported(scene, content, "a.xlsx")
    assert (preview.added, preview.changed, preview.billed, preview.wrong) == (2, 0, 1, 0)
    assert preview.ignored == ["Colour"]
    first, second = (await scene.cards.page(scene.x, CardFilter(), 1, 20)).rows
    assert (first.operator, first.plan_bytes, first.expires_on) == ("cmcc", 1024 * MIB, date(2027, 1, 31))
    assert (second.operator, second.plan_bytes) == ("cucc", None)
    (day,) = (await scene.cards.usage(scene.x, first.id, 400)).days
    assert (day.day, day.billed_bytes) == (date(2026, 9, 20), round(12.5 * MIB))


async def test_an_empty_cell_says_nothing_and_a_record_is_of_today(scene: Scene) -> None:
    card = await scene.add(scene.x, supplier="Li", plan_bytes=5)
    preview = await imported(scene, csv(f"{CARD},,2,3,"))
    assert (preview.added, preview.changed, preview.unchanged, preview.billed) == (0, 1, 0, 1)
    row = (await scene.cards.card(scene.x, card)).card
    assert (row.supplier, row.plan_bytes) == ("Li", 2 * MIB)
    (day,) = (await scene.cards.usage(scene.x, card, 1)).days
    assert (day.day, day.billed_bytes) == (scene.cards.today(), 3 * MIB)
    await imported(scene, csv(f"{CARD},,,4,"))
    (day,) = (await scene.cards.usage(scene.x, card, 1)).days
    assert day.billed_bytes == 4 * MIB, "in place of the record of the same day"


async def test_errors_are_said_by_row_and_the_rest_is_imported(scene: Scene) -> None:
    await scene.add(scene.y, OTHER)
    head = "ICCID,Status,Plan data (MB),Billing from,Billing to,Used until,Supplier"
    rows = (
        f"{CARD},active,1,2026-03-01,2026-03-31,,ok",
        f"{CARD},active,,,,,",
        f"{OTHER},active,,,,,",
        "12,gone,x,,,,",
        ",active,,,,,",
        "89860012345678900001,,,2026-03-02,2026-03-01,,",
        "89860012345678900002,,,,,2026-03-01,",
        "89860012345678900003,,-1,,,,",
        f"89860012345678900004,,,,,,{'x' * 101}",
    )
    preview = await imported(scene, csv(*rows, head=head))
    assert (preview.added, preview.wrong) == (1, 8)
    assert [(row.number, [(fault.field, fault.code) for fault in row.faults]) for row in preview.rows] == [
        (3, [("iccid", "twice")]),
        (4, [("iccid", "taken")]),
        (5, [("iccid", "iccid"), ("status", "one_of"), ("plan_bytes", "number")]),
        (6, [("iccid", "required")]),
        (7, [("billing_end", "billing_order")]),
        (8, [("used_bytes", "required")]),
        (9, [("plan_bytes", "at_least")]),
        (10, [("supplier", "text_long")]),
    ]
    assert (await scene.cards.page(scene.x, CardFilter(), 1, 20)).total == 1


async def test_what_happens_is_what_was_looked_at(scene: Scene) -> None:
    content = csv(f"{CARD},Li,,,")
    preview = await scene.files.preview(scene.x, content, "a.csv")
    for other in (csv(f"{CARD},Wu,,,"), csv(f"{OTHER},Li,,,")):
        with pytest.raises(Conflict) as refused:
            await scene.files.apply(scene.x, other, "a.csv", preview.digest)
        assert refused.value.reason == "sim_card.preview_old"
    await scene.add(scene.x)
    with pytest.raises(Conflict):
        await scene.files.apply(scene.x, content, "a.csv", preview.digest)
    assert (await scene.cards.page(scene.x, CardFilter(), 1, 20)).total == 1


async def test_an_owner_has_a_bound_in_files_too(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MAX_CARDS", 1)
    content = csv(f"{CARD},,,,", f"{OTHER},,,,")
    preview = await scene.files.preview(scene.x, content, "a.csv")
    with pytest.raises(Conflict, match="at most"):
        await scene.files.apply(scene.x, content, "a.csv", preview.digest)
    assert (await scene.cards.page(scene.x, CardFilter(), 1, 20)).total == 0


async def test_a_file_that_cannot_be_read_names_the_reason(scene: Scene) -> None:
    with pytest.raises(ParameterError) as refused:
        await scene.files.preview(scene.x, b"a,b\n1,2", "a.csv")
    assert (refused.value.field, refused.value.reason) == ("file", "sim_card.no_iccid")


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_an_export_comes_back_without_a_change(scene: Scene, language: Any) -> None:
    fields = {
        "operator": "cmcc", "supplier": "=1+1", "status": "test", "activated": True,
        "expires_on": "2027-01-31", "plan_title": "30 GB/月", "plan_bytes": 12_345_678, "balance_fen": -1234,
        "billing_begin": "2026-09-01", "billing_end": "2026-09-30",
        "activated_on": "2026-01-01", "outbound_on": "2026-01-02",
        "created_on": "2025-12-01", "silent_until": "2026-06-30", "test_until": "2026-03-31",
        "test_bytes": 7, "remark": "a, b",
    }  # fmt: skip
    assert set(fields) == set(SimCardBody.model_fields) - {"iccid"}
    await scene.add(scene.x, CARD, **fields)
    await scene.add(scene.x, OTHER)
    await imported(scene, csv(f"{CARD},,,1.5,2026-09-10", f"{CARD[:-1]}5,,,,"))
    content = await scene.files.export(scene.x, CardFilter(), language)
    preview = await imported(scene, content, "a.xlsx")
    assert (preview.added, preview.changed, preview.unchanged, preview.billed) == (0, 0, 3, 1)
    assert preview.rows == []
    other = await scene.files.export(scene.y, CardFilter(), language)
    assert (await scene.files.preview(scene.y, other, "a.xlsx")).unchanged == 0


async def test_a_template_has_every_column(scene: Scene) -> None:
    content = await scene.files.template(scene.x, "en")
    (columns,) = sheets.read_workbook(content, "a.xlsx")
    assert columns.header == [column.en for column in COLUMNS]
    assert recognised(columns.header)[1] == []


async def test_an_export_is_bounded(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MAX_ROWS", 1)
    await scene.add(scene.x, CARD)
    await scene.add(scene.x, OTHER)
    with pytest.raises(Conflict) as refused:
        await scene.files.export(scene.x, CardFilter(), "en")
    assert refused.value.reason == "sim_card.export_long"
    assert await scene.files.export(scene.x, CardFilter(search="05678"), "en")
