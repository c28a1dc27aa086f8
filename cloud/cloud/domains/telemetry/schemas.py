"""Shapes of live values and history. Times are UTC milliseconds; quality is the contract's number."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Scalar = float | int | bool | str | None


class LastValue(BaseModel):
    """What a data point holds. quality: of its newest sample; value and t_ms: of the newest one with a value.

    received_ms: when the cloud took the newest sample, 0 when before its last start. stale: nothing speaks
    for the value any more at the time of this answer (C-063). changed_ms: when it took its value after
    another one, null when that was not seen: the same value that is read again, after a restart, a deployment
    or a silence, is no change.
    """

    dsid: int
    t_ms: int
    value: Scalar
    quality: int
    received_ms: int
    stale: bool = False
    changed_ms: int | None = None


class DamagedRange(BaseModel):
    """First and last millisecond of a time whose samples cannot be read: the store has them damaged."""

    start_ms: int
    end_ms: int
    reason: Literal["damaged"] = "damaged"


class Series(BaseModel):
    """One data point over a range: raw (width_ms 0, t and v) or buckets of width_ms (the rest).

    Buckets aggregate numeric samples of good quality; empty ones are left out. truncated: the range holds
    more than could be answered. gaps: what of the range cannot be read.
    """

    dsid: int
    width_ms: int
    t: list[int]
    v: list[Scalar] | None = None
    q: list[int] | None = None
    min: list[float] | None = None
    max: list[float] | None = None
    mean: list[float] | None = None
    count: list[int] | None = None
    first: list[float] | None = None
    last: list[float] | None = None
    truncated: bool
    gaps: list[DamagedRange] = []


class History(BaseModel):
    """One query of several data points."""

    series: list[Series]
    server_ms: int


class HistoryRow(BaseModel):
    """One raw sample."""

    t_ms: int
    value: Scalar
    quality: int


class HistoryRows(BaseModel):
    """Some rows. gaps: what of the range cannot be read."""

    rows: list[HistoryRow]
    gaps: list[DamagedRange] = []


class OfflineSpan(BaseModel):
    """A time without a gateway (slave null) or one of its slaves, or without a good reading of the points.

    end_ms: null while it lasts.
    """

    device_id: int
    slave: str | None
    start_ms: int
    end_ms: int | None
    reason: str


class AlarmMark(BaseModel):
    """An alarm event of the gateway (dsid null) or one of the points. end_ms: null while it lasts."""

    id: int
    device_id: int
    dsid: int | None
    t_ms: int
    end_ms: int | None
    alarm_type: int
    shown: str
    title: str


class Spans(BaseModel):
    """What a chart shades and marks. truncated: there is more than was answered, the newest is."""

    offline: list[OfflineSpan]
    alarms: list[AlarmMark]
    truncated: bool


Id = Annotated[int, Field(ge=1, le=2**31 - 1)]
Moment = Annotated[int, Field(ge=0, le=2**53)]


class HistoryExportBody(BaseModel):
    """Points and a range to write into a file. width_ms: 0 for every sample, else the buckets' width.

    offset_min: the local time's distance from UTC; times are written and days are cut by it.
    """

    model_config = ConfigDict(extra="forbid")

    dsids: Annotated[list[Id], Field(min_length=1, max_length=16)]
    start_ms: Moment
    end_ms: Moment
    form: Literal["csv", "xlsx"] = "csv"
    width_ms: Literal[0, 60_000, 900_000, 3_600_000, 86_400_000] = 0
    offset_min: Annotated[int, Field(ge=-840, le=840)] = 0
    language: Literal["zh", "en"] = "zh"
