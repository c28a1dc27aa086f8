"""Slave devices and their points as a workbook, one sheet each.

With gateway_temp_id the workbook has the rows of that gateway template instead of the gateway's draft; who
may not see templates gets none.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any, Literal

from cloud.core.xlsx import Cell, Column, Sheet, write_workbook
from cloud.domains.points.fields import FIELDS, Row, api_fields
from edge_contract.deployment import Document
from edge_contract.document.rows import rows_of

Language = Literal["zh", "en"]

TITLES = {"slaves": {"zh": "从机", "en": "Slaves"}, "points": {"zh": "数据点", "en": "Data points"}}
WIDTH = 16


def workbook(
    document: Document, port: str | None, settings: Mapping[tuple[str, str], Row], language: Language
) -> bytes:
    """An .xlsx. port: only what hangs on it; settings: by slave and name of the point."""
    slaves = [row for row in rows_of(document, "slaves") if port is None or row.get("port") == port]
    names = {row.get("name") for row in slaves}
    points = [
        {**api_fields("points", row), **settings.get((str(row.get("slave")), str(row.get("name"))), {})}
        for row in rows_of(document, "points")
        if row.get("slave") in names
    ]
    file = io.BytesIO()
    sheets = [
        _sheet("slaves", [api_fields("slaves", row) for row in slaves], ("slaves",), language),
        _sheet("points", points, ("points", "settings"), language),
    ]
    write_workbook(file, sheets)
    return file.getvalue()


def _sheet(title: str, rows: list[Row], sections: tuple[str, ...], language: Language) -> Sheet:
    fields = [name for section in sections for name in FIELDS[section]]
    columns = [Column(name.zh if language == "zh" else name.en, WIDTH) for name in fields]
    return Sheet(
        TITLES[title][language], columns, ([_cell(row.get(name.field)) for name in fields] for row in rows)
    )


def _cell(value: Any) -> Cell:
    """Options and selector values as name=value, one after the other."""
    if isinstance(value, Mapping):
        return "; ".join(f"{name}={each}" for name, each in value.items())
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)
