"""Rows that a template adds, changes and removes, without a draft."""

from __future__ import annotations

from typing import Any

from cloud.domains.templates.row_changes import row_changes


def document(*points: dict[str, Any], **sections: list[dict[str, Any]]) -> dict[str, Any]:
    return {"points": [{"slave": "meter", **point} for point in points], **sections}


def test_a_field_of_a_row_is_one_value_and_an_address_is_several() -> None:
    before = document(
        {"name": "a", "selector": {"0": "Off"}, "address": {"offset": 1, "area": "co"}, "period": 1}
    )
    after = document({"name": "a", "selector": {"0": "Stop"}, "address": {"offset": 2, "area": "co"}})
    [row] = row_changes(before, after)
    assert (row.kind, row.section, row.slave, row.name) == ("changed", "points", "meter", "a")
    assert [(each.field, each.before, each.after) for each in row.fields] == [
        ("selector", {"0": "Off"}, {"0": "Stop"}),
        ("address.offset", 1, 2),
        ("period", 1, None),
    ]


def test_rows_in_the_order_of_the_sections_and_what_goes_at_the_end() -> None:
    before = document({"name": "old"}, {"name": "same"}, slaves=[{"name": "meter", "protocol": "modbus"}])
    after = document({"name": "same"}, {"name": "new", "options": {"mode": 1}}, ports=[{"name": "lan"}])
    rows = row_changes(before, after)
    assert [(row.kind, row.section, row.slave, row.name) for row in rows] == [
        ("added", "ports", "", "lan"),
        ("removed", "slaves", "", "meter"),
        ("added", "points", "meter", "new"),
        ("removed", "points", "meter", "old"),
    ]
    assert [[(each.field, each.after) for each in row.fields] for row in rows] == [
        [],
        [],
        [("options.mode", 1)],
        [],
    ]
