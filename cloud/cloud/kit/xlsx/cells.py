"""What a cell of a workbook may hold."""

from __future__ import annotations

from datetime import datetime

Cell = bool | int | float | str | datetime | None
"""Empty is None. A number without a fraction is an int. Times have no zone: a cell knows none."""

EXACT = 2**53
"""Whole numbers below this are exact in a workbook, which has doubles only."""

MOST_TEXT = 32_767
"""Characters that a cell holds."""
