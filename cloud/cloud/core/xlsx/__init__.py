"""Workbooks: read .xls and .xlsx of untrusted sources within limits, and write .xlsx row by row."""

from cloud.core.xlsx.cells import Cell, NoValue
from cloud.core.xlsx.reading import (
    SheetBegins,
    Table,
    WorkbookLimits,
    WrongFile,
    read_table,
    read_workbook,
    stream,
)
from cloud.core.xlsx.writing import MEDIA_TYPE, Column, Sheet, write_workbook

__all__ = [
    "MEDIA_TYPE",
    "Cell",
    "Column",
    "NoValue",
    "Sheet",
    "SheetBegins",
    "Table",
    "WorkbookLimits",
    "WrongFile",
    "read_table",
    "read_workbook",
    "stream",
    "write_workbook",
]
