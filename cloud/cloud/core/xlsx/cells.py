"""What a cell of a workbook may hold."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

NOT_AVAILABLE = "#N/A"
FORMULA = "="
ERRORS = frozenset({NOT_AVAILABLE, "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"})


@dataclass(frozen=True)
class NoValue:
    """Something stands in the cell and gives no value. text: the error that it shows, such as #REF!, or
    FORMULA for one whose result the file does not have.
    """

    text: str

    def __str__(self) -> str:
        return self.text


Cell = bool | int | float | str | datetime | NoValue | None
"""Empty is None. A number without a fraction is an int. Times have no zone: a cell knows none."""

EXACT = 2**53
"""Whole numbers below this are exact in a workbook, which has doubles only."""

MAX_TEXT = 32_767
"""Characters that a cell holds."""
