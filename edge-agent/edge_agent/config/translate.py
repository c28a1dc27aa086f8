"""Documents that an earlier agent accepted, in the words of this one. Pure.

The address of a Modbus TCP slave could be 0 to 255. It is 1 to 247 now, and options.unit_id says what
stands in the frames. What runs already goes on; a new document is judged as it is.
"""

from __future__ import annotations

from typing import Any

LOWEST, HIGHEST, HIGHEST_UNIT = 1, 247, 255


def translated(tables: dict[str, Any]) -> dict[str, Any]:
    """The same tables, or a copy in which such slaves have a free address and their unit as an option."""
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
