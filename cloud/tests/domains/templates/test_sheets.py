"""Templates as workbooks: an export changes nothing, and what a file says is told cell by cell."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cloud.core.xlsx import Cell, Column, Sheet, Table, write_workbook
from cloud.domains.sheets.changes import CellChange
from cloud.domains.templates.content import GATEWAY, POINT, checked
from cloud.domains.templates.sheet_difference import Comparison, compared
from cloud.domains.templates.workbook import workbook
from cloud.errors import NotFound, ParameterError

from .conftest import Site, rows
from .test_applying import sqlite

NAMES = st.text("abcdefgh_0123456789", min_size=1, max_size=6)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBERS = st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.none() | st.booleans() | NUMBERS | TEXT
FIELDS = st.dictionaries(
    st.sampled_from(["title", "type", "rw", "unit", "ratio", "record", "on_value", "formula", "later"]),
    VALUES,
    max_size=4,
)
ADDRESS = st.dictionaries(st.sampled_from(["offset", "reg_type", "item", "new_1", "n-2"]), VALUES, max_size=3)
SELECTOR = st.none() | st.dictionaries(TEXT, TEXT, max_size=2)


@st.composite
def points(draw: st.DrawFn, slave: str | None = None) -> list[dict[str, Any]]:
    names = draw(st.lists(NAMES, unique=True, max_size=4))
    own = {} if slave is None else {"slave": slave}
    return [
        {**draw(FIELDS), **own, "name": name, "address": draw(ADDRESS), "selector": draw(SELECTOR)}
        for name in names
    ]


@st.composite
def gateways(draw: st.DrawFn) -> dict[str, Any]:
    options = st.dictionaries(st.sampled_from(["one_based", "statute", "own"]), VALUES, max_size=2)
    port = {"name": "com1", "baud": draw(VALUES), "later": draw(VALUES)}
    slave = {"name": "m1", "port": "com1", "title": draw(VALUES), "options": draw(options)}
    return {"ports": [port], "slaves": [slave], "points": draw(points("m1")), "defaults": {}}


def tables(content: bytes) -> list[Table]:
    """What a reader gives of a workbook, without its process."""
    from openpyxl import load_workbook
    from openpyxl.utils.escape import unescape

    def plain(cell: Any) -> Cell:
        return unescape(cell) if isinstance(cell, str) else _plain(cell)

    found = []
    for sheet in load_workbook(io.BytesIO(content)).worksheets:
        lines = [[plain(cell) for cell in line] for line in sheet.iter_rows(values_only=True)]
        table = Table(sheet.title, [str(cell or "") for cell in lines[0]], lines[1:])
        table.numbers = list(range(2, len(lines) + 1))
        found.append(table)
    return found


def _plain(cell: Any) -> Cell:
    """openpyxl leaves _x000D_ and the like as in the file (ECMA-376-1, 22.9.2.19); other readers do not."""
    from openpyxl.utils.escape import unescape

    if isinstance(cell, str):
        return str(unescape(cell))
    plain: Cell = int(cell) if isinstance(cell, float) and cell.is_integer() else cell
    return plain


@settings(max_examples=25, deadline=None)
@example(content=(POINT, {"points": [{"name": "p", "title": "\r"}]}), language="en")
@given(
    content=st.one_of(
        st.tuples(st.just(POINT), points().map(lambda found: {"points": found})),
        st.tuples(st.just(GATEWAY), gateways()),
    ),
    language=st.sampled_from(["zh", "en"]),
)
def test_an_export_changes_nothing(content: tuple[str, dict[str, Any]], language: Any) -> None:
    category, document = content
    kept, _ = checked(category, document)
    found = compared(category, "modbus_rtu", kept, tables(workbook(category, kept, language)))
    assert (found.rows, found.document, found.ignored) == ([], kept, [])


def said(found: Comparison) -> list[tuple[str, str, tuple[str, ...], list[str]]]:
    return [
        (
            row.kind,
            row.sheet,
            row.key,
            [f"{c.field}:{c.fault.code if c.fault else c.after}" for c in row.cells],
        )
        for row in found.rows
    ]


def _said(cell: CellChange) -> object:
    return cell.fault.code if cell.fault else cell.after


def table(name: str, head: str, *lines: list[Cell]) -> Table:
    return Table(name, head.split(), list(lines), list(range(2, len(lines) + 2)))


def test_points_are_added_changed_removed_and_judged() -> None:
    def point(name: str, offset: int) -> dict[str, Any]:
        return {"name": name, "address": {"reg_type": "4X", "offset": offset}}

    document = {"points": [point("a", 0), point("b", 1), point("c", 2)]}
    sheet = table(
        "数据点", "标识 名称 寄存器类型 寄存器地址 倍率 Colour",
        ["b", "泵", "4X", 1, 0.1, "x"],
        ["a", None, "4X", "far", None, None],
        ["d", None, "4X", 3, None, None],
        ["d", None, "4X", 4, None, None],
        ["e", None, None, 5, None, None],
        [None, "nameless", None, None, None, None],
        ["f", None, "3X", 5, 0, None],
        [None, None, None, None, None, None],
    )  # fmt: skip
    found = compared(POINT, "modbus_rtu", document, [sheet])
    assert sorted(said(found)) == [
        ("added", "points", ("d",), ["ds_name:d", "regtype:4X", "addroffset:3"]),
        ("changed", "points", ("b",), ["ds_title:泵", "ratio:0.1"]),
        ("removed", "points", ("c",), []),
        ("wrong", "points", ("",), ["ds_name:required"]),
        ("wrong", "points", ("a",), ["addroffset:int"]),
        ("wrong", "points", ("d",), ["ds_name:twice"]),
        ("wrong", "points", ("e",), ["ds_name:e", "addroffset:5", "regtype:required"]),
        ("wrong", "points", ("f",), ["ds_name:f", "regtype:3X", "addroffset:5", "ratio:zero"]),
    ]
    assert found.ignored == ["Colour"]
    made = {row["name"]: row for row in found.document["points"]}
    assert list(made) == ["b", "a", "d"] and made["a"] == point("a", 0)
    assert made["b"] == {**point("b", 1), "title": "泵", "ratio": 0.1}


def test_a_gateway_template_keeps_what_is_used_and_drops_pins_with_their_slave() -> None:
    document = {
        "ports": [{"name": "com1"}, {"name": "com2"}],
        "slaves": [{"name": "m1", "port": "com1"}, {"name": "m2", "port": "com1"}],
        "points": [],
        "templates": {"m2": {"template_id": 1, "version": 1}},
        "defaults": {},
    }
    files = [
        table("Ports", "Port Type", ["com2", "COM"]),
        table("Slave devices", "Slave Port Protocol", ["m1", "com1", "modbus_rtu"]),
    ]
    found = compared(GATEWAY, "", document, files)
    assert sorted(said(found)) == [
        ("changed", "ports", ("com2",), ["type:COM"]),
        ("changed", "slaves", ("m1",), ["protocol:modbus_rtu"]),
        ("removed", "slaves", ("m2",), []),
        ("wrong", "ports", ("com1",), ["name:in_use"]),
    ]
    assert found.document["templates"] == {} and len(found.document["ports"]) == 2
    lost = compared(GATEWAY, "", document, [table("Slave devices", "Slave Port", ["m1", "nowhere"])])
    assert lost.document == document and lost.rows[-1].kind == "wrong"


@sqlite
async def test_the_whole_way_of_a_file(site: Site) -> None:
    made = await site.template(content=rows("Ua", "Ub"))
    book = await site.sheets.workbook(site.plant, made, None, "en")
    same = await site.sheets.compare(site.plant, made, book, "t.xlsx")
    assert (same.differs, same.rows, same.unchanged, same.version) == (False, [], 2, 1)
    file = io.BytesIO()
    heads = [Column("ds_name"), Column("item"), Column("ratio")]
    write_workbook(file, [Sheet("Data points", heads, [["Ua", "Ua", 2], ["Uc", "Uc", None]])])
    found = await site.sheets.compare(site.plant, made, file.getvalue(), "t.xlsx")
    assert found.differs and [row.kind for row in found.rows] == ["changed", "added", "removed"]
    assert await site.save(made, found.document, found.version) == 2
    for content, name in ((b"x", "t.xlsx"), (book, "t.txt"), (_empty(), "t.xlsx")):
        with pytest.raises(ParameterError):
            await site.sheets.compare(site.plant, made, content, name)
    with pytest.raises(NotFound):
        await site.sheets.workbook(site.stranger, made, None, "en")


def _empty() -> bytes:
    file = io.BytesIO()
    write_workbook(file, [Sheet("Other", [Column("nothing")], [["x"]])])
    return file.getvalue()
