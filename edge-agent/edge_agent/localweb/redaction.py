"""Secrets in a configuration's document, known by their names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from edge_contract.deployment import Document

HIDDEN = "(hidden)"
SECRET_NAME = re.compile(r"password|passwd|passphrase|secret|token|credential|private", re.IGNORECASE)


def redacted(value: Any) -> Any:
    """A document with (hidden) in place of every value whose name is that of a secret."""
    if isinstance(value, dict):
        return {
            name: HIDDEN if SECRET_NAME.search(name) else redacted(inner) for name, inner in value.items()
        }
    return [redacted(inner) for inner in value] if isinstance(value, list) else value


def secrets_in(document: Document | None) -> Iterator[str]:
    """The values that redacted() hides, as texts."""
    open_ends: list[Any] = [document]
    while open_ends:
        value = open_ends.pop()
        if isinstance(value, dict):
            for name, inner in value.items():
                if SECRET_NAME.search(name) and isinstance(inner, (str, int)):
                    yield str(inner)
                else:
                    open_ends.append(inner)
        elif isinstance(value, list):
            open_ends += value
