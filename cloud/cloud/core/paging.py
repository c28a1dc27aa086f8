"""Bounded list parameters."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from cloud.errors import ParameterError

PageNumber = Annotated[int, Query(ge=1, le=100_000)]
PageSize = Annotated[int, Query(ge=1, le=100)]
Millis = Annotated[int, Query(ge=0, le=2**53)]


def identifiers(text: str, field: str, max_count: int) -> list[int]:
    """Numbers of a comma list such as 1,2,3 without repeats; ParameterError names the rule."""
    rule = f"1 to {max_count} positive whole numbers separated by commas"
    try:
        numbers = list(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        raise ParameterError(field, rule) from None
    if not 1 <= len(numbers) <= max_count or not all(0 < number < 2**31 for number in numbers):
        raise ParameterError(field, rule)
    return numbers
