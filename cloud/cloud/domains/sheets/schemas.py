"""Shapes of cells of sheets."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel


class ImportCell(BaseModel):
    """A cell that differs. code: of its fault, "" when it is right."""

    field: str
    before: Any
    after: Any
    code: str
    arguments: dict[str, int | float | str]
