"""The hub's bounded queues."""

from __future__ import annotations

import asyncio

import pytest

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.scope import Scope
from cloud.realtime.hub import MOST_CLIENTS, MOST_MESSAGES, MOST_SUBSCRIPTIONS, Hub, HubFull


def signed_in(sign_in: str) -> CurrentUser:
    return CurrentUser(1, "anybody", 0, frozenset(), sign_in, Scope.system())


ANYBODY = signed_in("")


async def test_only_what_is_subscribed_and_only_the_newest() -> None:
    hub = Hub()
    client, other = hub.join(ANYBODY), hub.join(ANYBODY)
    client.subscribe([1], [5])
    for t_ms in range(100):
        hub.push_values(1, [(5, t_ms, t_ms, 0), (6, t_ms, 0, 0)])
    hub.push_device(2, {"status": "online"})
    assert await client.take() == [{"type": "dp", "did": 1, "rows": [(5, 99, 99, 0)]}]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await other.take()


async def test_slow_client_overflows_and_costs_others_nothing() -> None:
    hub = Hub()
    slow = hub.join(ANYBODY)
    slow.subscribe([1], [])
    for number in range(MOST_MESSAGES + 1):
        hub.push_command(1, {"id": number})
    assert slow.overflowed
    assert len(await slow.take()) == MOST_MESSAGES


async def test_ended_sign_in_is_told_to_its_clients_only() -> None:
    hub = Hub()
    mine, other = hub.join(signed_in("a")), hub.join(signed_in("b"))
    hub.end("a")
    assert (mine.ended, other.ended, await mine.take()) == (True, False, [])


async def test_limits() -> None:
    hub = Hub()
    client = hub.join(ANYBODY)
    assert client.subscribe([], range(MOST_SUBSCRIPTIONS))
    assert not client.subscribe([1], [])
    client.unsubscribe([], [0])
    assert client.subscribe([1], [])
    for _ in range(MOST_CLIENTS - 1):
        hub.join(ANYBODY)
    with pytest.raises(HubFull):
        hub.join(ANYBODY)
    hub.leave(client)
    assert hub.join(ANYBODY)
