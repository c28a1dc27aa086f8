"""Breaker, deadline queue and busy meter: pure."""

from __future__ import annotations

import pytest

from edge_agent.bus.breaker import FAILURES_TO_OPEN, Breaker
from edge_agent.bus.schedule import Cycle, Schedule, Urgency
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


def test_the_urgent_go_first_and_a_whole_period_of_waiting_makes_urgent() -> None:
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


def test_busy_percent() -> None:
    meter = BusyMeter(0.0)
    assert meter.percent(0.0) == 0.0
    for second in range(30):
        meter.add(second, second + 0.25)
    assert meter.percent(30.0) == pytest.approx(25, abs=2)
    assert meter.percent(30.0 + 3 * BUSY_WINDOW_S) < 25
    assert meter.percent(30.0 + 9 * BUSY_WINDOW_S) == 0.0
