"""Bounded list parameters."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from cloud.errors import ParameterError

PageNumber = Annotated[int, Query(ge=1, le=100_000)]
PageSize = Annotated[int, Query(ge=1, le=100)]
Millis = Annotated[int, Query(ge=0, le=2**53)]


def identifiers(text: str, field: str, most: int) -> list[int]:
    """Numbers of a comma list such as 1,2,3 without repeats; ParameterError names the rule."""
    rule = f"1 to {most} positive whole numbers separated by commas"
    try:
        found = list(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        raise ParameterError(field, rule) from None
    if not 1 <= len(found) <= most or not all(0 < number < 2**31 for number in found):
        raise ParameterError(field, rule)
    return found
