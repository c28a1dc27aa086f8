"""When timed tasks run: documented cases, and a check that goes through a time minute by minute."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from edge_contract.tasks.conversion import converted
from edge_contract.tasks.runs import Due, decide, due, next_runs
from edge_contract.tasks.schedule import Schedule, TaskKind, Window

BERLIN, SHANGHAI = "Europe/Berlin", "Asia/Shanghai"
MINUTE_MS, DAY_MS = 60_000, 86_400_000


def at(zone: str, text: str, fold: int = 0) -> int:
    """UTC milliseconds of a local time."""
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp()) * 1000


def local(zone: str, runs: list[int]) -> list[str]:
    return [datetime.fromtimestamp(each / 1000, ZoneInfo(zone)).strftime("%m-%d %H:%M %Z") for each in runs]


def daily(*times: str, zone: str = BERLIN, **fields: object) -> Schedule:
    return Schedule(kind=TaskKind.DAILY, zone=zone, times=list(times), **fields)  # type: ignore[arg-type]


def cyclic(interval_min: int, zone: str = BERLIN, **fields: object) -> Schedule:
    return Schedule(kind=TaskKind.CYCLIC, zone=zone, interval_min=interval_min, **fields)  # type: ignore[arg-type]


def test_a_time_that_the_day_does_not_have_runs_at_the_next_that_it_has() -> None:
    runs = due(
        daily("02:30", "02:45", "03:00"), at(BERLIN, "2026-03-28T12:00"), at(BERLIN, "2026-03-30T12:00")
    )
    assert local(BERLIN, runs) == [
        "03-29 03:00 CEST", "03-30 02:30 CEST", "03-30 02:45 CEST", "03-30 03:00 CEST",
    ]  # fmt: skip


def test_a_time_that_the_day_has_twice_runs_at_its_first() -> None:
    runs = due(daily("02:30"), at(BERLIN, "2026-10-24T12:00"), at(BERLIN, "2026-10-26T00:00"))
    assert local(BERLIN, runs) == ["10-25 02:30 CEST"]


def test_a_day_that_a_zone_leaves_out_runs_when_the_next_begins() -> None:
    """Apia went over the date line at the end of 2011."""
    apia = "Pacific/Apia"
    schedule = Schedule(kind=TaskKind.ONCE, zone=apia, times=["08:00"], begin="2011-12-30")
    assert local(apia, next_runs(schedule, at(apia, "2011-12-28T00:00"), 3)) == ["12-31 00:00 +14"]


def test_an_interval_is_time_that_passes() -> None:
    window = Window(begin="01:00", end="04:00")
    back = due(cyclic(60, window=window), at(BERLIN, "2026-10-25T00:00"), at(BERLIN, "2026-10-25T12:00"))
    assert [each.split()[1] for each in local(BERLIN, back)] == ["01:00", "02:00", "02:00", "03:00", "04:00"]
    forward = due(cyclic(60, window=window), at(BERLIN, "2026-03-29T00:00"), at(BERLIN, "2026-03-29T12:00"))
    assert [each.split()[1] for each in local(BERLIN, forward)] == ["01:00", "03:00", "04:00"]


def test_a_window_over_midnight_belongs_to_the_day_on_which_it_begins() -> None:
    schedule = cyclic(120, zone=SHANGHAI, window=Window(begin="22:00", end="02:00"), weekdays=[5])
    runs = due(schedule, at(SHANGHAI, "2026-11-26T00:00"), at(SHANGHAI, "2026-11-30T00:00"))
    assert local(SHANGHAI, runs) == ["11-27 22:00 CST", "11-28 00:00 CST", "11-28 02:00 CST"]


def test_an_interval_of_days_is_counted_from_the_first_day() -> None:
    schedule = cyclic(7 * 1440, zone=SHANGHAI, begin="2026-11-02", window=Window(begin="06:30"))
    runs = next_runs(schedule, at(SHANGHAI, "2026-11-10T00:00"), 2)
    assert local(SHANGHAI, runs) == ["11-16 06:30 CST", "11-23 06:30 CST"]


def test_a_calendar_takes_days_away_and_adds_days() -> None:
    """A Friday that is a holiday, and a Saturday on which one works instead; a day in both runs."""
    schedule = daily(
        "08:00", zone=SHANGHAI, weekdays=[1, 2, 3, 4, 5], off=["2026-11-27", "2026-11-30"],
        on=["2026-11-28", "2026-11-30"],
    )  # fmt: skip
    runs = next_runs(schedule, at(SHANGHAI, "2026-11-26T12:00"), 3)
    assert local(SHANGHAI, runs) == ["11-28 08:00 CST", "11-30 08:00 CST", "12-01 08:00 CST"]


def test_first_and_last_day_are_days_with_runs() -> None:
    schedule = daily("08:00", zone=SHANGHAI, begin="2026-11-27", end="2026-11-28")
    runs = next_runs(schedule, 0, 10)
    assert local(SHANGHAI, runs) == ["11-27 08:00 CST", "11-28 08:00 CST"]


def test_once_is_on_its_day_whatever_the_calendar_says() -> None:
    fields = {"off": ["2026-11-27"], "begin": "2026-11-27"}
    schedule = Schedule(kind=TaskKind.ONCE, zone=SHANGHAI, times=["08:00"], **fields)  # type: ignore[arg-type]
    assert local(SHANGHAI, next_runs(schedule, 0, 10)) == ["11-27 08:00 CST"]
    assert next_runs(schedule, at(SHANGHAI, "2026-11-27T08:00"), 10) == []


@pytest.mark.parametrize(
    ("late_min", "passed_min", "expected"),
    [
        (0, 0, (True, 0)),
        (0, 1, (True, 0)),
        (0, 2, (False, 1)),
        (30, 30, (True, 0)),
        (30, 31, (False, 1)),
        (1440, 60 + 30, (True, 1)),
    ],
)
def test_a_missed_run_is_made_up_once_when_it_is_not_too_late(
    late_min: int, passed_min: int, expected: tuple[bool, int]
) -> None:
    schedule = daily("08:00", "09:00", zone=SHANGHAI, late_min=late_min)
    begin = at(SHANGHAI, "2026-11-27T08:00")
    decided = decide(schedule, begin - 1, begin + passed_min * MINUTE_MS)
    assert (decided.run_ms is not None, decided.missed) == expected


def test_nothing_is_due_twice_and_years_of_absence_are_bounded() -> None:
    schedule = cyclic(1, zone="UTC")
    now = at("UTC", "2026-11-27T08:00")
    decided = decide(schedule, 0, now)
    assert decided == Due(now, 7 * 1440 - 1, now - MINUTE_MS)
    assert decide(schedule, now, now) == Due()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"kind": "daily", "times": []}, "times"),
        ({"kind": "daily", "times": ["08:00", "08:00"]}, "times"),
        ({"kind": "daily", "times": ["08:00"], "interval_min": 5}, "interval_min"),
        ({"kind": "daily", "times": ["08:00"], "weekdays": [1, 1]}, "weekdays"),
        ({"kind": "daily", "times": ["08:00"], "zone": "Mars/Olympus"}, "zone"),
        ({"kind": "daily", "times": ["08:00"], "zone": "../etc/passwd"}, "zone"),
        ({"kind": "daily", "times": ["08:00"], "zone": "Europe"}, "zone"),
        ({"kind": "daily", "times": ["08:00"], "begin": "2026-02-30"}, "begin"),
        ({"kind": "daily", "times": ["08:00"], "begin": "2026-03-01", "end": "2026-02-01"}, "end"),
        ({"kind": "daily", "times": ["08:00"], "off": ["2026-13-01"]}, "off"),
        ({"kind": "cyclic"}, "interval_min"),
        ({"kind": "cyclic", "interval_min": 5, "times": ["08:00"]}, "times"),
        ({"kind": "cyclic", "interval_min": 1500, "begin": "2026-02-01"}, "interval_min"),
        ({"kind": "cyclic", "interval_min": 1440}, "begin"),
        ({"kind": "once", "times": ["08:00"]}, "begin"),
        ({"kind": "once", "times": [], "begin": "2026-02-01"}, "times"),
        ({"kind": "once", "times": ["08:00"], "begin": "2026-02-01", "end": "2026-02-02"}, "end"),
        ({"kind": "once", "times": ["08:00"], "begin": "2026-02-01", "weekdays": [1]}, "weekdays"),
    ],
)
def test_what_says_nothing_is_refused_by_its_field(fields: dict[str, object], field: str) -> None:
    with pytest.raises(ValueError, match=rf"^{field}: "):
        Schedule(**{"zone": BERLIN, **fields, "kind": TaskKind(str(fields["kind"]))})  # type: ignore[arg-type]


ZONES = st.sampled_from(
    [BERLIN, SHANGHAI, "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]
)
TIMES = st.sampled_from(["00:00", "01:45", "02:00", "02:15", "02:59", "03:00", "12:34", "23:59"])
DAYS = st.integers(1, 28).map(lambda day: f"2026-03-{day:02d}")
NEAR_CHANGES = st.sampled_from(
    ["2026-03-07", "2026-03-28", "2026-04-04", "2026-10-03", "2026-10-24", "2026-11-01"]
)


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    zone, weekdays = draw(ZONES), draw(st.lists(st.integers(1, 7), unique=True, max_size=4))
    shared = {
        "zone": zone, "weekdays": weekdays, "off": draw(st.lists(DAYS, max_size=5)),
        "on": draw(st.lists(DAYS, max_size=2)),
    }  # fmt: skip
    if draw(st.booleans()):
        times = draw(st.lists(TIMES, min_size=1, max_size=4, unique=True))
        return Schedule(kind=TaskKind.DAILY, times=times, **shared)
    window = Window(begin=draw(TIMES), end=draw(TIMES))
    interval = draw(st.sampled_from([1, 7, 15, 60, 90, 720]))
    return Schedule(kind=TaskKind.CYCLIC, interval_min=interval, window=window, **shared)


def by_the_minute(schedule: Schedule, begin_ms: int, end_ms: int) -> set[int]:
    """Runs in begin <= t < end. Two days before them are looked at for what begins there."""
    zone = ZoneInfo(schedule.zone)
    first_ms = begin_ms - 3 * DAY_MS
    reached: dict[datetime, int] = {}
    newest = datetime.fromtimestamp(first_ms / 1000, zone).replace(tzinfo=None) - timedelta(minutes=1)
    for t_ms in range(first_ms, end_ms + 2 * DAY_MS, MINUTE_MS):
        shows = datetime.fromtimestamp(t_ms / 1000, zone).replace(tzinfo=None)
        while newest < shows:
            newest += timedelta(minutes=1)
            reached[newest] = t_ms
    runs: set[int] = set()
    for naive, t_ms in reached.items():
        day, text = naive.date().isoformat(), naive.strftime("%H:%M")
        wanted = not schedule.weekdays or naive.isoweekday() in schedule.weekdays
        if not (day in schedule.on or (wanted and day not in schedule.off)):
            continue
        if schedule.kind is TaskKind.DAILY and text in schedule.times:
            runs.add(t_ms)
        if schedule.kind is TaskKind.CYCLIC and text == schedule.window.begin:
            hour, minute = map(int, schedule.window.end.split(":"))
            end = naive.replace(hour=hour, minute=minute)
            end = end if end > naive else end + timedelta(days=1)
            last_ms = reached.get(end, end_ms + 2 * DAY_MS)
            runs |= set(range(t_ms, last_ms + 1, (schedule.interval_min or 1) * MINUTE_MS))
    return {t_ms for t_ms in runs if begin_ms <= t_ms < end_ms}


@settings(max_examples=60, deadline=None)
@given(schedules(), NEAR_CHANGES, st.integers(1, 3))
@example(cyclic(60, zone="Australia/Lord_Howe", window=Window(begin="01:45", end="02:15")), "2026-10-03", 2)
def test_the_same_as_minute_by_minute(schedule: Schedule, day: str, days: int) -> None:
    begin = round(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) * 1000
    end = begin + days * DAY_MS
    found = due(schedule, begin - 1, end - 1)
    assert found == sorted(by_the_minute(schedule, begin, end))
    middle = begin + days * DAY_MS // 2
    assert due(schedule, begin - 1, middle) + due(schedule, middle, end - 1) == found


@pytest.mark.parametrize(
    ("value", "ratio", "bias", "to_number", "expected"),
    [
        (2.5, 2, 1, True, 6.0),
        (3, 1, 0, True, 3),
        (True, 1, 0, True, 1),
        (True, 10, 1, True, 11),
        ("3", 1, 0, True, None),
        (1e308, 10, 0, True, None),
        (None, 1, 0, True, None),
        (True, 1, 0, False, True),
        ("open", 1, 0, False, "open"),
        (True, 2, 0, False, None),
    ],
)
def test_another_points_value(
    value: object, ratio: float, bias: float, to_number: bool, expected: object
) -> None:
    result = converted(value, ratio, bias, to_number=to_number)  # type: ignore[arg-type]
    assert (type(result), result) == (type(expected), expected)
