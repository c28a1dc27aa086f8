"""Values of [collection] in the place of what ports and slaves do not state. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

OWN = (("ports", "capture_cycle_ms"), ("slaves", "response_timeout_ms"))
"""Section and field that has the value of [collection] where a row does not state it."""


def with_defaults(tables: dict[str, Any]) -> dict[str, Any]:
    """The same tables with those fields filled in; what has no right shape is left as it is."""
    general = tables.get("collection")
    if not isinstance(general, Mapping):
        return tables
    filled = dict(tables)
    for section, name in OWN:
        rows = tables.get(section)
        if name in general and isinstance(rows, list):
            filled[section] = [{name: general[name], **row} if isinstance(row, dict) else row for row in rows]
    return filled
