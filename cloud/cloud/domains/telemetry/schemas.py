"""Shapes of live values and history. Times are UTC milliseconds; quality is the contract's number."""

from __future__ import annotations

from pydantic import BaseModel

Scalar = float | int | bool | str | None


class LastValue(BaseModel):
    """Newest sample of a data point; received_ms: when the cloud filed it, 0 when before its last start."""

    dsid: int
    t_ms: int
    value: Scalar
    quality: int
    received_ms: int


class Series(BaseModel):
    """One data point over a range: raw (width_ms 0, t and v) or buckets of width_ms (the rest).

    Buckets aggregate numeric samples of good quality; empty ones are left out. truncated: the range holds
    more than could be answered.
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


class History(BaseModel):
    """One query of several data points."""

    series: list[Series]
    server_ms: int


class HistoryRow(BaseModel):
    """One raw sample."""

    t_ms: int
    value: Scalar
    quality: int
