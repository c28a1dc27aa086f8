"""The workbooks of imports and exports: gateways with points, the template, wrong rows, secrets. They block.

Sheets are devices, ports, slaves and points. A row whose serial number begins with # is an example or a
remark: the template has one on each sheet; it is neither counted nor a sample. What goes is listed by its
key (gateway, slave, point) and its title, because titles may be the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from cloud.core.xlsx import Cell, Column, Sheet, write_workbook
from cloud.domains.importing.guide import example, range_text, values_text
from cloud.domains.importing.words import why
from cloud.domains.importing.workfile import Result, Workfile
from cloud.domains.sheets.columns import (
    CHOICES,
    GATEWAY,
    KEYS,
    SETTINGS,
    SHEETS,
    TITLES,
    Language,
    SheetColumn,
    SheetKind,
    column_of,
    columns_of,
)
from cloud.domains.sheets.values import cell_of

Row = dict[str, Any]
"""Values by field."""

WIDTH = 15
ROWS_AT_ONCE = 50
TEXT_KINDS = frozenset({"text", "json", "time", "name"})
INNER: Mapping[SheetKind, str] = {"slaves": "options", "points": "address"}
WORDS = {
    "wrong": {"zh": "错误原因", "en": "Error"},
    "number": {"zh": "行号", "en": "Row"},
    "help": {"zh": "说明", "en": "Help"},
    "sheet": {"zh": "工作表", "en": "Sheet"},
    "head": {"zh": "列名", "en": "Column"},
    "field": {"zh": "字段", "en": "Field"},
    "kind": {"zh": "类型", "en": "Kind"},
    "choices": {"zh": "可选值", "en": "Choices"},
    "range": {"zh": "范围（文本为字符数）", "en": "Range (characters of a text)"},
    "needed": {"zh": "必填", "en": "Required"},
}
KIND_WORDS = {
    "text": {"zh": "文本", "en": "text"},
    "int": {"zh": "整数", "en": "whole number"},
    "number": {"zh": "数值", "en": "number"},
    "bool": {"zh": "是/否", "en": "true or false"},
    "time": {"zh": "时间(UTC)", "en": "time (UTC)"},
    "any": {"zh": "文本或数值", "en": "text or number"},
    "json": {"zh": "JSON", "en": "JSON"},
    "name": {"zh": "名称、路径或编号", "en": "name, path or number"},
}


def rows_of_gateway(
    gateway: str, fields: Row, document: Mapping[str, Any], settings: Mapping[tuple[str, str], Row]
) -> Iterator[tuple[SheetKind, Row]]:
    """Rows of every sheet."""
    yield "devices", {GATEWAY: gateway, **fields}
    for kind in SHEETS[1:]:
        rows = document.get(kind)
        for row in rows if isinstance(rows, list) else ():
            cells = {GATEWAY: gateway, **fields_of(kind, row)}
            if kind == "points":
                cells |= settings.get((str(row.get("slave")), str(row.get("name"))), {})
            yield kind, cells


def gateways_workbook(
    file: BinaryIO,
    rows: Mapping[SheetKind, Iterable[Row]],
    extra: Mapping[SheetKind, Iterable[str]],
    language: Language,
) -> None:
    """extra: fields of a sheet beside those of every template."""
    sheets = []
    for kind in SHEETS:
        columns = [
            *_standard(kind),
            *filter(None, (column_of(kind, name) for name in sorted(extra.get(kind, ())))),
        ]
        sheets.append(
            Sheet(
                TITLES[kind][language],
                [_head(kind, column, language) for column in columns],
                _lines(columns, rows.get(kind, ())),
                frozen=1,
            )
        )
    write_workbook(file, sheets)


def template_workbook(file: BinaryIO, language: Language) -> None:
    """Sheets with an example that no import takes, and one that explains their columns."""
    sheets = [
        Sheet(
            TITLES[kind][language],
            [_head(kind, c, language) for c in _standard(kind)],
            _lines(_standard(kind), [example(kind, language)]),
            frozen=1,
        )
        for kind in SHEETS
    ]
    heads = [
        Column(WORDS[name][language], 24)
        for name in ("sheet", "head", "field", "kind", "needed", "choices", "range")
    ]
    sheets.append(Sheet(WORDS["help"][language], heads, _explained(language)))
    write_workbook(file, sheets)


def errors_workbook(
    file: BinaryIO,
    work: Workfile,
    sheets: Sequence[Mapping[str, Any]],
    results: Sequence[Result],
    language: Language,
) -> None:
    """The sheets of the file with their wrong rows, the reason first."""
    made = []
    for at, sheet in enumerate(sheets):
        wrong = [each for each in results if each.sheet == sheet["kind"] and each.number]
        heads = [Column(WORDS[name][language], width) for name, width in (("wrong", 40), ("number", 8))]
        heads += [Column(title, WIDTH) for title in sheet["header"]]
        if sheet["kind"] and wrong:
            made.append(Sheet(sheet["name"], heads, _wrong_rows(work, at, wrong, language), frozen=2))
    write_workbook(file, made or [Sheet(WORDS["wrong"][language], [], ())])


def secrets_workbook(file: BinaryIO, rows: Sequence[tuple[str, str, str]]) -> None:
    heads = [Column("网关编号 SN", 24), Column("设备名称 Title", 32), Column("密钥 Secret", 56)]
    write_workbook(file, [Sheet("Secrets", heads, rows)])


def extra_fields(kind: SheetKind, row: Row) -> Iterator[str]:
    """Fields of a row that no template has."""
    inner = INNER.get(kind)
    if inner is not None:
        standard = columns_of(kind)
        for name in row:
            if name.startswith(f"{inner}.") and (kind == "slaves" or name not in standard):
                yield name


def fields_of(kind: SheetKind, row: Mapping[str, Any]) -> Row:
    """What of a document's row has a column."""
    fields: Row = {}
    inner = INNER.get(kind, "")
    for name, value in row.items():
        if name == inner and isinstance(value, Mapping):
            for key, each in value.items():
                column = column_of(kind, f"{inner}.{key}")
                if column is not None:
                    fields[column.field] = each
    for column in columns_of(kind).values():
        if len(column.path) == 1 and column.path[0] in row and column.field not in SETTINGS:
            fields[column.field] = row[column.path[0]]
    return fields


