"""What other services need to know of a data point: where a command goes, and what speaks for a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A data point as a command sees it."""

    device_id: int
    gateway: str
    online: bool
    slave: str
    point: str
    rw: str
    kind: str
    data_type: str
    min: float | None
    max: float | None
    selector: Mapping[str, str] | None
    device_title: str = ""
    slave_title: str = ""
    title: str = ""
    unit: str = ""
    asleep: bool = False


@dataclass(frozen=True)
class Freshness:
    """What speaks for the value of a point: its record mode and period, and its gateway.

    online, heard_ms: of the gateway; when anything came of it last, 0 for never. report_ms: its interval.
    """

    record: int
    period_ms: int
    online: bool
    heard_ms: int
    report_ms: int = 0
