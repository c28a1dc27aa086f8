"""Two configuration documents compared setting by setting, and one without its secrets. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from edge_agent.system.hiding import HIDDEN
from edge_contract.deployment import Document
from edge_contract.document.difference import FieldChange, difference
from edge_contract.document.masking import masked, masked_at
from edge_contract.document.rows import Key, by_key, name_of
from edge_contract.document.tables import TABLES
from edge_contract.document.values import ABSENT

MAX_ROWS = 500
LONGEST = 120
"""Characters of a value."""
Row = dict[str, str | None]


def differences(before: Document, after: Document) -> tuple[list[Row], int]:
    """Rows of section, item, setting, before and after (None: not there), and how many more there are.

    That a secret is another one is reported, but not which.
    """
    rows = _rows(before, after)
    listed = list(islice(rows, MAX_ROWS))
    return listed, sum(1 for _ in rows)


def _rows(before: Document, after: Document) -> Iterator[Row]:
    """Single tables first, rows as they stand in the one before and new ones behind them."""
    made = difference(before, after)
    for change in sorted(made.other, key=lambda each: (each.path[0] in TABLES, each.path[0])):
        yield _row(change.path[0], "", change.path[1:], change.before, change.after)
    for section in sorted(made.sections):
        rows = made.sections[section]
        keys = [*rows.removed, *rows.changed, *rows.added]
        for key in _in_order(keys, list(by_key(before, section))):
            changes = rows.changed.get(key) or [
                FieldChange((), rows.removed.get(key, ABSENT), rows.added.get(key, ABSENT))
            ]
            for path, old, new in changes:
                yield _row(section, name_of(key), path, old, new)


def _in_order(keys: list[Key], before: list[Key]) -> list[Key]:
    places = {key: at for at, key in enumerate(before)}
    return sorted(keys, key=lambda key: places.get(key, len(places)))


def _row(section: str, item: str, path: tuple[str, ...], old: Any, new: Any) -> Row:
    before, after = (None if value is ABSENT else masked_at(path, value, mask=HIDDEN) for value in (old, new))
    return {
        "section": section,
        "item": item,
        "setting": ".".join(path),
        "before": _text(before),
        "after": _text(after),
    }


def _text(value: Any) -> str | None:
    """As JSON says it, cut."""
    if value is None:
        return None
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def redacted(value: Any) -> Any:
    """A document with (hidden) in place of every secret."""
    return masked(value, mask=HIDDEN)
