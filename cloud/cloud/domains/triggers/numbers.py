"""Numbers in the bodies of triggers: JSON numbers alone, finite, and thresholds. Pure."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter
from pydantic_core import PydanticCustomError

MAX_MAGNITUDE = 1e15
MAX_THRESHOLD_TEXT = 200
"""Characters of a threshold that comes as the text of its JSON."""

Number = Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]
Finite = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=-MAX_MAGNITUDE, le=MAX_MAGNITUDE)]
NotNegative = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=MAX_MAGNITUDE)]
Positive = Annotated[float, Field(strict=True, allow_inf_nan=False, gt=0, le=MAX_MAGNITUDE)]
Delay = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=86_400)]
DaySeconds = Annotated[int, Field(strict=True, ge=0, le=86_400)]
MonthSeconds = Annotated[int, Field(strict=True, ge=0, le=31 * 86_400)]


class LimitsBody(BaseModel):
    """A range with both ends."""

    model_config = ConfigDict(extra="forbid")

    lolmt: Finite
    uplmt: Finite


_FINITE: TypeAdapter[float] = TypeAdapter(Finite)


def _code(value: Any) -> Any:
    """An enumeration by number takes no text and no truth."""
    if isinstance(value, bool | str | float):
        raise PydanticCustomError("int_type", "a number of the list")
    return value


Code = BeforeValidator(_code)


def _read(value: Any) -> Any:
    """A threshold may come as the text of its JSON. Each fault is told once, at its own field."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if len(value) <= MAX_THRESHOLD_TEXT else None
        except ValueError:
            value = None
    if isinstance(value, dict):
        return LimitsBody.model_validate(value)
    if isinstance(value, LimitsBody):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError("float_type", "a number, or an object with lolmt and uplmt")
    return _FINITE.validate_python(value)


Threshold = Annotated[Finite | LimitsBody, BeforeValidator(_read)]
