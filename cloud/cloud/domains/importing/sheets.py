"""The workbooks of this room: gateways with their points, the template, wrong rows, secrets. They block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO

from cloud.domains.importing.columns import (
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
from cloud.domains.importing.values import cell_of
from cloud.domains.importing.workfile import Result, Workfile
from cloud.kit.xlsx import Cell, Column, Sheet, write_workbook

Row = dict[str, Any]
"""Values by field."""

WIDTH = 15
TEXT_KINDS = frozenset({"text", "json", "time"})
INNER: Mapping[SheetKind, str] = {"slaves": "options", "points": "address"}
WORDS = {
    "wrong": {"zh": "错误原因", "en": "What is wrong"},
    "number": {"zh": "行号", "en": "Row"},
    "help": {"zh": "说明", "en": "Help"},
    "sheet": {"zh": "工作表", "en": "Sheet"},
    "head": {"zh": "列名", "en": "Column"},
    "field": {"zh": "字段", "en": "Field"},
    "kind": {"zh": "类型", "en": "Kind"},
    "choices": {"zh": "可选值", "en": "Choices"},
    "needed": {"zh": "必填", "en": "Needed"},
}
KIND_WORDS = {
    "text": {"zh": "文本", "en": "text"},
    "int": {"zh": "整数", "en": "whole number"},
    "number": {"zh": "数值", "en": "number"},
    "bool": {"zh": "是/否", "en": "true or false"},
    "time": {"zh": "时间(UTC)", "en": "time (UTC)"},
    "any": {"zh": "文本或数值", "en": "text or number"},
    "json": {"zh": "JSON", "en": "JSON"},
}


def rows_of_gateway(
    gateway: str, fields: Row, document: Mapping[str, Any], settings: Mapping[tuple[str, str], Row]
) -> Iterator[tuple[SheetKind, Row]]:
    """Rows of every sheet."""
    yield "devices", {GATEWAY: gateway, **fields}
    for kind in SHEETS[1:]:
        rows = document.get(kind)
        for row in rows if isinstance(rows, list) else ():
            found = {GATEWAY: gateway, **_fields(kind, row)}
            if kind == "points":
                found |= settings.get((str(row.get("slave")), str(row.get("name"))), {})
            yield kind, found


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
    """Empty sheets, and one that explains their columns."""
    sheets = [
        Sheet(TITLES[kind][language], [_head(kind, c, language) for c in _standard(kind)], (), frozen=1)
        for kind in SHEETS
    ]
    heads = [
        Column(WORDS[name][language], 24) for name in ("sheet", "head", "field", "kind", "needed", "choices")
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
    heads = [Column("序列号 SN", 24), Column("设备名称 Title", 32), Column("密钥 Secret", 56)]
    write_workbook(file, [Sheet("Secrets", heads, rows)])


def extra_fields(kind: SheetKind, row: Row) -> Iterator[str]:
    """Fields of a row that no template has."""
    inner = INNER.get(kind)
    if inner is not None:
        standard = columns_of(kind)
        for name in row:
            if name.startswith(f"{inner}.") and (kind == "slaves" or name not in standard):
                yield name


def _fields(kind: SheetKind, row: Mapping[str, Any]) -> Row:
    """What of a document's row has a column."""
    found: Row = {}
    inner = INNER.get(kind, "")
    for name, value in row.items():
        if name == inner and isinstance(value, Mapping):
            for key, each in value.items():
                column = column_of(kind, f"{inner}.{key}")
                if column is not None:
                    found[column.field] = each
    for column in columns_of(kind).values():
        if len(column.path) == 1 and column.path[0] in row and column.field not in SETTINGS:
            found[column.field] = row[column.path[0]]
    return found


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
                ", ".join(CHOICES.get((kind, column.field), ())),
            ]


def _wrong_rows(
    work: Workfile, sheet: int, wrong: Sequence[Result], language: Language
) -> Iterator[list[Cell]]:
    kinds: SheetKind = wrong[0].sheet  # type: ignore[assignment]
    for at in range(0, len(wrong), 500):
        some = wrong[at : at + 500]
        for result, (_, number, cells) in zip(
            some, work.rows([(sheet, w.number) for w in some]), strict=True
        ):
            yield [_why(kinds, result, language), number, *cells]


def _why(kind: SheetKind, result: Result, language: Language) -> str:
    """Codes with their arguments: the portal has words, a file has to be short."""
    found = []
    for field, _, _, code, arguments in result.cells:
        if code:
            column = column_of(kind, field)
            said = ", ".join(str(value) for value in arguments.values())
            words = WHY.get(code, {}).get(language, code)
            found.append(
                f"{column.title(language) if column else field}: {words}{f' ({said})' if said else ''}"
            )
    return "; ".join(found)


WHY: Mapping[str, Mapping[Language, str]] = {
    "required": {"zh": "必填", "en": "is needed"},
    "twice": {"zh": "重复", "en": "stands there twice"},
    "int": {"zh": "应为整数", "en": "must be a whole number"},
    "number": {"zh": "应为数值", "en": "must be a number"},
    "bool": {"zh": "应为 是 或 否", "en": "must be true or false"},
    "time": {"zh": "应为时间", "en": "must be a time"},
    "json": {"zh": "应为 JSON", "en": "must be JSON"},
    "rule": {"zh": "不符合要求", "en": "breaks a rule"},
    "range": {"zh": "超出范围", "en": "is out of range"},
    "choice": {"zh": "不是可选值", "en": "is none of the choices"},
    "depends": {"zh": "所属设备的行有误", "en": "the row of its gateway is wrong"},
    "no_gateway": {
        "zh": "没有此设备，文件中也没有它的设备行",
        "en": "there is no such gateway, nor a row that makes it",
    },
    "claimed": {"zh": "序列号已被占用", "en": "the serial number is taken"},
    "serial_number": {"zh": "序列号格式不正确", "en": "is no serial number"},
    "read_only": {"zh": "该设备以只读方式共享给您", "en": "the gateway is shared with you read only"},
    "in_use": {"zh": "仍被使用，不能移除", "en": "is still used and cannot go"},
    "unknown_port": {"zh": "没有此端口", "en": "there is no such port"},
    "unknown_slave": {"zh": "没有此从机", "en": "there is no such slave device"},
    "unknown_protocol": {"zh": "没有此协议", "en": "there is no such protocol"},
    "both_coordinates": {"zh": "经纬度必须同时填写", "en": "longitude and latitude belong together"},
}
