"""Which runs of a schedule are due. Pure.

A time of the day that a day does not have, because the clock is set forward over it, runs at the next moment
that there is; two such times, and one that is the same moment anyway, run once. A time that a day has twice,
because the clock is set back, is its first occurrence. The interval of a cyclic task is time that passes: it
goes on evenly while the clock is set. A run belongs to the day on which its window begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from edge_contract.tasks.schedule import DAY_MIN, Schedule, TaskKind, time_of, zone_of

MINUTE_MS = 60_000
ON_TIME_MS = MINUTE_MS
"""A run that is late by no more is on time: the clock is looked at once a second."""

LOOK_BACK_MS = 7 * DAY_MIN * MINUTE_MS
"""Missed runs are counted this far back."""

LOOK_AHEAD_DAYS = 2000
"""A schedule without a run in so many days has none."""

ONE_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Due:
    """run_ms: the moment of the run that is to be made now, None for none. missed: how many others there were
    since the last look, the newest of them at missed_ms.
    """

    run_ms: int | None = None
    missed: int = 0
    missed_ms: int | None = None


def due(schedule: Schedule, after_ms: int, until_ms: int) -> list[int]:
    """Moments of runs with after_ms < t <= until_ms, each once, in their order. UTC milliseconds."""
    runs: list[int] = []
    for t_ms in _runs_after(schedule, after_ms):
        if t_ms > until_ms:
            break
        runs.append(t_ms)
    return runs


def next_runs(schedule: Schedule, after_ms: int, count: int) -> list[int]:
    """The next runs after a moment, at most count; fewer when there are no more."""
    return list(islice(_runs_after(schedule, after_ms), count))


def decide(schedule: Schedule, after_ms: int, now_ms: int) -> Due:
    """What is to be done about the runs since after_ms: the newest is made when it is on time, or late by no
    more than the schedule allows.
    """
    runs = due(schedule, max(after_ms, now_ms - LOOK_BACK_MS), now_ms)
    if not runs:
        return Due()
    is_made = now_ms - runs[-1] <= max(schedule.late_min * MINUTE_MS, ON_TIME_MS)
    missed = runs[:-1] if is_made else runs
    return Due(runs[-1] if is_made else None, len(missed), missed[-1] if missed else None)


def moment_ms(day: date, at: time, zone: ZoneInfo) -> int:
    """When a zone's clocks show this for the first time; where they never do, when they show the next."""
    naive = datetime.combine(day, at)
    local = naive.replace(tzinfo=zone)  # fold 0: of two the first; in a gap the offset before it
    moment = local.astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == naive:
        return _ms(moment)
    after = naive.replace(tzinfo=zone, fold=1).astimezone(UTC)
    low, high = _ms(after) // 1000, _ms(moment) // 1000  # before the gap's end, and not before it
    while high - low > 1:
        middle = (low + high) // 2
        shows = datetime.fromtimestamp(middle, zone).replace(tzinfo=None)
        low, high = (middle, high) if shows < naive else (low, middle)
    return high * 1000


def _ms(moment: datetime) -> int:
    return round(moment.timestamp()) * 1000


def _runs_after(schedule: Schedule, after_ms: int) -> Iterator[int]:
    zone = zone_of(schedule.zone)
    last_ms = after_ms
    for day in _days(schedule, after_ms, zone):
        for t_ms in _of_day(schedule, day, zone, last_ms):
            if t_ms > last_ms:
                last_ms = t_ms
                yield t_ms


def _days(schedule: Schedule, after_ms: int, zone: ZoneInfo) -> Iterator[date]:
    """On which a schedule runs; from two days before: a window, and what a gap moves, reach into the next."""
    first = datetime.fromtimestamp(after_ms / 1000, zone).date() - 2 * ONE_DAY
    begin = None if schedule.begin is None else date.fromisoformat(schedule.begin)
    end = None if schedule.end is None else date.fromisoformat(schedule.end)
    if begin is not None:
        first = max(first, begin)
    if schedule.kind is TaskKind.ONCE:
        if first == begin:
            yield first
        return
    weekdays = frozenset(schedule.weekdays)
    off, on = frozenset(schedule.off), frozenset(schedule.on)
    interval_days = (schedule.interval_min or 0) // DAY_MIN
    for number in range(LOOK_AHEAD_DAYS):
        day = first + number * ONE_DAY
        if end is not None and day > end:
            return
        if day.isoformat() not in on:
            if day.isoformat() in off or (weekdays and day.isoweekday() not in weekdays):
                continue
            if interval_days and begin is not None and (day - begin).days % interval_days:
                continue
        yield day


def _of_day(schedule: Schedule, day: date, zone: ZoneInfo, after_ms: int) -> Iterator[int]:
    """In their order; those up to after_ms may be left out."""
    if schedule.kind is not TaskKind.CYCLIC:
        yield from (moment_ms(day, time_of(text), zone) for text in sorted(schedule.times))
        return
    window = schedule.window
    begin_ms = moment_ms(day, time_of(window.begin), zone)
    interval_min = schedule.interval_min or DAY_MIN
    if interval_min >= DAY_MIN:
        yield begin_ms
        return
    end_day = day if window.end > window.begin else day + ONE_DAY
    end_ms = moment_ms(end_day, time_of(window.end), zone)
    step_ms = interval_min * MINUTE_MS
    skipped = max(0, (after_ms - begin_ms) // step_ms)
    yield from range(begin_ms + skipped * step_ms, end_ms + 1, step_ms)
