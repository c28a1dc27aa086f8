"""When a timed task runs, as data: specification 001, sections 3 (timed task) and 9 (task types). Pure.

Times of the day and dates are of the task's own time zone, by its IANA name; weekdays are those of ISO 8601.
"""

from __future__ import annotations

from datetime import date, time
from enum import StrEnum
from functools import lru_cache
from typing import Annotated
from zoneinfo import ZoneInfo

import msgspec

from edge_contract.fields import ControlMessage

TimeOfDay = Annotated[str, msgspec.Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$(?!\n)")]
Day = Annotated[str, msgspec.Meta(pattern=r"^20[0-9]{2}-[0-9]{2}-[0-9]{2}$(?!\n)")]
ZoneName = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Weekday = Annotated[int, msgspec.Meta(ge=1, le=7)]
"""1 is Monday."""

DAY_MIN = 24 * 60
MAX_TIMES = 48
MAX_DATES = 400
MAX_INTERVAL_MIN = 90 * DAY_MIN
"""The longest one of the specification's choices."""

MAX_LATE_MIN = DAY_MIN


class TaskKind(StrEnum):
    """ONCE: at one time; CYCLIC: again after an interval; DAILY: at times of the day."""

    ONCE = "once"
    CYCLIC = "cyclic"
    DAILY = "daily"


class Window(ControlMessage, frozen=True, kw_only=True):
    """From begin to end, both within it. An end that is not after the begin is of the day after."""

    begin: TimeOfDay = "00:00"
    end: TimeOfDay = "23:59"


class Schedule(ControlMessage, frozen=True, kw_only=True):
    """times: one of a task that runs once, those of the day of a daily one. weekdays: empty for all.
    interval_min: of a cyclic one; up to a day it begins anew with each window, above it is in full days from
    `begin` on, at the begin of the window. begin, end: first and last day, both within; a task that runs once
    runs on `begin`.

    off: days without a run; on: days with runs whatever their weekday is, which wins over off. Neither is
    looked at by a task that runs once. late_min: the newest run that was missed is made up once when it is
    late by at most so much; 0: none is.

    Raises ValueError that names the field and the rule.
    """

    kind: TaskKind
    zone: ZoneName
    times: Annotated[list[TimeOfDay], msgspec.Meta(max_length=MAX_TIMES)] = []
    weekdays: Annotated[list[Weekday], msgspec.Meta(max_length=7)] = []
    interval_min: Annotated[int, msgspec.Meta(ge=1, le=MAX_INTERVAL_MIN)] | None = None
    window: Window = Window()
    begin: Day | None = None
    end: Day | None = None
    off: Annotated[list[Day], msgspec.Meta(max_length=MAX_DATES)] = []
    on: Annotated[list[Day], msgspec.Meta(max_length=MAX_DATES)] = []
    late_min: Annotated[int, msgspec.Meta(ge=0, le=MAX_LATE_MIN)] = 0

    def __post_init__(self) -> None:
        zone_of(self.zone)
        for name, days in (("begin", [self.begin]), ("end", [self.end]), ("off", self.off), ("on", self.on)):
            for day in days:
                if day is not None:
                    _check_day(name, day)
        if self.begin is not None and self.end is not None and self.end < self.begin:
            raise ValueError("end: not before begin")
        if len(set(self.weekdays)) < len(self.weekdays):
            raise ValueError("weekdays: each once")
        if len(set(self.times)) < len(self.times):
            raise ValueError("times: each once")
        match self.kind:
            case TaskKind.ONCE:
                self._check_once()
            case TaskKind.DAILY:
                if not self.times:
                    raise ValueError("times: at least one of a daily task")
            case TaskKind.CYCLIC:
                self._check_cyclic()
        if self.kind is not TaskKind.CYCLIC and self.interval_min is not None:
            raise ValueError("interval_min: of cyclic tasks alone")

    def _check_once(self) -> None:
        if len(self.times) != 1:
            raise ValueError("times: exactly one of a task that runs once")
        if self.begin is None:
            raise ValueError("begin: the day of a task that runs once")
        if self.end is not None:
            raise ValueError("end: not of a task that runs once")
        if self.weekdays:
            raise ValueError("weekdays: not of a task that runs once")

    def _check_cyclic(self) -> None:
        if self.interval_min is None:
            raise ValueError("interval_min: must be given of a cyclic task")
        if self.times:
            raise ValueError("times: not of a cyclic task, which has a window")
        if self.interval_min >= DAY_MIN:
            if self.interval_min % DAY_MIN:
                raise ValueError("interval_min: full days from one day on")
            if self.begin is None:
                raise ValueError("begin: the day from which an interval of days is counted")


def time_of(text: str) -> time:
    """Of a TimeOfDay."""
    return time(int(text[:2]), int(text[3:]))


@lru_cache(maxsize=256)
def zone_of(name: str) -> ZoneInfo:
    """Raises ValueError for a name that is not in the time zone database."""
    try:
        return ZoneInfo(name)
    except (OSError, KeyError, ValueError):  # no such zone, a folder, no name of one
        raise ValueError("zone: a name of the IANA time zone database") from None


def _check_day(name: str, day: str) -> None:
    try:
        date.fromisoformat(day)
    except ValueError:
        raise ValueError(f"{name}: a day of the calendar") from None
