"""A port lent to a tool, and the trace of what went over it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from simulated_plant import run_until_idle

from edge_agent.bus.commands import QueueFull
from edge_agent.bus.trace import MAX_CHUNK_BYTES, MAX_CHUNKS, MAX_FRAME_BYTES, FrameTrace, depth_of
from edge_agent.config.model import Port
from edge_agent.errors import BadValue, NoAnswer, PortLocked
from edge_agent.model import PointKey, Quality, Seen


async def test_polling_rests_while_a_port_is_locked(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", "b.two"))
    await here.clock.advance(2)
    done = asyncio.Event()

    async def work(port: Port, seen: Seen) -> str:
        seen("request", b"\x01")
        await done.wait()
        return port.name

    borrowed = asyncio.create_task(here.bus.run_locked("a", work, 30, 1))
    await run_until_idle()
    before = len(here.plant.requests("one"))
    await here.clock.advance(5)
    assert len(here.plant.requests("one")) == before
    assert len(here.plant.requests("two")) == 8
    opened = here.plant.opened.count("a")
    done.set()
    assert await borrowed == "a"
    await here.clock.advance(2)
    assert here.plant.opened.count("a") == opened + 1
    assert len(here.plant.requests("one")) > before
    assert b"\x01" in [frame.data for frame in here.bus.trace("a")]


async def test_a_lock_ends_in_time_and_its_errors_reach_the_borrower(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one"))
    await here.clock.advance(1.5)
    let_go = []

    async def endless(port: Port, seen: Seen) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            let_go.append(port.name)

    async def faulty(port: Port, seen: Seen) -> None:
        raise ZeroDivisionError

    with pytest.raises(NoAnswer, match=r"not done within 0\.05 s"):
        await here.bus.run_locked("a", endless, 0.05, 5)
    assert let_go == ["a"]
    with pytest.raises(ZeroDivisionError):
        await here.bus.run_locked("a", faulty, 1, 1)
    with pytest.raises(BadValue, match="z: no such port"):
        await here.bus.run_locked("z", faulty, 1, 1)
    with pytest.raises(BadValue, match="z: no such port"):
        here.bus.trace("z")
    reads = len(here.plant.requests("one"))
    await here.clock.advance(3)
    assert len(here.plant.requests("one")) > reads


async def test_a_borrower_that_goes_away_gives_the_port_back(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one"))
    await here.clock.advance(1.5)
    let_go = []

    async def endless(port: Port, seen: Seen) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            let_go.append(port.name)

    borrowed = asyncio.create_task(here.bus.run_locked("a", endless, 30, 1))
    await run_until_idle()
    borrowed.cancel()
    await asyncio.gather(borrowed, return_exceptions=True)
    await run_until_idle()
    assert let_go == ["a"]
    reads = len(here.plant.requests("one"))
    await here.clock.advance(3)
    assert len(here.plant.requests("one")) > reads


async def test_a_port_without_slaves_is_locked_by_one_at_a_time(site: Any, make_toml: Any) -> None:
    text = make_toml("a.one") + '\n[[ports]]\nname = "spare"\ntype = "NET"\nhost = "h"\n'
    here = site(text)
    done = asyncio.Event()

    async def work(port: Port, seen: Seen) -> str:
        await done.wait()
        return port.name

    first = asyncio.create_task(here.bus.run_locked("spare", work, 5, 5))
    await run_until_idle()
    with pytest.raises(QueueFull, match="spare is lent already"):
        await here.bus.run_locked("spare", work, 5, 5)
    done.set()
    assert await first == "spare"
    assert await here.bus.run_locked("spare", work, 5, 5) == "spare"
    assert here.bus.trace("spare") == []


async def test_requests_are_traced(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one"))
    await here.clock.advance(1.5)
    frames = here.bus.trace("a")
    assert [(frame.t_ms, frame.direction, frame.data) for frame in frames] == [
        (1_790_000_000_000, "request", b"read 0+1"),
        (1_790_000_001_000, "request", b"read 0+1"),
    ]


def test_chunks_of_an_answer_are_one_frame_until_a_pause() -> None:
    now = [1000]
    trace = FrameTrace(lambda: now[0])
    for t_ms, direction, data in (
        (1000, "request", b"\x01"),
        (1010, "answer", b"\x02"),
        (1020, "answer", b"\x03"),
        (1500, "answer", b"\x04"),
        (1600, "request", b"\x05"),
        (1601, "request", b"\x06"),
    ):
        now[0] = t_ms
        trace.seen(direction, data)  # type: ignore[arg-type]
    assert [(frame.t_ms, frame.direction, frame.data, frame.cut) for frame in trace.frames()] == [
        (1000, "request", b"\x01", 0),
        (1010, "answer", b"\x02\x03", 0),
        (1500, "answer", b"\x04", 0),
        (1600, "request", b"\x05", 0),
        (1601, "request", b"\x06", 0),
    ]


def test_a_trace_is_bounded_and_says_what_it_left_out() -> None:
    trace = FrameTrace(lambda: 0)
    for _ in range(MAX_CHUNKS + 50):
        trace.seen("answer", bytes(5 * MAX_CHUNK_BYTES))
    (frame,) = trace.frames()
    assert len(frame.data) == MAX_FRAME_BYTES
    assert len(frame.data) + frame.cut == MAX_CHUNKS * 5 * MAX_CHUNK_BYTES
    for _ in range(MAX_CHUNKS + 50):
        trace.seen("request", b"x")
    assert len(trace.frames()) == MAX_CHUNKS


def test_many_ports_share_what_may_be_traced() -> None:
    assert [depth_of(ports) for ports in (0, 1, 50, 100, 10_000)] == [400, 400, 400, 200, 40]
    trace = FrameTrace(lambda: 0, depth_of(200))
    for _ in range(300):
        trace.seen("request", b"x")
    assert len(trace.frames()) == 100


@pytest.mark.clause("C-066", "C-101")
async def test_a_locked_port_is_visible_in_its_slaves_and_their_points(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one", "b.two"))
    await here.clock.advance(2.5)
    seen_ms = {state.slave: state.last_good_ms for state in here.bus.states()}
    done = asyncio.Event()

    async def work(port: Port, seen: Seen) -> None:
        await done.wait()

    borrowed = asyncio.create_task(here.bus.run_locked("a", work, 30, 1, "ann"))
    await run_until_idle()
    one, two = here.bus.states()
    assert (one.online, one.reason, one.last_good_ms) == (False, "port_lent", seen_ms["one"])
    assert (two.online, two.reason) == (True, "ok")
    assert quality_of(here, "one") is Quality.GOOD, "no reading was missed yet"
    await here.clock.advance(2)
    assert quality_of(here, "one") is Quality.DEVICE_OFFLINE
    assert quality_of(here, "two") is Quality.GOOD
    done.set()
    await borrowed
    assert here.bus.states()[0].online
    await here.clock.advance(1)
    assert quality_of(here, "one") is Quality.GOOD
    assert [quality for _, quality in here.stored("one")].count("DEVICE_OFFLINE") == 1


@pytest.mark.clause("C-086")
async def test_a_request_to_a_slave_on_a_locked_port_fails_at_once(site: Any, make_toml: Any) -> None:
    here = site(make_toml("a.one"))
    await here.clock.advance(2.5)
    done = asyncio.Event()

    async def work(port: Port, seen: Seen) -> str:
        await done.wait()
        return port.name

    first = asyncio.create_task(here.bus.run_locked("a", work, 30, 1, "ann"))
    before = asyncio.create_task(here.bus.read(PointKey("one", "p0"), 20))  # it waits behind the loan
    second = asyncio.create_task(here.bus.run_locked("a", work, 30, 5, "bob"))
    await run_until_idle()
    with pytest.raises(PortLocked, match="port a is lent to ann"):
        await asyncio.wait_for(before, 10)
    with pytest.raises(PortLocked, match="port a is lent to ann"):
        await asyncio.wait_for(here.bus.read(PointKey("one", "p0"), 20), 10)
    assert not second.done(), "who wants to borrow the port waits for its turn"
    done.set()
    assert [await first, await second] == ["a", "a"]


def quality_of(here: Any, slave: str) -> Quality:
    sample = here.live.get(here.numbers[PointKey(slave, "p0")])
    assert sample is not None
    return Quality(sample.quality)
