"""What one configuration's document has otherwise than another, setting by setting. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from edge_agent.localweb.redaction import HIDDEN, SECRET_NAME, redacted
from edge_contract.deployment import Document

MOST_ROWS = 500
LONGEST = 120
"""Characters of a value."""
IDENTITY = {"ports": ("name",), "slaves": ("name",), "scripts": ("name",), "points": ("slave", "name")}
"""What tells the items of a list apart."""

Row = dict[str, str | None]
Items = dict[str, Any]


def differences(before: Document, after: Document) -> tuple[list[Row], int]:
    """Rows of section, item, setting, before and after (None: not there), and how many more there are.

    That a secret is another one is told, but not which.
    """
    rows = _rows(before, after)
    shown = list(islice(rows, MOST_ROWS))
    return shown, sum(1 for _ in rows)


def _rows(before: Document, after: Document) -> Iterator[Row]:
    for section in sorted(before.keys() | after.keys(), key=_order):
        old, new = _items(section, before.get(section)), _items(section, after.get(section))
        for item in dict.fromkeys([*old, *new]):
            yield from _item(section, item, old.get(item), new.get(item))


def _order(section: str) -> tuple[bool, str]:
    """Single tables first."""
    return section in IDENTITY, section


def _items(section: str, value: Any) -> Items:
    """Items of a section by name; of one that is no list of named items the whole under no name."""
    names = IDENTITY.get(section)
    if names is None or not isinstance(value, list):
        return {} if value is None else {"": value}
    items: Items = {}
    for at, item in enumerate(value):
        told = [str(item.get(name, "?")) for name in names] if isinstance(item, dict) else [str(at)]
        items[".".join(told)] = item
    return items


def _item(section: str, item: str, old: Any, new: Any) -> Iterator[Row]:
    if isinstance(old, dict) and isinstance(new, dict):
        for setting in dict.fromkeys([*old, *new]):
            if old.get(setting) != new.get(setting) or (setting in old) != (setting in new):
                yield from _setting(section, item, setting, old.get(setting), new.get(setting))
    elif old != new:
        old, new = redacted(old), redacted(new)
        yield {"section": section, "item": item, "setting": "", "before": _told(old), "after": _told(new)}


def _setting(section: str, item: str, setting: str, old: Any, new: Any) -> Iterator[Row]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            if old.get(name) != new.get(name):
                yield from _setting(section, item, f"{setting}.{name}", old.get(name), new.get(name))
        return
    if SECRET_NAME.search(setting):
        old, new = old and HIDDEN, new and HIDDEN
    yield {
        "section": section,
        "item": item,
        "setting": setting,
        "before": _told(redacted(old)),
        "after": _told(redacted(new)),
    }


def _told(value: Any) -> str | None:
    """As JSON says it, cut."""
    if value is None:
        return None
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
