"""Is a value one that may be written to a point? Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol

from cloud.domains.devices.schemas import DataSource
from cloud.domains.devices.targets import Target
from cloud.domains.devices.values import number_of
from cloud.errors import ParameterError
from edge_contract.limits import MAX_TEXT
from edge_contract.model import Value, sort_of

LOWEST, HIGHEST = -(2**63), 2**64
"""What the contract can carry."""

POSITION = "true or false"
"""A switch takes its position and nothing else: 0 and 1 may be what the device holds for the other one."""


class _Limits(Protocol):
    """What a target and a data source have in common."""

    @property
    def min(self) -> float | None: ...

    @property
    def max(self) -> float | None: ...

    @property
    def selector(self) -> Mapping[str, str] | None: ...


def check(target: Target | DataSource, action: str, value: Value) -> None:
    """ParameterError names the field and the rule."""
    kind = target.kind if isinstance(target, Target) else target.ds_type
    if action == "R":
        if target.rw == "writeonly":
            raise ParameterError("action", "the point is write-only")
        if value is not None:
            raise ParameterError("value", "must be left out when reading")
        return
    if target.rw == "readonly" or kind == "cal":
        raise ParameterError("action", "the point is read-only")
    sort = sort_of(kind, target.data_type)
    if sort == "switch":
        if not isinstance(value, bool):
            raise ParameterError("value", POSITION)
    elif sort == "text":
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise ParameterError("value", f"a text of at most {MAX_TEXT} characters")
    else:
        _check_number(target, value)


def _check_number(target: _Limits, value: Value) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParameterError("value", "a finite number")
    is_integer = isinstance(value, int) and LOWEST <= value < HIGHEST
    if not is_integer and not (isinstance(value, float) and math.isfinite(value)):
        raise ParameterError("value", "a finite number")
    if target.min is not None and value < target.min:
        raise ParameterError("value", f"at least {target.min:g}")
    if target.max is not None and value > target.max:
        raise ParameterError("value", f"at most {target.max:g}")
    if target.selector and all(number_of(each) != value for each in target.selector):
        named = ", ".join(f"{each} ({name})" for each, name in target.selector.items())
        raise ParameterError("value", f"one of {named}")
