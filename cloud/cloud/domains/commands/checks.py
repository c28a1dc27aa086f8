"""Is a value one that may be written to a point? Pure."""

from __future__ import annotations

import math
from typing import Protocol

from cloud.domains.devices.schemas import DataSource
from cloud.domains.devices.service import Target
from cloud.errors import ParameterError
from edge_contract.limits import MAX_TEXT
from edge_contract.model import Value

LOWEST, HIGHEST = -(2**63), 2**64
"""What the contract can carry."""


class _Limits(Protocol):
    """What a target and a data source have in common."""

    @property
    def min(self) -> float | None: ...

    @property
    def max(self) -> float | None: ...

    @property
    def on_value(self) -> Value: ...

    @property
    def off_value(self) -> Value: ...


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
    if kind == "swh":
        _check_switch(target, value)
    elif kind in ("str", "loc"):
        if not isinstance(value, str) or len(value) > MAX_TEXT:
            raise ParameterError("value", f"a text of at most {MAX_TEXT} characters")
    else:
        _check_number(target, value)


def _check_switch(target: _Limits, value: Value) -> None:
    allowed = [v for v in (target.on_value, target.off_value) if v is not None] or [True, False]
    if isinstance(value, bool) or value in (0, 1) or value in allowed:
        return
    raise ParameterError("value", f"one of {', '.join(map(str, allowed))}")


def _check_number(target: _Limits, value: Value) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ParameterError("value", "a finite number")
    whole = isinstance(value, int) and LOWEST <= value < HIGHEST
    if not whole and not (isinstance(value, float) and math.isfinite(value)):
        raise ParameterError("value", "a finite number")
    if target.min is not None and value < target.min:
        raise ParameterError("value", f"at least {target.min:g}")
    if target.max is not None and value > target.max:
        raise ParameterError("value", f"at most {target.max:g}")
