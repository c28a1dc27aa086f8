"""What the values of a data point are, and how they are called. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, Protocol

from edge_contract.model import Value

Language = Literal["zh", "en"]

POSITIONS: Mapping[Language, Mapping[bool, str]] = {
    "zh": {True: "开", False: "关"},
    "en": {True: "On", False: "Off"},
}


class ValueNames(Protocol):
    """What gives a value its name."""

    @property
    def ds_type(self) -> str: ...

    @property
    def data_type(self) -> str: ...

    @property
    def selector(self) -> Mapping[str, str] | None: ...

    @property
    def on_text(self) -> str: ...

    @property
    def off_text(self) -> str: ...


def number_of(text: str) -> float | None:
    """The number that a selector names; None when it is none."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def value_text(value: Value, point: ValueNames, language: Language) -> Value:
    """A position as the point or the language calls it, a number by its name; anything else as it is."""
    if isinstance(value, bool):
        return (point.on_text if value else point.off_text) or POSITIONS[language][value]
    if isinstance(value, int | float) and point.selector:
        return next((name for text, name in point.selector.items() if number_of(text) == value), value)
    return value
