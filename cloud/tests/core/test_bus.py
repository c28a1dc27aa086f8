"""The event bus: order, faults, back-pressure, the end; and the kinds of events."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from cloud.core import bus as module
from cloud.core.bus import DurableEvent, Event, EventBus, ImmediateEvent


@dataclass(frozen=True)
class Said(Event):
    word: str


@dataclass(frozen=True)
class Stored(DurableEvent):
    word: str


@dataclass(frozen=True)
class Noted(ImmediateEvent):
    word: str


def faults(event: str) -> float:
    """Counted for all handlers of an event."""
    samples = next(iter(module.FAULTS.collect())).samples
    return sum(s.value for s in samples if s.name.endswith("_total") and s.labels["event"] == event)


async def test_handlers_run_in_the_order_of_their_registration() -> None:
    bus, heard = EventBus(), list[str]()

    async def first(event: Said) -> None:
        await asyncio.sleep(0)
        heard.append(f"first {event.word}")

    async def second(event: Said) -> None:
        heard.append(f"second {event.word}")

    bus.handle(Said, first)
    bus.handle(Said, second)
    await bus.publish(Said("a"))
    await bus.publish(Stored("nobody hears this"))
    assert heard == ["first a", "second a"]


async def test_a_fault_stops_no_other_handler_and_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    bus, heard, before = EventBus(), list[str](), faults("Said")

    async def failing(event: Said) -> None:
        raise ValueError("no")

    async def hearing(event: Said) -> None:
        heard.append(event.word)

    bus.handle(Said, failing)
    bus.handle(Said, hearing)
    await bus.publish(Said("a"))
    assert (heard, faults("Said") - before) == (["a"], 1)
    assert "failing failed on Said" in caplog.text


async def test_the_publisher_of_a_durable_event_gets_the_first_fault_when_all_have_run() -> None:
    bus, heard, before = EventBus(), list[str](), faults("Stored")

    async def first(event: Stored) -> None:
        raise LookupError("first")

    async def second(event: Stored) -> None:
        raise ValueError("second")

    async def third(event: Stored) -> None:
        heard.append(event.word)

    for handler in (first, second, third):
        bus.handle(Stored, handler)
    with pytest.raises(LookupError, match="first"):
        await bus.publish(Stored("a"))
    assert (heard, faults("Stored") - before) == (["a"], 2)


async def test_a_cancelled_publisher_cancels_its_handlers() -> None:
    bus, heard = EventBus(), list[str]()

    async def waiting(event: Said) -> None:
        await asyncio.Event().wait()

    async def after(event: Said) -> None:
        heard.append(event.word)

    bus.handle(Said, waiting)
    bus.handle(Said, after)
    task = asyncio.create_task(bus.publish(Said("a")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await bus.stop(timeout_s=0)
    assert heard == []


def test_immediate_events_are_handled_at_once_and_in_order() -> None:
    bus, heard, before = EventBus(), list[str](), faults("Noted")

    def failing(event: Noted) -> None:
        raise ValueError("no")

    bus.handle_now(Noted, failing)
    bus.handle_now(Noted, lambda event: heard.append(event.word))
    for word in ("a", "b", "c"):
        bus.publish_now(Noted(word))
    assert (heard, faults("Noted") - before) == (["a", "b", "c"], 3)


async def test_a_slow_handler_slows_its_publisher_and_nothing_is_queued() -> None:
    bus, may_end, ended = EventBus(), asyncio.Event(), list[str]()

    async def slow(event: Said) -> None:
        await may_end.wait()
        ended.append(event.word)

    bus.handle(Said, slow)
    publishing = asyncio.create_task(bus.publish(Said("a")))
    await asyncio.sleep(0)
    assert not publishing.done()
    stopping = asyncio.create_task(bus.stop())
    await asyncio.sleep(0)
    assert not stopping.done(), "the end waits for what is being handled"
    may_end.set()
    await stopping
    assert ended == ["a"]
    await publishing


async def test_the_end_waits_no_longer_than_its_timeout(caplog: pytest.LogCaptureFixture) -> None:
    bus = EventBus()

    async def stuck(event: Said) -> None:
        await asyncio.Event().wait()

    bus.handle(Said, stuck)
    publishing = asyncio.create_task(bus.publish(Said("a")))
    await asyncio.sleep(0)
    await bus.stop(timeout_s=0.01)
    assert "1 events are not handled yet" in caplog.text
    publishing.cancel()


async def test_nobody_registers_after_the_start() -> None:
    bus = EventBus()
    bus.seal()

    async def late(event: Said) -> None:
        """Never called."""

    with pytest.raises(RuntimeError, match="not after the start"):
        bus.handle(Said, late)
    with pytest.raises(RuntimeError, match="not after the start"):
        bus.handle_now(Noted, lambda event: None)


async def test_a_publisher_makes_the_event_of_its_arguments() -> None:
    bus, heard = EventBus(), list[Said]()

    async def hear(event: Said) -> None:
        heard.append(event)

    bus.handle(Said, hear)
    await bus.publisher(Said)("a")
    assert heard == [Said("a")]
