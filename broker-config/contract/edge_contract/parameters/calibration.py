"""Sensor calibration: rows of section calibrations, each of one data point.

calibrated value = (raw * ratio + bias) * scale + offset, where ratio and bias are those of the point.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from edge_contract.parameters.model import ParameterGroup, Parameters, RowName, label
from edge_contract.parameters.views import rows

MAX_CALIBRATIONS = 5000


class Calibration(Parameters, frozen=True, kw_only=True):
    """Of one numeric point; scale without a unit, offset in the unit of the point."""

    slave: Annotated[RowName, label("从机", "Slave")]
    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_]{1,64}$(?!\n)"), label("数据点", "Data point")]
    scale: Annotated[float, msgspec.Meta(ge=0.001, le=1000), label("校准系数", "Scale")] = 1.0
    offset: Annotated[float, msgspec.Meta(ge=-1e9, le=1e9), label("校准偏移", "Offset")] = 0.0


_read, _write = rows("calibrations", {field: (field,) for field in Calibration.__struct_fields__})
GROUP = ParameterGroup(
    "calibration",
    "传感器校准",
    "Sensor calibration",
    Calibration,
    _read,
    _write,
    key=("slave", "name"),
    max_rows=MAX_CALIBRATIONS,
)
