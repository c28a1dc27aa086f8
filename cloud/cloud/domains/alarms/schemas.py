"""Shapes of events. Times are UTC milliseconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from cloud.domains.alarms.codes import Level
from cloud.domains.devices.schemas import ValueFacts

Scalar = float | int | bool | str | None
Kind = Literal["alarm", "onoffline"]
Language = Literal["zh", "en"]

EVER_MS = 2**53
MOST_UNREAD = 1000
"""Counting stops here; the portal shows 999+."""


class AlarmRow(BaseModel):
    """An alarm event. level: number of an own level (option alarm_levels), or null; shown: how it is shown.

    status: 0 unhandled, 1 handled, 2 false alarm. title: words of whoever made the alarm, empty when the type
    says all; cause: a code such as link_lost; since_ms: when what it tells of began; recovered_ms: when that
    ended; slave and dsid: of what at the gateway; point: how its values are shown.
    """

    id: int
    at: int
    alarm_type: int
    level: int | None
    shown: Level
    status: int
    device_id: int
    device_title: str
    gateway_id: str
    slave: str | None
    slave_title: str | None
    dsid: int | None
    title: str
    cause: str
    value: Scalar
    point: ValueFacts | None = None
    since_ms: int | None
    recovered_ms: int | None
    handled_by: int | None
    handled_name: str
    handled_ms: int | None
    note: str


class HandleBody(BaseModel):
    """A new status: 0 to 1 or 2; back to 0 with a note that says why."""

    model_config = ConfigDict(extra="forbid")

    status: Literal[0, 1, 2]
    note: Annotated[str, Field(max_length=500, pattern=r"^[^\x00]*$")] = ""


class Unread(BaseModel):
    """Events since the user has last read them; counting stops at 1,000."""

    alarm: int
    onoffline: int


class ReadBody(BaseModel):
    """The kind of events that the user has read."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind


@dataclass(frozen=True)
class AlarmQuery:
    """Which events. from_ms <= at < to_ms; level: a shown level, or the number of an own one as text."""

    from_ms: int = 0
    to_ms: int = EVER_MS
    status: int | None = None
    level: str = ""
    alarm_type: int | None = None
    device_id: int | None = None
    search: str = ""