def _standard(kind: SheetKind) -> list[SheetColumn]:
    return [column for column in columns_of(kind).values() if not column.field.startswith("options.")]


def _head(kind: SheetKind, column: SheetColumn, language: Language) -> Column:
    choices = CHOICES.get((kind, column.field), ("true", "false") if column.kind == "bool" else ())
    return Column(column.title(language), WIDTH, choices, is_text=column.kind in TEXT_KINDS)


def _lines(columns: Sequence[SheetColumn], rows: Iterable[Row]) -> Iterator[list[Cell]]:
    return (_cells(columns, row) for row in rows)


def _cells(columns: Sequence[SheetColumn], row: Row) -> list[Cell]:
    return [cell_of(row.get(column.field), column.kind) for column in columns]


def _explained(language: Language) -> Iterator[list[Cell]]:
    for kind in SHEETS:
        for column in columns_of(kind).values():
            yield [
                TITLES[kind][language],
                column.title(language),
                column.field,
                KIND_WORDS[column.kind][language],
                column.field in (GATEWAY, *KEYS[kind]) or None,
                values_text(kind, column.field, language),
                range_text(kind, column.field),
            ]


def _wrong_rows(
    work: Workfile, sheet: int, wrong: Sequence[Result], language: Language
) -> Iterator[list[Cell]]:
    kinds: SheetKind = wrong[0].sheet  # type: ignore[assignment]
    for at in range(0, len(wrong), ROWS_AT_ONCE):
        some = wrong[at : at + ROWS_AT_ONCE]
        for result, (_, number, cells) in zip(
            some, work.rows([(sheet, w.number) for w in some]), strict=True
        ):
            yield [_why(kinds, result, language), number, *cells]


def _why(kind: SheetKind, result: Result, language: Language) -> str:
    reasons = []
    for field, _, _, code, arguments in result.cells:
        if code:
            column = column_of(kind, field)
            title = column.title(language) if column else field
            reasons.append(f"{title}: {why(code, arguments, language)}")
    return "; ".join(reasons)
