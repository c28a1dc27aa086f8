"""Secrets of a configuration document, known by the names of their fields. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from edge_contract.document.rows import key_of
from edge_contract.document.tables import HIDDEN_FIELD

MASK = "******"

PRIVATE = "must not be in a configuration: set it with edge-agent target-password or on the local page"
"""Rule for the password of a target of [[forwarders]], which lies on the gateway alone."""

PLACE = ("server", "port")
"""Fields that say where the secrets beside them go."""

_SECRET = re.compile(HIDDEN_FIELD, re.IGNORECASE)


@lru_cache(maxsize=1024)
def is_secret(name: str) -> bool:
    """Does a field of this name hold a secret?"""
    return _SECRET.search(name) is not None


def masked(value: Any, name: str = "", *, mask: str = MASK) -> Any:
    """The same value with the mask in place of every secret in it. name: of its field; what lies in a field
    of a secret's name is secret at any depth. Nothing ("" or null) stays.
    """
    if isinstance(value, dict):
        return {inner: masked(item, _inside(name, inner), mask=mask) for inner, item in value.items()}
    if isinstance(value, list):
        return [masked(item, name, mask=mask) for item in value]
    if name and is_secret(name):
        return value if value in (None, "") else mask
    return value


def masked_at(path: tuple[str, ...], value: Any, *, mask: str = MASK) -> Any:
    """As masked, of the value at a path of field names."""
    return masked(value, next((name for name in path if is_secret(name)), ""), mask=mask)


def unmasked(value: Any, before: Any, name: str = "") -> Any:
    """The same value with the secrets of the one before where MASK stands. Rows of a list are found by their
    names; a mask under which nothing was stays one, and so does one beside a server that was another: who
    may not see a secret may not have it sent to a place of his own.
    """
    if value is before:
        return value
    if isinstance(value, dict):
        held = before if isinstance(before, dict) and not _names_another_place(value, before) else {}
        return {inner: unmasked(item, held.get(inner), _inside(name, inner)) for inner, item in value.items()}
    if isinstance(value, list):
        rows = before if isinstance(before, list) else []
        named = {key_of("points", row): row for row in rows if isinstance(row, dict) and "name" in row}
        return [unmasked(item, _counterpart(item, at, rows, named), name) for at, item in enumerate(value)]
    if value == MASK and name and is_secret(name) and before is not None:
        return before
    return value


def secrets_in(value: Any, name: str = "") -> Iterator[str]:
    """The texts and numbers that masked() hides, as texts."""
    if isinstance(value, dict):
        for inner, item in value.items():
            yield from secrets_in(item, _inside(name, inner))
    elif isinstance(value, list):
        for item in value:
            yield from secrets_in(item, name)
    elif name and is_secret(name) and value not in (None, ""):
        yield str(value)


def _inside(name: str, inner: str) -> str:
    """What a field counts as: of a secret's table, as that."""
    return name if name and is_secret(name) else inner


def _names_another_place(value: Mapping[str, Any], before: Mapping[str, Any]) -> bool:
    return PLACE[0] in value and any(value.get(name) != before.get(name) for name in PLACE)


def _counterpart(item: Any, at: int, rows: list[Any], named: Mapping[Any, Any]) -> Any:
    """What an item of a list was before."""
    if isinstance(item, dict) and "name" in item:
        return named.get(key_of("points", item))
    return rows[at] if at < len(rows) else None
