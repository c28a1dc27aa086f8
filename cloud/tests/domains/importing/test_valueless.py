"""Cells of an upload that show an error, or a formula without its result."""

from __future__ import annotations

import pytest

from cloud.core.xlsx import Cell, NoValue, read_workbook

from .conftest import ImportServices, book, whole

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def test_cells_without_a_value_are_wrong_where_they_stand(importing: ImportServices) -> None:
    """In a replacing import they would empty what is there, and a key would be a text that nobody wrote."""
    await importing.apply("factory-x", await importing.preview("factory-x", whole()))
    heads = ["SN", "slave", "ds_name", "ratio", "unit"]
    rows: list[list[Cell]] = [
        ["gw-new", "plc", "t", NoValue("="), NoValue("#REF!")], ["gw-new", NoValue("#N/A"), "u", 1, None],
        [NoValue("#N/A"), "plc", "u", 1, None], ["gw-new", "plc", "u", 5, None],
    ]  # fmt: skip
    state = await importing.preview("factory-x", book(points=(heads, rows)))
    found = await importing.imports.rows(importing.users["factory-x"], state.id, "wrong", "", 1, 20)
    assert {row.number: {cell.field: cell.code for cell in row.cells} for row in found.rows} == {
        2: {"ratio": "error_value", "unit": "error_value"}, 3: {"slave": "error_value"},
        4: {"gateway_id": "error_value"},
    }  # fmt: skip
    parts = await importing.imports.errors(importing.users["factory-x"], state.id, "zh")
    (table,) = read_workbook(b"".join(parts), "e.xlsx")
    assert all("单元格是错误值" in str(row[0]) for row in table.rows) and NoValue("#REF!") in table.rows[2]
    await importing.apply("factory-x", state, skip_wrong=True)
    assert [point.get("ratio") for point in (await importing.document("gw-new"))["points"]] == [0.5, 5]
