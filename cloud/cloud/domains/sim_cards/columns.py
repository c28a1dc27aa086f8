"""Columns of sheets of SIM cards, in both languages: what a cell says, and back. Pure.

Data is in MB of 1,048,576 bytes, money in its main unit. A head may be either language's or the field's name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from cloud.core.xlsx import Cell, NoValue
from cloud.core.xlsx.cells import FORMULA
from cloud.domains.sim_cards.iccid import is_iccid, plain
from cloud.domains.sim_cards.schemas import Language

MIB = 1024 * 1024
FEN = 100
ICCID, USED, USED_ON = "iccid", "used_bytes", "used_on"

Kind = Literal["iccid", "text", "data", "money", "day", "yes", "operator", "status"]
Words = Mapping[str, tuple[str, str]]

OPERATORS: Words = {
    "cmcc": ("中国移动", "China Mobile"),
    "cucc": ("中国联通", "China Unicom"),
    "ctcc": ("中国电信", "China Telecom"),
    "cbn": ("中国广电", "China Broadnet"),
    "other": ("其他", "Other"),
}
STATUSES: Words = {
    "stock": ("库存", "In stock"),
    "test": ("测试期", "Test period"),
    "silent": ("沉默期", "Silent period"),
    "active": ("正常", "Active"),
    "suspended": ("停机", "Suspended"),
    "cancelled": ("已销户", "Cancelled"),
}
"""As the portal has them; a test compares them."""
YES: Words = {"true": ("是", "yes"), "false": ("否", "no")}

_DIGITS_LOST = re.compile(r"^[0-9.]+[eE]\+?[0-9]+$")
_QUOTED = re.compile(r'^="(.*)"$')
_DAY = re.compile(r"^(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?$")
_COMPACT_DAY = re.compile(r"^(20\d{2})(\d{2})(\d{2})$")


class WrongCell(Exception):
    """A cell does not say what its column wants. code: for which the portal has words."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class CardColumn:
    """width: in characters."""

    field: str
    kind: Kind
    zh: str
    en: str
    width: float = 14

    def title(self, language: Language) -> str:
        return self.zh if language == "zh" else self.en


COLUMNS: tuple[CardColumn, ...] = (
    CardColumn(ICCID, "iccid", "ICCID", "ICCID", 24),
    CardColumn("operator", "operator", "运营商", "Operator"),
    CardColumn("supplier", "text", "供应商", "Supplier"),
    CardColumn("status", "status", "状态", "Status"),
    CardColumn("activated", "yes", "已激活", "Activated"),
    CardColumn("expires_on", "day", "到期日期", "Expires on"),
    CardColumn("plan_title", "text", "套餐", "Data plan"),
    CardColumn("plan_bytes", "data", "套餐流量 (MB)", "Plan data (MB)"),
    CardColumn(USED, "data", "已用流量 (MB)", "Used data (MB)"),
    CardColumn(USED_ON, "day", "已用流量截至日期", "Used until"),
    CardColumn("balance_fen", "money", "余额 (元)", "Balance (CNY)"),
    CardColumn("billing_begin", "day", "计费开始日期", "Billing from"),
    CardColumn("billing_end", "day", "计费结束日期", "Billing to"),
    CardColumn("activated_on", "day", "激活日期", "Activated on"),
    CardColumn("outbound_on", "day", "出库日期", "Outbound on"),
    CardColumn("created_on", "day", "创建日期", "Created on"),
    CardColumn("silent_until", "day", "沉默期截止日期", "Silent until"),
    CardColumn("test_until", "day", "测试期截止日期", "Test until"),
    CardColumn("test_bytes", "data", "测试用量 (MB)", "Test usage (MB)"),
    CardColumn("remark", "text", "备注", "Remark", 30),
)


def recognised(header: Sequence[str]) -> tuple[list[CardColumn | None], list[str]]:
    """The column of each head, each column once, and the heads that are none."""
    heads = {_plain(word): each for each in COLUMNS for word in (each.field, each.zh, each.en)}
    taken: set[str] = set()
    columns: list[CardColumn | None] = []
    ignored: list[str] = []
    for head in header:
        column = heads.get(_plain(head))
        if column is None or column.field in taken:
            columns.append(None)
            ignored += [head] if head else []
            continue
        taken.add(column.field)
        columns.append(column)
    return columns, ignored


def value_of(cell: Cell, kind: Kind) -> Any:
    """The value of a cell; None for an empty one. WrongCell."""
    if isinstance(cell, NoValue):
        raise WrongCell("formula_without_value" if cell.text == FORMULA else "error_value")
    if isinstance(cell, str):
        quoted = _QUOTED.match(cell.strip())
        cell = (quoted[1] if quoted else cell).strip()
    return None if cell is None or cell == "" else _READERS[kind](cell)


def cell_of(value: Any, kind: Kind, language: Language) -> Cell:
    """What value_of makes this value of."""
    if value is None:
        return None
    at = 0 if language == "zh" else 1
    words = {"operator": OPERATORS, "status": STATUSES}.get(kind)
    if words is not None:
        return words[value][at] if value in words else str(value)
    if kind == "yes":
        return YES["true" if value else "false"][at]
    if kind == "data":
        size = int(value)
        return size // MIB if size % MIB == 0 else size / MIB
    if kind == "money":
        return int(value) / FEN
    return value.isoformat() if isinstance(value, date) else str(value)


def _plain(head: str) -> str:
    return re.sub(r"[\s_()（）*]+", "", head).casefold()


def _iccid(cell: Cell) -> str:
    """A number has lost its last digits in a spreadsheet: it holds 15 of them."""
    if not isinstance(cell, str) or _DIGITS_LOST.match(cell):
        raise WrongCell("digits_lost")
    number = plain(cell)
    if not is_iccid(number):
        raise WrongCell("iccid")
    return number


def _text(cell: Cell) -> str:
    return cell.date().isoformat() if isinstance(cell, datetime) else str(cell)


def _number(cell: Cell) -> float:
    if isinstance(cell, str):
        try:
            cell = float(cell.replace(",", ""))
        except ValueError:
            raise WrongCell("number") from None
    if isinstance(cell, bool) or not isinstance(cell, int | float) or not math.isfinite(cell):
        raise WrongCell("number")
    return cell


def _data(cell: Cell) -> int:
    return round(_number(cell) * MIB)


def _money(cell: Cell) -> int:
    return round(_number(cell) * FEN)


def _day(cell: Cell) -> date:
    if isinstance(cell, datetime):
        return cell.date()
    text = str(cell).split("T")[0].split(" ")[0]
    found = _DAY.match(text) or _COMPACT_DAY.match(text)
    if found is None:
        raise WrongCell("day")
    try:
        return date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        raise WrongCell("day") from None


def _yes(cell: Cell) -> bool:
    text = str(cell).casefold()
    if text in ("true", "yes", "y", "1", "是", "已激活", "√"):
        return True
    if text in ("false", "no", "n", "0", "否", "未激活", "×"):
        return False
    raise WrongCell("bool")


def _word(words: Words) -> Callable[[Cell], str]:
    known = {each.casefold(): code for code, both in words.items() for each in (code, *both)}

    def read(cell: Cell) -> str:
        """WrongCell for a word that is none of them."""
        code = known.get(str(cell).casefold())
        if code is None:
            raise WrongCell("one_of")
        return code

    return read


_READERS: Mapping[Kind, Callable[[Cell], Any]] = {
    "iccid": _iccid,
    "text": _text,
    "data": _data,
    "money": _money,
    "day": _day,
    "yes": _yes,
    "operator": _word(OPERATORS),
    "status": _word(STATUSES),
}
