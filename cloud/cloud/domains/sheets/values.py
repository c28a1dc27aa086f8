"""A cell of a sheet to the value of a field, and back. Pure."""

from __future__ import annotations

import json
import math
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from cloud.core.xlsx import Cell, NoValue
from cloud.core.xlsx.cells import EXACT, FORMULA
from cloud.domains.configuration.document import HIGHEST, LOWEST
from cloud.domains.sheets.columns import Kind

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FROM_MS, TO_MS = 946_684_800_000, 7_258_118_400_000
"""The years 2000 to 2199. Other numbers are no milliseconds: 46387 is a day of a spreadsheet whose cell has
lost its format, 20271231 a date without its dashes.
"""

TRUE = frozenset({"true", "yes", "y", "on", "1", "是", "开", "启用", "√"})
FALSE = frozenset({"false", "no", "n", "off", "0", "否", "关", "停用", "×"})
INTEGER = re.compile(r"[+-]?[0-9]{1,20}")
JSON_BEGINS = ("{", "[", '"')
LARGEST = 2**64


class WrongValue(Exception):
    """A cell does not hold what its column wants. code: for which the portal has words."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def value_of(cell: Cell, kind: Kind) -> Any:
    """The value of a cell that is not empty; None for one of spaces only.

    Raises WrongValue when the cell does not hold what its column wants.
    """
    if isinstance(cell, str):
        cell = cell.strip()
        if not cell:
            return None
    if isinstance(cell, NoValue):
        raise WrongValue(code_of(cell))
    return _READERS[kind](cell)


def code_of(cell: NoValue) -> str:
    """Of the fault that such a cell is wherever it stands."""
    return "formula_without_value" if cell.text == FORMULA else "error_value"


def check_held(value: Any, levels: int) -> None:
    """WrongValue for what no configuration can hold. levels: how deep lists and tables may be in it."""
    if levels < 0:
        raise WrongValue("json_deep")
    if isinstance(value, dict):
        for key, item in value.items():
            check_held(key, levels)
            check_held(item, levels - 1)
    elif isinstance(value, list):
        for item in value:
            check_held(item, levels - 1)
    elif isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise WrongValue("printable") from None
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise WrongValue("finite")
    elif isinstance(value, int) and not LOWEST <= value < HIGHEST:
        raise WrongValue("bits64")


def cell_of(value: Any, kind: Kind) -> Cell:
    """What `value_of` makes this value of."""
    if value is None or (isinstance(value, bool | float) and kind != "json"):
        return value
    if kind == "time":
        return (EPOCH + timedelta(milliseconds=value)).isoformat().replace("+00:00", "Z")
    if kind == "json" or isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    if isinstance(value, str):
        return (
            json.dumps(value, ensure_ascii=False)
            if kind == "any" and value.startswith(JSON_BEGINS)
            else value
        )
    return value if isinstance(value, int) and abs(value) < EXACT else str(value)


def is_same(before: Any, after: Any) -> bool:
    """Is a value the one that was there? 2 is 2.0; spaces around a text are not looked at."""
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    if isinstance(before, str) and not isinstance(after, str | dict | list) and after is not None:
        return before.strip() == str(after)
    if isinstance(before, int) and isinstance(after, str):
        return abs(before) >= EXACT and str(before) == after  # which no cell holds as a number
    if isinstance(before, str) and isinstance(after, str):
        return before == after or before.strip() == after.strip()
    return bool(before == after)


def _text(cell: Cell) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return str(cell)


def _integer(cell: Cell) -> int:
    if isinstance(cell, str) and INTEGER.fullmatch(cell):
        cell = int(cell)
    if isinstance(cell, int) and not isinstance(cell, bool) and abs(cell) < LARGEST:
        return cell
    raise WrongValue("int")


def _number(cell: Cell) -> int | float:
    value: Any = cell
    if isinstance(cell, str):
        try:
            value = int(cell) if INTEGER.fullmatch(cell) else float(cell)
        except ValueError:
            raise WrongValue("number") from None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise WrongValue("number")
    if abs(value) >= LARGEST and isinstance(value, int):
        raise WrongValue("number")
    return value


def _bool(cell: Cell) -> bool:
    if isinstance(cell, bool):
        return cell
    text = str(cell).casefold()
    if text in TRUE:
        return True
    if text in FALSE:
        return False
    raise WrongValue("bool")


def _time(cell: Cell) -> int:
    """Milliseconds of UTC; a cell has no zone, so it is UTC too."""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        if FROM_MS <= cell < TO_MS:
            return int(cell)
        raise WrongValue("time_number")
    if isinstance(cell, str):
        try:
            cell = datetime.fromisoformat(cell)
        except ValueError:
            raise WrongValue("time") from None
    if not isinstance(cell, datetime):
        raise WrongValue("time")
    value = cell if cell.tzinfo else cell.replace(tzinfo=UTC)
    try:
        since = value - EPOCH
    except OverflowError:
        raise WrongValue("time") from None
    if since < timedelta(0):
        raise WrongValue("time")
    return since // timedelta(milliseconds=1)


def _name(cell: Cell) -> int | str:
    """A number, or a name that is looked up."""
    return cell if isinstance(cell, str) and not INTEGER.fullmatch(cell) else _integer(cell)


def _any(cell: Cell) -> Any:
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, str) and cell.startswith(JSON_BEGINS):
        return _json(cell)
    if isinstance(cell, float) and not math.isfinite(cell):
        raise WrongValue("number")
    return cell


def _json(cell: Cell) -> Any:
    try:
        value = json.loads(str(cell))
    except (ValueError, RecursionError):
        raise WrongValue("json") from None
    if not isinstance(value, dict | list | str):
        raise WrongValue("json")
    return value


_READERS = {
    "text": _text,
    "int": _integer,
    "number": _number,
    "bool": _bool,
    "time": _time,
    "any": _any,
    "json": _json,
    "name": _name,
}
