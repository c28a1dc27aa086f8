"""Values that are not stored: told and forgotten, each gateway in its turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from cloud.link.hooks import HookRunner
from cloud.link.live_values import MAX_WAITING, LiveValues
from cloud.link.metrics import LIMITED
from cloud.link.rate_limits import VALUES
from edge_contract import batch, topics
from edge_contract.model import Quality, Row

from .equipment import Domain

NOW_MS = 1_790_000_000_000
CATALOG = "00000000000000aa"


class Message:
    """One from the broker."""

    def __init__(self, payload: bytes) -> None:
        self.payload = payload
        self.is_done = False

    def acknowledge(self) -> None:
        self.is_done = True


def payload(value: Any, *, t_ms: int = NOW_MS, point: int = 1, catalog: str = CATALOG) -> bytes:
    qualities = None if value is not None else (Quality.DEVICE_OFFLINE,)
    return batch.encode("0" * 16, 1, catalog, NOW_MS, [Row((point,), t_ms, (value,), qualities)])


@pytest.fixture
def domain() -> Domain:
    made = Domain()
    made.maps = {(name, CATALOG): {1: 11} for name in ("gw-1", "gw-2")}
    return made


class Catalogs:
    """Of the domain, each asked for anew."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain

    def known(self, gateway: str, catalog: str) -> dict[int, int] | None:
        return None

    async def find(self, gateway: str, catalog: str) -> dict[int, int] | None:
        return self._domain.maps.get((gateway, catalog))


@pytest.fixture
async def values(domain: Domain) -> AsyncIterator[LiveValues]:
    catalogs: Any = Catalogs(domain)
    made = LiveValues(catalogs, domain.hooks(), HookRunner(), lambda: NOW_MS, clock=lambda: 0.0)
    task = asyncio.create_task(made.run())
    yield made
    assert not task.done()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not done():  # noqa: ASYNC110 - what is acknowledged sets no event
            await asyncio.sleep(0)


def told(domain: Domain) -> list[tuple[str, int, object]]:
    return [(gateway, c.series, c.values[-1]) for gateway, columns in domain.values for c in columns]


@pytest.mark.clause("C-141")
async def test_they_are_mapped_told_and_acknowledged_to_the_broker(
    values: LiveValues, domain: Domain
) -> None:
    messages = [Message(payload(1.5)), Message(payload(None))]
    for message in messages:
        values.put("gw-1", message)  # type: ignore[arg-type]
    await until(lambda: all(message.is_done for message in messages))
    assert told(domain) == [("gw-1", 11, 1.5), ("gw-1", 11, None)]
    assert domain.stored == []


async def test_what_cannot_be_used_is_left_out(values: LiveValues, domain: Domain) -> None:
    spoiled = bytearray(payload(1.0))
    spoiled[-1] ^= 1
    messages = [
        Message(bytes(spoiled)),
        Message(payload(1.0, catalog="00000000000000bb")),
        Message(payload(1.0, point=2)),
        Message(payload(1.0, t_ms=NOW_MS + 3_600_000)),
    ]
    for message in messages:
        values.put("gw-1", message)  # type: ignore[arg-type]
        await until(lambda: message.is_done)  # noqa: B023 - called at once
    domain.broken = True
    values.put("gw-1", last := Message(payload(2.0)))  # type: ignore[arg-type]
    await until(lambda: last.is_done)
    assert told(domain) == []
    domain.broken = False
    values.put("gw-1", good := Message(payload(3.0)))  # type: ignore[arg-type]
    await until(lambda: good.is_done)
    assert told(domain) == [("gw-1", 11, 3.0)]


async def test_one_gateway_does_not_keep_the_others_waiting(values: LiveValues, domain: Domain) -> None:
    """Of a flood the newest count, and every gateway has its turn."""
    flood = [Message(payload(float(number))) for number in range(100)]
    for message in flood:
        values.put("gw-1", message)  # type: ignore[arg-type]
    values.put("gw-2", other := Message(payload(7.0)))  # type: ignore[arg-type]
    assert [message.is_done for message in flood].count(False) == MAX_WAITING
    await until(lambda: other.is_done and flood[-1].is_done)
    assert told(domain) == [
        ("gw-1", 11, 96.0),
        ("gw-2", 11, 7.0),
        *(("gw-1", 11, float(number)) for number in (97, 98, 99)),
    ]


@pytest.mark.clause("C-136")
async def test_what_is_above_the_allowance_is_dropped_until_the_gateway_is_no_more(
    values: LiveValues, domain: Domain, caplog: pytest.LogCaptureFixture
) -> None:
    small = payload(1.0)
    free = int(VALUES.burst / VALUES.cost(len(small)))
    limited = LIMITED.labels(topics.Message.VALUES.value)
    before = limited._value.get()
    messages = [Message(small) for _ in range(free + 5)]
    for message in messages:
        values.put("gw-1", message)  # type: ignore[arg-type]
    assert limited._value.get() == before + 5
    assert caplog.text.count("gw-1 come too often") == 1
    assert [number for number, message in enumerate(messages) if not message.is_done] == [
        free - MAX_WAITING + n for n in range(MAX_WAITING)
    ]
    values.put("gw-2", other := Message(small))  # type: ignore[arg-type]
    values.forget("gw-1")
    assert all(message.is_done for message in messages)
    values.put("gw-1", again := Message(payload(2.0)))  # type: ignore[arg-type]
    await until(lambda: other.is_done and again.is_done)
    assert sorted(told(domain)) == [("gw-1", 11, 2.0), ("gw-2", 11, 1.0)]
