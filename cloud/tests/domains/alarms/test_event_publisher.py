"""Pushing to browsers: few messages however many alarms there are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from cloud.domains.alarms.event_publisher import (
    DROPPED,
    MAX_EACH,
    MAX_WAITING,
    EventPublisher,
    PushEvent,
    alarm_event,
    on_offline_event,
    place_event,
)
from cloud.realtime.audience import Audience

OF_ANOTHER = 1
ALARM, RECOVERY = 1, 0


class Feed:
    """A publisher whose pause ends when the test says so."""

    def __init__(self) -> None:
        self.pushed: list[dict[str, Any]] = []
        self.asked: list[int] = []
        self.pauses = asyncio.Semaphore(0)
        self.publisher = EventPublisher(self._audience, self._push)
        self.task = asyncio.create_task(self.publisher.run(self._pause))

    async def _audience(self, device_id: int) -> Audience:
        self.asked.append(device_id)
        if device_id == 1:
            raise ConnectionError("database away")
        return Audience("/7/")

    def _push(self, who: Audience, permission: str, message: dict[str, Any]) -> None:
        self.pushed.append({**message, "to": (who, permission)})

    async def _pause(self, _seconds: float) -> None:
        await self.pauses.acquire()

    async def until(self, done: Callable[[], bool]) -> None:
        async with asyncio.timeout(30):
            while not done():  # noqa: ASYNC110 - bounded, and the publisher tells nothing
                await asyncio.sleep(0.01)


@pytest.fixture
async def feed() -> Feed:
    return Feed()


def alarm(device_id: int, number: int, alarm_type: int = ALARM, what: str = "new") -> PushEvent:
    return alarm_event(what, device_id, number, at=number, alarm_type=alarm_type, level=None, status=0)


async def test_a_single_alarm_waits_for_nothing_and_says_no_count(feed: Feed) -> None:
    feed.publisher.publish(alarm(2, 1))
    await feed.until(lambda: bool(feed.pushed))
    assert feed.pushed[0]["to"] == (Audience("/7/"), "Event")
    assert "count" not in feed.pushed[0]
    feed.task.cancel()


async def test_a_flood_of_one_gateway_is_a_few_messages_that_say_how_many(feed: Feed) -> None:
    for number in range(1, 10_001):
        feed.publisher.publish(alarm(2, number))
    for number in range(1, 4):
        feed.publisher.publish(alarm(2, number, RECOVERY))
    await feed.until(lambda: len(feed.pushed) >= MAX_EACH + 3)
    new = [message for message in feed.pushed if message["alarm_type"] == ALARM]
    assert [message["id"] for message in new] == list(range(10_001 - MAX_EACH, 10_001))
    assert sum(message.get("count", 1) for message in new) == 10_000
    recoveries = [message for message in feed.pushed if message["alarm_type"] == RECOVERY]
    assert [message["id"] for message in recoveries] == [1, 2, 3]
    assert feed.asked == [2]
    feed.task.cancel()


async def test_what_comes_in_the_pause_is_folded_with_the_next_push(feed: Feed) -> None:
    feed.publisher.publish(alarm(2, 1))
    await feed.until(lambda: len(feed.pushed) == 1)
    for number in range(2, 102):
        feed.publisher.publish(alarm(2, number))
        await asyncio.sleep(0)
    assert len(feed.pushed) == 1
    feed.pauses.release()
    await feed.until(lambda: len(feed.pushed) == 1 + MAX_EACH)
    assert sum(message.get("count", 1) for message in feed.pushed) == 101
    feed.task.cancel()


async def test_gateways_kinds_and_other_events_are_not_folded_together(feed: Feed) -> None:
    for device_id in (2, 3):
        for what in ("new", "changed", "deleted"):
            feed.publisher.publish(alarm(device_id, 1, what=what))
        for entry in range(MAX_EACH + 3):
            feed.publisher.publish(on_offline_event(device_id, entry, None, 0, 1))
        feed.publisher.publish(place_event(device_id))
    expected = 2 * (3 + MAX_EACH + 3 + 1)
    await feed.until(lambda: len(feed.pushed) == expected)
    assert not any("count" in message for message in feed.pushed)
    feed.task.cancel()


async def test_what_waits_is_bounded_and_a_failure_is_survived(
    feed: Feed, caplog: pytest.LogCaptureFixture
) -> None:
    before = DROPPED._value.get()
    for number in range(MAX_WAITING + 5):
        feed.publisher.publish(on_offline_event(1 if number == 0 else 2, number, None, 0, 1))
    await feed.until(lambda: len(feed.pushed) == MAX_WAITING - OF_ANOTHER)
    assert DROPPED._value.get() - before == 5
    assert "events of device 1 were not pushed" in caplog.text
    feed.task.cancel()
