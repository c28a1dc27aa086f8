"""Texts from outside, made fit for a column."""

from __future__ import annotations


def storable(text: str, most: int) -> str:
    """At most so many characters, without NUL, which PostgreSQL refuses."""
    return text.replace("\0", "")[:most]
