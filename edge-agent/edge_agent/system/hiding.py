"""Replaces secrets that are known, wherever they stand in a text. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec

HIDDEN = "(hidden)"

SHORTEST_SECRET = 4
"""A shorter one is no secret, and replacing it would tear gaps into everything."""


def hiding(words: Iterable[str]) -> Callable[[str], str]:
    """Replaces every word of these, also as JSON writes it, wherever it stands by itself."""
    long = {word for word in words if len(word) >= SHORTEST_SECRET}
    long |= {msgspec.json.encode(word).decode()[1:-1] for word in long}
    if not long:
        return lambda text: text
    parts = "|".join(re.escape(word) for word in sorted(long, key=len, reverse=True))
    pattern = re.compile(rf"(?<![0-9A-Za-z])(?:{parts})(?![0-9A-Za-z])")
    return lambda text: pattern.sub(HIDDEN, text)
