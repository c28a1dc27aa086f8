"""Shapes of how long history is kept. Days; 0 for ever."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

MAX_DAYS = 36_500
Days = Annotated[int, Field(ge=0, le=MAX_DAYS)]


class RetentionDays(BaseModel):
    """Of samples, and of their minutes, quarters of an hour, hours and days. Finer is never kept longer."""

    model_config = ConfigDict(extra="forbid")

    raw_days: Days
    minute_days: Days
    quarter_days: Days
    hour_days: Days
    day_days: Days


class OfUser(BaseModel):
    """Of the gateways of a user and of those below him."""

    user_id: int
    user_name: str
    kept: RetentionDays


class Retentions(BaseModel):
    """platform: null while nobody has set it, which is for ever. clock_ahead_ms: how far the clock is ahead
    of the time that gateways confirm, by which history is deleted meanwhile; 0: it is believed. own_limit_s:
    age at which the time series itself deletes samples, whatever is set here; null: it does not.
    """

    platform: RetentionDays | None
    users: list[OfUser]
    clock_ahead_ms: int
    own_limit_s: int | None


class RetentionBody(BaseModel):
    """user_id: null for the platform. kept: null for what counts above it."""

    model_config = ConfigDict(extra="forbid")

    user_id: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    kept: RetentionDays | None


class OfPoint(BaseModel):
    """What counts for a point, and where it was set; default: nowhere, which is for ever. own_limit_s: as in
    Retentions.
    """

    dsid: int
    kept: RetentionDays
    own_limit_s: int | None
    source: Literal["point", "user", "platform", "default"]


class PointRetentionBody(BaseModel):
    """kept: null for what counts above the point."""

    model_config = ConfigDict(extra="forbid")

    dsid: Annotated[int, Field(ge=1, le=2**31 - 1)]
    kept: RetentionDays | None


class Loss(BaseModel):
    """Of so many points what is older would be deleted that is kept now. field: of RetentionDays.

    points: those that have something as old; where more than 5000 were to be looked at, all of them.
    """

    field: str
    before_ms: int
    points: int


class RetentionEffect(BaseModel):
    """What a change would do. points: for which it counts; losses: the finest first."""

    points: int
    losses: list[Loss]
