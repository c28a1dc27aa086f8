"""Breaker, deadline queue and busy meter: pure."""

from __future__ import annotations

import pytest

from edge_agent.bus.breaker import FAILURES_TO_OPEN, Breaker
from edge_agent.bus.schedule import SUSPECT_WAITS_S, Cycle, Schedule, Urgency, keeps_beat, next_beat
from edge_agent.bus.state import BUSY_WINDOW_S, BusyMeter


def test_breaker_opens_after_three_and_backs_off_to_a_minute() -> None:
    breaker = Breaker()
    assert [breaker.failed(0.0) for _ in range(FAILURES_TO_OPEN)] == [False, False, True]
    now, pauses = 0.0, []
    for _ in range(7):
        assert not breaker.may_ask(breaker.retry_at - 0.001)
        assert breaker.may_ask(breaker.retry_at)
        pauses.append(breaker.retry_at - now)
        now = breaker.retry_at
        assert not breaker.failed(now)
    assert pauses == [2, 4, 8, 16, 32, 60, 60]
    assert breaker.good()
    assert not breaker.good()
    assert breaker.may_ask(now)
    breaker.failed(now)
    breaker.failed(now)
    assert breaker.may_ask(now)
    assert breaker.failed(now)
    assert breaker.retry_at == now + 2


def test_an_answer_in_between_starts_the_count_again() -> None:
    breaker = Breaker()
    for _ in range(10):
        breaker.failed(0.0)
        breaker.failed(0.0)
        breaker.good()
    assert not breaker.is_open


def test_a_cycle_begins_with_nothing_missed() -> None:
    cycle = Cycle("a", 1.0)
    assert (cycle.urgency, cycle.delay_s, cycle.due) == (Urgency.TREND, 0.0, 0.0)
    assert (cycle.missed, cycle.worst_late_s) == (0, 0.0)


def test_schedule_keeps_its_grid_and_counts_what_it_missed() -> None:
    fast, slow = Cycle("fast", 1.0), Cycle("slow", 5.0)
    schedule = Schedule([fast, slow], now=100.0)
    assert schedule.take(99.9) is None
    assert schedule.take(100.0) is fast
    assert schedule.take(100.0) is slow
    assert schedule.take(100.0) is None
    schedule.done(fast, 100.4)
    schedule.done(slow, 103.6)
    assert (schedule.next_due, fast.missed) == (101.0, 0)
    assert schedule.take(103.6) is fast
    schedule.done(fast, 103.6)
    assert (fast.due, fast.missed) == (104.0, 2)
    assert schedule.next_due == 104.0
    assert (slow.due, slow.missed) == (105.0, 0)


def test_equal_deadlines_take_turns() -> None:
    cycles = [Cycle(name, 1.0) for name in "abc"]
    schedule = Schedule(cycles, now=0.0)
    order = []
    for now in (0.0, 0.1, 0.2, 1.0, 1.1, 1.2):
        cycle = schedule.take(now)
        assert cycle is not None
        order.append(cycle.what)
        schedule.done(cycle, now)
    assert order == [*"abcabc"]


def test_the_urgent_go_first_and_a_full_period_of_waiting_makes_urgent() -> None:
    counter = Cycle("counter", 10.0, Urgency.COUNTER)
    trend, alarm = Cycle("trend", 1.0), Cycle("alarm", 1.0, Urgency.ALARM)
    schedule = Schedule([counter, trend, alarm], now=0.0)
    order = []
    for step in range(64):  # the port manages 2 requests a second, 2.1 are wanted
        if cycle := schedule.take(step / 2):
            order.append(cycle.what)
            schedule.done(cycle, step / 2 + 0.45)
    assert order[:4] == ["alarm", "trend", "alarm", "trend"]
    assert order[:20].count("counter") == 0
    assert order.count("counter") == 2, "served late, and served"
    assert counter.worst_late_s >= 10.0


def test_only_what_is_more_urgent_interrupts() -> None:
    trend, alarm = Cycle("trend", 1.0), Cycle("alarm", 1.0, Urgency.ALARM, delay_s=0.5)
    schedule = Schedule([trend, alarm], now=0.0)
    assert schedule.take(0.0, before=Urgency.TREND) is None
    assert schedule.take(0.4, before=Urgency.COUNTER) is trend
    assert schedule.take(0.5, before=Urgency.ALARM) is None
    assert schedule.take(0.5, before=Urgency.TREND) is alarm
    schedule.done(alarm, 0.6)
    assert alarm.due == 1.5


