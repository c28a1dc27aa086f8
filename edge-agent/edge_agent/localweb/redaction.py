"""Secrets in a configuration's document as the page and the support file show them. Pure."""

from __future__ import annotations

from typing import Any

from edge_contract.document.masking import masked

HIDDEN = "(hidden)"


def redacted(value: Any) -> Any:
    """A document with (hidden) in place of every secret."""
    return masked(value, mask=HIDDEN)
