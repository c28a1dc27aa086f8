"""Shapes of reports. Times are UTC milliseconds, days ISO dates on the reader's calendar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel

Language = Literal["zh", "en"]

LONGEST_DAYS = 397
"""As long as events are kept: 13 months."""


class DeviceStatistics(BaseModel):
    """What happened at one gateway. Recoveries are no alarms.

    offline_count: absences of the gateway itself that touch the period; offline_ms: their length inside it.
    available: share of the period (from when it was first online, at most until now) that it was there; null
    when it was not there yet, and when it never connected.
    """

    device_id: int
    device_title: str
    gateway_id: str
    alarms: int
    danger: int
    warning: int
    other: int
    unhandled: int
    handled: int
    false_alarms: int
    offline_count: int
    offline_ms: int
    available: float | None
    never_connected: bool


class DayStatistics(BaseModel):
    """All gateways of the report together on one day. offline: absences that began on it."""

    day: str
    alarms: int
    offline: int


class Totals(BaseModel):
    """All gateways of the report together. available: the mean of those that have one.

    available_of: how many have one; never_connected: left out of it because they never were online.
    """

    devices: int
    alarms: int
    unhandled: int
    offline_count: int
    offline_ms: int
    available: float | None
    available_of: int
    never_connected: int


class StatisticalReport(BaseModel):
    """A page of gateways (total: of all pages), with totals and days of all of them."""

    rows: list[DeviceStatistics]
    total: int
    totals: Totals
    days: list[DayStatistics]


@dataclass(frozen=True)
class ReportQuery:
    """from_ms <= t < to_ms; offset_min: the reader's time zone, minutes east of UTC, which decides days.

    sort: one of SORTS, with '-' before it to reverse.
    """

    from_ms: int
    to_ms: int
    offset_min: int = 0
    search: str = ""
    project_id: int | None = None
    sort: str = "-alarms"


SORTS = ("device_title", "alarms", "unhandled", "offline_count", "offline_ms")