@pytest.mark.parametrize(
    ("alarm_due", "trend_due", "now", "first"),
    [
        (0.5, 0.0, 0.9, "alarm"),  # the more urgent class, however overdue the other is
        (0.5, 0.0, 1.0, "trend"),  # late by exactly its period: urgent too, and more overdue
        (0.5, 0.6, 1.6, "alarm"),
        (0.5, 0.5, 1.5, "alarm"),  # equally overdue: the class that was urgent from the beginning
    ],
)
def test_among_the_urgent_the_longest_overdue_goes_first(
    alarm_due: float, trend_due: float, now: float, first: str
) -> None:
    alarm = Cycle("alarm", 1.0, Urgency.ALARM, delay_s=alarm_due)
    schedule = Schedule([Cycle("trend", 1.0, delay_s=trend_due), alarm], now=0.0)
    taken = schedule.take(now)
    assert taken is not None
    assert taken.what == first


def test_of_a_class_its_longest_overdue_cycle_counts() -> None:
    trends = [Cycle(name, 1.0, delay_s=delay_s) for name, delay_s in (("first", 0.0), ("second", 1.1))]
    schedule = Schedule([*trends, Cycle("alarm", 1.0, Urgency.ALARM, delay_s=0.5)], now=0.0)
    order = [taken.what for _ in range(3) if (taken := schedule.take(1.2)) is not None]
    assert order == ["first", "alarm", "second"]


def test_the_next_time_is_the_earliest_of_all_classes() -> None:
    cycles = [
        Cycle(one.name, 10.0, one, delay_s=delay_s)
        for one, delay_s in zip(Urgency, (3, 1, 0, 2), strict=True)
    ]
    schedule = Schedule(cycles, now=0.0)
    times = []
    while schedule.take(9.0) is not None:
        times.append(schedule.next_due)
    assert times == [0, 0, 2, None]


def test_a_suspect_waits_for_half_a_minute_whatever_its_period_is() -> None:
    suspect = Cycle("suspect", 1.0, Urgency.SUSPECT)
    schedule = Schedule([suspect], now=100.0)
    assert SUSPECT_WAITS_S == 30.0
    assert schedule.take(129.9, before=Urgency.SUSPECT) is None
    assert schedule.take(130.0, before=Urgency.TREND) is suspect
    assert suspect.worst_late_s == 30.0


def test_whether_and_when_something_is_due() -> None:
    cycle = Cycle("a", 1.0)
    schedule = Schedule([cycle], now=100.0)
    assert [schedule.waits(now) for now in (99.9, 100.0, 100.1)] == [False, True, True]
    assert cycle.missed_at == 101.0
    assert schedule.take(100.0) is cycle
    assert schedule.next_due is None
    assert not schedule.waits(1e9)
    schedule.done(cycle, 101.0)  # its next period begins now: that one is missed
    assert (schedule.next_due, cycle.missed) == (102.0, 1)


def test_what_was_missed_in_the_period_under_way_is_due_again() -> None:
    cycles = [Cycle("missed", 1.0), Cycle("good", 1.0), Cycle("waits", 1.0)]
    schedule = Schedule(cycles, now=100.0)
    for _ in cycles[:2]:
        cycle = schedule.take(100.0)
        assert cycle is not None
        schedule.done(cycle, 100.2)
    schedule.bring_forward(lambda what: what == "good", 101.0)
    assert cycles[1].due == 101.0, "its period is over"
    schedule.bring_forward(lambda what: what != "good", 100.5)
    assert [cycle.due for cycle in cycles] == [100.0, 101.0, 100.0], "what is due already is not moved"
    assert schedule.next_due == 100.0
    taken = [schedule.take(100.5) for _ in range(3)]
    assert sorted(cycle.what for cycle in taken if cycle is not None) == ["missed", "waits"]


@pytest.mark.parametrize(("periods_s", "keeps"), [([1.0, 5.0], True), ([1.0, 0.999], False), ([], True)])
def test_a_port_of_long_cycles_keeps_the_beat(periods_s: list[float], keeps: bool) -> None:
    assert keeps_beat([Cycle("a", period_s) for period_s in periods_s]) is keeps


@pytest.mark.parametrize(
    ("due", "beat"), [(0.0, 0.0), (0.001, 0.01), (0.01, 0.01), (0.0100005, 0.0100005), (0.011, 0.02)]
)
def test_beats(due: float, beat: float) -> None:
    assert next_beat(due) == pytest.approx(beat, abs=1e-12)


def test_busy_percent() -> None:
    meter = BusyMeter(0.0)
    assert meter.percent(0.0) == 0.0
    for second in range(30):
        meter.add(second, second + 0.25)
    assert meter.percent(30.0) == pytest.approx(25, abs=2)
    assert meter.percent(30.0 + 3 * BUSY_WINDOW_S) < 25
    assert meter.percent(30.0 + 9 * BUSY_WINDOW_S) == 0.0
