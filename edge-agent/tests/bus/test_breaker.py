"""A silent slave is asked at growing intervals."""

from __future__ import annotations

from edge_agent.bus.breaker import Breaker


def test_the_third_failure_opens_and_every_further_one_doubles_the_pause_up_to_a_minute() -> None:
    breaker, now = Breaker(), 1000.0
    assert [breaker.failed(now) for _ in range(2)] == [False, False]
    assert breaker.may_ask(now)
    assert breaker.failed(now), "it opens once"
    pauses = []
    for _ in range(7):
        pauses.append(breaker.retry_at - now)
        assert not breaker.may_ask(breaker.retry_at - 0.001)
        now = breaker.retry_at
        assert breaker.may_ask(now)
        assert not breaker.failed(now)
    assert pauses == [2, 4, 8, 16, 32, 60, 60]


def test_an_answer_closes_it_and_it_begins_anew() -> None:
    breaker = Breaker()
    assert not breaker.good()
    breaker.failed(0.0)
    assert not breaker.good(), "it was not open"
    for _ in range(5):
        breaker.failed(0.0)
    assert breaker.good() and breaker.may_ask(0.0) and not breaker.good()
    assert [breaker.failed(100.0) for _ in range(3)] == [False, False, True]
    assert breaker.retry_at == 102.0


def test_a_port_that_was_opened_again_is_asked_at_once() -> None:
    breaker = Breaker()
    for _ in range(3):
        breaker.failed(100.0)
    breaker.probe_now()
    assert breaker.may_ask(100.0)
    assert not breaker.failed(100.0) and breaker.retry_at == 104.0
