"""Workbooks: written, read back by another library, and files of strangers."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from cloud.core.xlsx import (
    Column,
    NoValue,
    Sheet,
    WorkbookLimits,
    WrongFile,
    read_table,
    read_workbook,
    write_workbook,
    writing,
)
from cloud.core.xlsx.cells import Cell
from cloud.core.xlsx.writing import TooManyRows

AT = datetime(2026, 9, 21, 22, 13, 20)  # noqa: DTZ001


def book(rows: list[list[Cell]], columns: int = 4) -> bytes:
    file = io.BytesIO()
    write_workbook(file, [Sheet("a/b", [Column(f"c{n}") for n in range(columns)], rows)])
    return file.getvalue()


def foreign(*rows: list[Any]) -> bytes:
    """As another program writes it."""
    made = Workbook()
    for row in rows:
        made.active.append(row)  # type: ignore[union-attr]
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def why(content: bytes, name: str = "a.xlsx", limits: WorkbookLimits | None = None) -> str:
    with pytest.raises(WrongFile) as found:
        read_workbook(content, name, limits)
    return found.value.reason


def test_what_is_written_is_read_exactly() -> None:
    rows: list[list[Cell]] = [
        ["=1+1", "+86", "-", "@x"],
        [1, 2.5, True, AT],
        [None, "", "0012", None],
        [],
        [2**53, -(2**63), 1e300, 0.1],
        [" a ", "a\nb", "<&>\"'", "温度"],
    ]
    table = read_table(book(rows), "A.XLSX", 10)
    assert (table.name, table.header, table.numbers) == ("a_b", ["c0", "c1", "c2", "c3"], [2, 3, 4, 6, 7])
    assert table.rows == [
        ["=1+1", "+86", "-", "@x"],
        [1, 2.5, True, AT],
        [None, None, "0012"],
        [str(2**53), str(-(2**63)), 1e300, 0.1],
        [" a ", "a\nb", "<&>\"'", "温度"],
    ]


def test_another_library_agrees() -> None:
    columns = [Column("name", 20), Column("kind", choices=("num", "str")), Column("at", is_text=True)]
    file = io.BytesIO()
    write_workbook(file, [Sheet("one", columns, [["=x", "num", AT]], frozen=1), Sheet("two", [], [])])
    read = load_workbook(file)
    sheet = read["one"]
    assert [cell.value for cell in sheet[2]] == ["=x", "num", AT] and sheet["A2"].quotePrefix
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("B2", "A1:C2")
    assert 20 <= sheet.column_dimensions["A"].width < 21, "with the cell's margins"
    assert sheet["C3"].number_format == "General" and sheet.column_dimensions["C"].number_format == "@"
    (choice,) = sheet.data_validations.dataValidation
    assert (choice.formula1, str(choice.sqref)) == ('"num,str"', "B2:B1048576")
    assert not choice.showErrorMessage, "offered, not enforced"
    assert sheet["A1"].font.bold and not sheet["A2"].font.bold
    assert read.sheetnames == ["one", "two"]


def test_what_others_wrote() -> None:
    table = read_table(foreign([" 名称 ", "x"], ["a", 1.0, AT], [None], ["b", "=1+1"]), "a.xlsx", 5)
    rows = [["a", 1, AT], ["b", NoValue("=")]]
    assert (table.header, table.rows, table.numbers) == (["名称", "x"], rows, [2, 4])


def test_cells_without_a_value_are_not_empty() -> None:
    """Wherever they stand, in front of the others or behind them; a formula may have an empty text."""
    made = Workbook()
    sheet: Any = made.active
    cells = {"B3": "a", "C3": "b", "C4": "=1+1", "B6": "#REF!", "C8": "#N/A", "B9": "=B3", "B10": "1"}
    for place, value in cells.items():
        sheet[place] = value
    file = io.BytesIO()
    made.save(file)
    (table,) = read_workbook(with_sheet(file.getvalue(), b'<c r="B10" t="inlineStr"><is><t>1</t></is></c>',
        b'<c r="B10" t="str"><f>A1</f><v></v></c>'), "a.xlsx")  # fmt: skip
    assert table.header == ["a", "b"]
    assert dict(zip(table.numbers, table.rows, strict=True)) == {
        4: [None, NoValue("=")], 6: [NoValue("#REF!")], 8: [None, NoValue("#N/A")], 9: [NoValue("=")],
    }  # fmt: skip
    again = read_table(book(table.rows), "a.xlsx", 9).rows
    assert again == [[None, NoValue("#N/A")], [NoValue("#REF!")], [None, NoValue("#N/A")], [NoValue("#N/A")]]


def test_errors_of_the_older_form() -> None:
    """Of two sheets: one in a cell of its own, one that a formula gave."""

    def record(kind: int, *parts: bytes) -> bytes:
        body = b"".join(parts)
        return struct.pack("<HH", kind, len(body)) + body

    def number(row: int, column: int, value: float) -> bytes:
        return record(0x0203, struct.pack("<HHHd", row, column, 15, value))

    def sheets(first: int, second: int) -> bytes:
        places = (first, b"one"), (second, b"two")
        names = [record(0x85, struct.pack("<IHBB", at, 0, len(name), 0), name) for at, name in places]
        return record(0x0809, struct.pack("<HH12x", 0x600, 5)) + b"".join(names) + record(0x0A)

    start, end = record(0x0809, struct.pack("<HH12x", 0x600, 0x10)), record(0x0A)
    one = start + number(0, 0, 1) + record(0x0205, struct.pack("<HHHBB", 1, 0, 15, 0x2A, 1)) + end
    formula = struct.pack("<HHH", 1, 1, 15) + bytes([2, 0, 0x17, 0, 0, 0, 0xFF, 0xFF]) + bytes(6) + bytes(2)
    two = start + number(0, 1, 7) + record(0x0006, formula) + number(2, 1, 8) + end
    heads = len(sheets(0, 0))
    tables = read_workbook(older(sheets(heads, heads + len(one)) + one + two), "a.xls")
    assert [(table.name, table.header, table.rows) for table in tables] == [
        ("one", ["1"], [[NoValue("#N/A")]]),
        ("two", ["7"], [[NoValue("#REF!")], [8]]),
    ]


def older(stream: bytes) -> bytes:
    """A compound file of this stream alone: the header, which sector follows which, names, the stream."""
    sectors = 8
    stream = stream.ljust(sectors * 512, b"\0")
    end, free, table = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
    signature, sizes = bytes.fromhex("d0cf11e0a1b11ae1"), (0x3E, 3, 0xFFFE, 9, 6)
    head = struct.pack("<8s16x5H10x8I", signature, *sizes, 1, 1, 0, 4096, end, 0, end, 0)
    following = [table, end, *range(3, 2 + sectors), end]
    names = b""
    for name, kind, first, size in (("Root Entry", 5, end, 0), ("Workbook", 2, 2, len(stream))):
        text = (name + "\0").encode("utf-16-le")
        child = 1 if kind == 5 else free
        names += text.ljust(64, b"\0") + struct.pack(
            "<HBBIII36xIQ", len(text), kind, 1, free, free, child, first, size
        )
    fat = struct.pack(f"<{len(following)}I", *following).ljust(512, b"\xff")
    header = (head + struct.pack("<I", 0)).ljust(512, b"\xff")
    return header + fat + names.ljust(512, b"\0") + stream


def with_sheet(content: bytes, before: bytes, after: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            assert before in part or not name.endswith("sheet1.xml")
            new.writestr(name, part.replace(before, after))
    return file.getvalue()


@settings(max_examples=8, deadline=None)
@given(
    st.lists(
        st.lists(st.one_of(st.text(max_size=9), st.floats(), st.integers(), st.booleans()), max_size=4),
        max_size=4,
    )
)
def test_whatever_is_written_opens(rows: list[list[Cell]]) -> None:
    sheet: Any = load_workbook(io.BytesIO(book(rows))).active
    filled = [cell for row in rows for cell in row if cell != ""]
    read = [cell.value for row in list(sheet.rows)[1:] for cell in row if cell.value is not None]
    assert len(read) == len(filled)


@settings(max_examples=8, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40))
def test_numbers_keep_all_their_digits(numbers: list[float]) -> None:
    """Some doubles need 17 digits."""
    numbers = [0.1 + 0.2, 5e-324, 1.7976931348623157e308, *numbers]
    assert read_table(book([[each] for each in numbers]), "a.xlsx", 50).rows == [[each] for each in numbers]


@settings(max_examples=8, deadline=None)
@given(
    st.lists(st.sampled_from(["<r>", "</r>", "<t>", "_x0041_", "\r", "\n", " ", "a", "&lt;", "\x00", "😀"]))
)
def test_texts_are_read_back(parts: list[str]) -> None:
    text = "".join(["<", *parts, "."])
    plain = text.replace("_x", "").replace("\r", "")
    marked = f"<r>{plain}</r>"  # in such texts the library escapes these twice
    rows = read_table(book([[text, marked, "<r></r>"]]), "a.xlsx", 9).rows
    assert rows == [[text.replace("\x00", "\ufffd"), marked.replace("\x00", "\ufffd"), "<r></r>"]]


def test_names_of_sheets_are_unlike_each_other() -> None:
    names = ["a/b", "A_B", "'x'", "", "", "温" * 40, "温" * 31, "😀" * 20, "😀" * 16]
    file = io.BytesIO()
    write_workbook(file, [Sheet(name, [Column("c")], [["x"]]) for name in names])
    assert load_workbook(file).sheetnames == [
        "a_b", "A_B 2", "x", "Sheet", "Sheet 2", "温" * 31, "温" * 29 + " 2", "😀" * 15, "😀" * 14 + " 2",
    ]  # fmt: skip


def test_what_was_begun_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither beside the file nor in it, when the rows end in an error."""

    def rows() -> Iterator[list[Cell]]:
        yield ["x"]
        assert len(list(tmp_path.iterdir())) == 2, "the file, and the rows until it is made"
        raise KeyError("gone")

    path = tmp_path / "a.xlsx"
    with path.open("wb") as file, pytest.raises(KeyError):
        write_workbook(file, [Sheet("one", [Column("c")], rows())])
    assert (list(tmp_path.iterdir()), path.read_bytes()) == ([path], b"")


