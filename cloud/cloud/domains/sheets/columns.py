"""The four sheets and their columns: which field each one is, and by which heads it is known. Pure."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, get_args

from cloud.domains.points.fields import BEYOND, FIELDS, FieldName
from cloud.domains.points.forms import forms
from cloud.domains.points.rules import ACCESSES, DATA_TYPES, TYPES

Kind = Literal["text", "int", "number", "bool", "time", "any", "json", "name"]
"""name: of a project, a product or a gateway template, or its number."""
SheetKind = Literal["devices", "ports", "slaves", "points"]
Language = Literal["zh", "en"]

SHEETS: tuple[SheetKind, ...] = ("devices", "ports", "slaves", "points")
SECTIONS: tuple[SheetKind, ...] = ("ports", "slaves", "points")
"""Sheets whose rows stand in a configuration document."""

TITLES: Mapping[SheetKind, Mapping[Language, str]] = {
    "devices": {"zh": "设备", "en": "Devices"},
    "ports": {"zh": "端口", "en": "Ports"},
    "slaves": {"zh": "从机", "en": "Slave devices"},
    "points": {"zh": "数据点", "en": "Data points"},
}

GATEWAY = "gateway_id"
TEMPLATE = "gateway_template_id"
"""Not one of the gateway's own fields: it is what its draft uses."""

KEYS: Mapping[SheetKind, tuple[str, ...]] = {
    "devices": (),
    "ports": ("name",),
    "slaves": ("name",),
    "points": ("slave", "ds_name"),
}
"""What a row is known by, beside the serial number of its gateway."""

CHOICES: Mapping[tuple[SheetKind, str], Sequence[str]] = {
    ("ports", "type"): ("COM", "NET"),
    ("ports", "parity"): ("N", "O", "E"),
    ("slaves", "protocol"): tuple(forms()),
    ("points", "ds_type"): TYPES,
    ("points", "rw"): ACCESSES,
    ("points", "data_type"): DATA_TYPES,
    ("points", "regtype"): ("0X", "1X", "3X", "4X"),
    ("points", "collect_mode"): ("cycle", "on_demand"),
    ("points", "priority"): ("alarm", "trend", "counter"),
    ("points", "alarm_mode"): ("single", "multi"),
}
"""Offered in the template."""

SETTINGS = frozenset(name.field for name in FIELDS["settings"])
"""Fields of a point that the cloud alone knows."""

INNER = re.compile(r"(options|address)\.[A-Za-z0-9_]{1,64}")
_KINDS: Mapping[str, Kind] = {"integer": "int", "switch": "bool", "text": "text", "choice": "text"}


@dataclass(frozen=True)
class SheetColumn:
    """A field. path: where it stands in a row of the document; of a device or a setting its own name.
    former: heads that it had in older files.
    """

    field: str
    path: tuple[str, ...]
    kind: Kind
    zh: str
    en: str
    previous: tuple[str, ...] = ()

    def title(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


@cache
def columns_of(sheet: SheetKind) -> dict[str, SheetColumn]:
    """Columns of a sheet by field, in their order; of slaves with the options of every protocol."""
    text = (resources.files(__package__) / "columns.csv").read_text(encoding="utf-8")
    names = {name.field: name for name in (*FIELDS.get(sheet, ()), *_settings(sheet))}
    columns: dict[str, SheetColumn] = {}
    for row in csv.DictReader(text.splitlines()):
        if row["sheet"] != sheet:
            continue
        field, kind = row["field"], _kind(row["kind"])
        name = names.get(field)
        zh, en = (row["zh"], row["en"]) if name is None else (name.zh, name.en)
        previous = tuple(filter(None, (row["former"] or "").split("|")))
        columns[field] = SheetColumn(field, (field,) if name is None else name.path, kind, zh, en, previous)
    if sheet == "slaves":
        columns |= _options()
    if sheet == "points":
        columns |= {
            name: SheetColumn(name, names[name].path, "any", names[name].zh, names[name].en)
            for name in BEYOND
        }
    return columns


def column_of(sheet: SheetKind, field: str) -> SheetColumn | None:
    """A column; options and addresses that this cloud does not know are columns by their path."""
    known = columns_of(sheet).get(field)
    if known is not None:
        return known
    inner = {"slaves": "options.", "points": "address."}.get(sheet)
    if inner is None or not field.startswith(inner) or not INNER.fullmatch(field):
        return None
    by_path = {".".join(column.path): column for column in columns_of(sheet).values()}
    return by_path.get(field) or SheetColumn(field, tuple(field.split(".")), "any", field, field)


def guessed(
    name: str, header: Sequence[str], *, single: bool = False
) -> tuple[SheetKind | None, list[str | None]]:
    """Which sheet this is, by its name or else by its heads, and the field of each of its columns.

    Heads may be in either language or names of fields, in any case and with any spaces. single: of one
    gateway, so that no column has to name it.
    """
    called = _plain(name)
    kinds = [kind for kind in SHEETS if called in {_plain(kind), *map(_plain, TITLES[kind].values())}]
    best: tuple[SheetKind | None, list[str | None]] = (None, [None] * len(header))
    for kind in kinds or SHEETS:
        fields = _fields(kind, header)
        has_keys = {*KEYS[kind], *(() if single else (GATEWAY,))} <= set(fields)
        if has_keys and sum(map(bool, fields)) > sum(map(bool, best[1])):
            best = kind, fields
    return best


def _fields(sheet: SheetKind, header: Sequence[str]) -> list[str | None]:
    heads = _heads(sheet)
    titles = {title: c.field for c in columns_of(sheet).values() for title in (c.zh, c.en)}
    taken: set[str] = set()
    result: list[str | None] = []
    for head in header:
        column = column_of(sheet, head.strip())
        field = titles.get(head.strip()) or (column.field if column else heads.get(_plain(head)))
        result.append(None if field is None or field in taken else field)
        taken.add(field or "")
    return result


@cache
def _heads(sheet: SheetKind) -> dict[str, str]:
    result: dict[str, str] = {"sn": GATEWAY, "序列号sn": GATEWAY, "网关编号sn": GATEWAY}
    if sheet == "devices":
        result |= {"项目编号": "project_id", "projectnumber": "project_id"}
        result |= {"产品编号": "product_id", "productnumber": "product_id"}
    columns = columns_of(sheet).values()
    for heads in (
        [(column.field, column.field) for column in columns],
        [(column.field, column.zh) for column in columns],
        [(column.field, column.en) for column in columns],
        [(column.field, column.path[-1]) for column in columns],
        [(column.field, head) for column in columns for head in column.previous],
    ):
        for field, head in heads:
            result.setdefault(_plain(head), field)
    return result


def _plain(head: str) -> str:
    return re.sub(r"[\s_()（）*]+", "", head).casefold()


def _kind(text: str) -> Kind:
    result: Kind = next(kind for kind in get_args(Kind) if kind == text)
    return result


def _settings(sheet: SheetKind) -> Sequence[FieldName]:
    return FIELDS["settings"] if sheet == "points" else ()


def _options() -> dict[str, SheetColumn]:
    result: dict[str, SheetColumn] = {}
    for form in forms().values():
        for option in form.options:
            field = f"options.{option.name}"
            result.setdefault(
                field,
                SheetColumn(
                    field,
                    ("options", option.name),
                    _KINDS.get(option.kind, "any"),
                    f"选项：{option.zh}",
                    f"Option: {option.en}",
                ),
            )
    return result
