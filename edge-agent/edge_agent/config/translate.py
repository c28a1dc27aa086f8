"""Documents that an earlier agent accepted, in the words of this one. Pure.

The address of a Modbus TCP slave could be 0 to 255. It is 1 to 247 now, and options.unit_id says what
stands in the frames. A key without its certificate was taken and not used, a title of any length taken and
cut for the cloud. What runs already goes on; a new document is validated as it is.
"""

from __future__ import annotations

from typing import Any

from edge_contract.limits import MAX_TEXT

LOWEST, HIGHEST, HIGHEST_UNIT = 1, 247, 255


def translated(tables: dict[str, Any]) -> dict[str, Any]:
    """The same tables, or a copy without such a key, with such slaves at free addresses and titles cut."""
    return _with_units(_without_lone_key(_with_short_titles(tables)))


def _with_short_titles(tables: dict[str, Any]) -> dict[str, Any]:
    shorter: dict[str, Any] = {
        name: [_short(row) for row in part] if isinstance(part, list) else _short(part)
        for name, part in tables.items()
        if name in ("gateway", "slaves", "points") and _has_long_title(part)
    }
    return {**tables, **shorter} if shorter else tables


def _has_long_title(part: Any) -> bool:
    return any(_short(row) is not row for row in (part if isinstance(part, list) else [part]))


def _short(row: Any) -> Any:
    title = row.get("title") if isinstance(row, dict) else None
    if not isinstance(title, str) or len(title) <= MAX_TEXT:
        return row
    return {**row, "title": title[:MAX_TEXT]}


def _without_lone_key(tables: dict[str, Any]) -> dict[str, Any]:
    page = tables.get("local_page")
    if not isinstance(page, dict) or "cert_file" in page or "key_file" not in page:
        return tables
    return {**tables, "local_page": {name: value for name, value in page.items() if name != "key_file"}}


def _with_units(tables: dict[str, Any]) -> dict[str, Any]:
    slaves = tables.get("slaves")
    if not isinstance(slaves, list) or not any(_is_beyond(row) for row in slaves):
        return tables
    taken = {(row.get("port"), _number(row.get("address"))) for row in slaves if isinstance(row, dict)}
    rows = []
    for row in slaves:
        if _is_beyond(row):
            free = next(
                at for at in range(LOWEST, len(slaves) + HIGHEST) if (row.get("port"), at) not in taken
            )
            taken.add((row.get("port"), free))
            options = {"unit_id": _number(row["address"]), **row.get("options", {})}
            row = {**row, "address": str(free), "options": options}
        rows.append(row)
    return {**tables, "slaves": rows}


def _is_beyond(row: Any) -> bool:
    if not isinstance(row, dict) or row.get("protocol") != "modbus_tcp":
        return False
    unit = _number(row.get("address"))
    is_beyond = unit is not None and unit <= HIGHEST_UNIT and not LOWEST <= unit <= HIGHEST
    return is_beyond and isinstance(row.get("options", {}), dict)


def _number(address: Any) -> int | None:
    is_short = isinstance(address, str) and address.isascii() and address.isdecimal() and len(address) <= 3
    return int(address) if is_short else None