def test_more_rows_than_a_sheet_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "MAX_ROWS", 4)
    assert len(read_table(book([["x"]] * 3), "a.xlsx", 9).rows) == 3
    with pytest.raises(TooManyRows, match="at most 4 rows"):
        book([["x"]] * 4)


def with_part(name: str, content: bytes = b"") -> bytes:
    file = io.BytesIO(book([["x"]]))
    with zipfile.ZipFile(file, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def bomb() -> bytes:
    """Few bytes; two cells that are as far from each other as a sheet is large."""
    with zipfile.ZipFile(io.BytesIO(book([["x"]]))) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    sheet = b'<c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    head = parts["xl/worksheets/sheet1.xml"].split(b"<sheetData>")[0]
    parts["xl/worksheets/sheet1.xml"] = head + b'<sheetData><row r="1">' + sheet + b"</sheetData></worksheet>"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as new:
        for name, content in parts.items():
            new.writestr(name, content)
    return file.getvalue()


def test_files_of_strangers_are_refused_by_name() -> None:
    good = book([["x"]] * 3)
    assert why(good, "a.csv") == why(b"a,b\n1,2", "a.xlsx") == why(with_zip(), "a.xlsx") == "xlsx.form"
    assert why(good[:-200]) == why(b"PK\x03\x04" + bytes(100)) == "xlsx.broken"
    assert why(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "a.xls") == "xlsx.broken"
    assert why(with_part("xl/vbaProject.bin")) == "xlsx.macros"
    assert (
        why(bytes.fromhex("d0cf11e0a1b11ae1") + "_VBA_PROJECT".encode("utf-16-le"), "a.xls") == "xlsx.macros"
    )
    assert why(b"") == why(good, limits=WorkbookLimits(max_bytes=100)) == "xlsx.size"


def with_zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "a")
    return file.getvalue()


def test_what_is_too_much_is_refused() -> None:
    assert why(book([["x"]] * 4), limits=WorkbookLimits(max_rows=3)) == "xlsx.rows"
    assert why(book([["x"]], columns=4), limits=WorkbookLimits(max_columns=3)) == "xlsx.columns"
    assert (
        why(with_part("xl/media/a", bytes(2_000_000)), limits=WorkbookLimits(unpacked_bytes=1_000_000))
        == "xlsx.too_large"
    )
    assert why(bomb()) == "xlsx.too_large"
    assert why(book([["x" * 1000] * 4] * 30), limits=WorkbookLimits(given_bytes=100_000)) == "xlsx.too_large"
    assert len(read_table(book([["x"]] * 3), "a.xlsx", 3).rows) == 3
