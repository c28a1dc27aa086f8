"""What is told of a slave's requests: the last minute, and every fault by its kind."""

from __future__ import annotations

from typing import Any

import pytest
from simulated_plant import EPOCH_MS

from edge_agent.bus.request_counts import RequestCounts
from edge_agent.errors import BadChecksum, BadFrame, ConnectionRefused, DeviceRefused, ForeignAnswer, NoAnswer
from edge_agent.model import DeviceState, RequestState


def bus_of(here: Any, slave: str) -> RequestState:
    result: DeviceState = next(state for state in here.bus.states() if state.slave == slave)
    assert result.bus is not None
    return result.bus


def kinds(state: RequestState) -> list[tuple[str, int | None, int]]:
    return [(fault.kind, fault.code, fault.count) for fault in state.faults]


@pytest.mark.clause("C-150")
def test_the_last_minute_is_reported_and_nothing_before_it() -> None:
    counts = RequestCounts(EPOCH_MS)
    empty = counts.state(1000.0)
    assert (empty.requests, empty.failures, empty.mean_ms, empty.max_ms) == (0, 0, None, None)
    for second in range(600):
        counts.record_request(float(second))
        counts.answered(900.0 if second < 500 else 10.0 + second % 3, float(second))
    now = counts.state(599.0)
    assert 55 <= now.requests <= 60
    assert (now.failures, now.mean_ms, now.max_ms) == (0, 11.0, 12.0)
    assert counts.state(659.0).requests == 0, "silence since then"


@pytest.mark.clause("C-151")
def test_faults_are_counted_by_kind_and_code_and_the_newest_stands_first() -> None:
    counts = RequestCounts(EPOCH_MS)
    for at, error in enumerate(
        [BadChecksum("x"), ForeignAnswer("x"), BadFrame("x"), DeviceRefused(2, "x"), DeviceRefused(3, "x"),
         DeviceRefused(2, "x"), NoAnswer("x"), ConnectionRefused("x")]
    ):  # fmt: skip
        counts.failed(error, 0.0, EPOCH_MS + at)
    result = counts.state(0.0)
    assert result.since_ms == EPOCH_MS
    assert kinds(result) == [
        ("connection_refused", None, 1), ("no_answer", None, 1), ("exception", 2, 2), ("exception", 3, 1),
        ("bad_frame", None, 1), ("foreign_answer", None, 1), ("checksum", None, 1),
    ]  # fmt: skip
    assert result.faults[0].last_ms == EPOCH_MS + 7


@pytest.mark.clause("C-151")
def test_codes_beyond_the_bound_are_counted_by_their_kind() -> None:
    counts = RequestCounts(EPOCH_MS)
    for code in range(100):
        counts.failed(DeviceRefused(code, "x"), 0.0, EPOCH_MS)
    result = kinds(counts.state(0.0))
    assert len(result) == 13
    assert ("exception", None, 88) in result


@pytest.mark.clause("C-150", "C-151")
async def test_requests_of_a_slave_on_its_port(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", "a.two"), two={})
    here.plant.latency_s = 0.04
    await here.clock.advance(50)
    one, two = bus_of(here, "one"), bus_of(here, "two")
    assert 45 <= one.requests <= 51 and one.failures == 0
    assert (one.mean_ms, one.max_ms, one.faults) == (40.0, 40.0, ())
    assert two.failures == two.requests > 0, "each is refused with exception 2"
    assert kinds(two) == [("exception", 2, two.requests)]
    here.plant.silent.add("one")
    await here.clock.advance(120)
    one = bus_of(here, "one")
    assert (one.requests, one.mean_ms) == (one.failures, None)
    assert one.faults[0].kind == "no_answer"


@pytest.mark.clause("C-151")
async def test_a_port_that_cannot_be_opened_is_a_fault_of_its_slaves(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one"))
    here.plant.down.add("a")
    await here.clock.advance(10)
    result = bus_of(here, "one")
    assert result.faults[0].kind == "port_down" and result.faults[0].count >= 3
    assert result.requests <= 1, "an attempt to connect is no request"


@pytest.mark.clause("C-150")
async def test_a_disabled_slave_has_no_figures(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", slave="enable = false"))
    await here.clock.advance(5)
    assert [state.bus for state in here.bus.states()] == [None]


@pytest.mark.clause("C-150")
def test_a_minute_has_twelve_parts_of_five_seconds() -> None:
    counts = RequestCounts(EPOCH_MS)
    for second in (100.0, 104.9, 105.0):
        counts.record_request(second)
    told = {at: counts.state(at).requests for at in (105.0, 159.9, 160.0, 164.9, 165.0)}
    assert told == {105.0: 3, 159.9: 3, 160.0: 1, 164.9: 1, 165.0: 0}
    counts.record_request(160.0)
    assert counts.state(160.0).requests == 2, "in place of the first two"
