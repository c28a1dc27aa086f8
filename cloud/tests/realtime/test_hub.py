"""The hub's bounded queues."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

import pytest

from cloud.core.scope import Scope
from cloud.domains.identity.schemas import CurrentUser
from cloud.realtime.audience import Audience
from cloud.realtime.clients import (
    MAX_ARRIVING,
    MAX_ARRIVING_OF_ADDRESS,
    MAX_CLIENTS,
    MAX_CLIENTS_OF_SIGN_IN,
    MAX_CLIENTS_OF_USER,
    MAX_MESSAGES,
    MAX_SUBSCRIPTIONS,
    Client,
    ClientRegistry,
    HubFull,
)
from cloud.realtime.hub import Hub, NoPeers


def signed_in(sign_in: str, number: int = 1) -> CurrentUser:
    return CurrentUser(number, "anybody", 0, frozenset(), sign_in, Scope.system())


ANYBODY = signed_in("")


def single(forget: Callable[[], None] = lambda: None) -> Hub:
    """Of the only process."""
    return Hub(ClientRegistry(forget), NoPeers())


async def test_only_what_is_subscribed_and_only_the_newest() -> None:
    hub = single()
    client, other = hub.clients.join(ANYBODY), hub.clients.join(ANYBODY)
    client.subscribe([1], [5])
    for t_ms in range(100):
        hub.push_values(1, [(5, t_ms, t_ms, 0), (6, t_ms, 0, 0)])
    hub.push_device(2, {"status": "online"})
    assert await client.take() == [{"type": "dp", "did": 1, "rows": [(5, 99, 99, 0)]}]
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await other.take()


async def test_slow_client_overflows_and_costs_others_nothing() -> None:
    hub = single()
    slow = hub.clients.join(ANYBODY)
    slow.subscribe([1], [])
    for number in range(MAX_MESSAGES + 1):
        hub.push_command(1, {"id": number})
    assert slow.overflowed
    assert len(await slow.take()) == MAX_MESSAGES


async def test_ended_sign_in_is_told_to_its_clients_only() -> None:
    hub = single()
    mine, other = hub.clients.join(signed_in("a")), hub.clients.join(signed_in("b"))
    hub.end("a")
    assert (mine.ended, other.ended, await mine.take()) == (True, False, [])


async def test_limits() -> None:
    hub = single()
    client = hub.clients.join(ANYBODY)
    assert client.subscribe([], range(MAX_SUBSCRIPTIONS))
    assert not client.subscribe([1], [])
    client.unsubscribe([], [0])
    assert client.subscribe([1], [])
    for number in range(2, MAX_CLIENTS + 1):
        hub.clients.join(signed_in("", number))
    with pytest.raises(HubFull, match=r"too many clients$"):
        hub.clients.join(signed_in("", 5000))
    hub.clients.leave(client)
    assert hub.clients.join(ANYBODY)


def test_one_user_takes_no_more_than_his_part() -> None:
    assert (MAX_CLIENTS_OF_USER, MAX_CLIENTS_OF_SIGN_IN, MAX_ARRIVING) == (100, 20, 200)
    hub = single()
    mine = [hub.clients.join(signed_in("a")) for _ in range(MAX_CLIENTS_OF_SIGN_IN)]
    with pytest.raises(HubFull, match="of this user"):
        hub.clients.join(signed_in("a"))
    mine += [
        hub.clients.join(signed_in(f"b{number % 4}"))
        for number in range(MAX_CLIENTS_OF_USER - MAX_CLIENTS_OF_SIGN_IN)
    ]
    with pytest.raises(HubFull, match="of this user"):
        hub.clients.join(signed_in("c"))
    other = hub.clients.join(signed_in("d", 2))
    with pytest.raises(HubFull, match="of this user"):
        hub.clients.become(other, signed_in("c"))  # by a second identify
    assert other.user.id == 2
    hub.clients.become(mine[0], signed_in("a"))  # as he is now
    hub.clients.leave(mine[0])
    hub.clients.become(other, signed_in("c"))


def test_sockets_that_have_not_identified_are_few() -> None:
    hub = single()
    with contextlib.ExitStack() as held:
        for _ in range(MAX_ARRIVING_OF_ADDRESS):
            held.enter_context(hub.clients.arriving("a"))
        with pytest.raises(HubFull), hub.clients.arriving("a"):
            pass
        for number in range(MAX_ARRIVING - MAX_ARRIVING_OF_ADDRESS):
            held.enter_context(hub.clients.arriving(f"{number}"))
        with pytest.raises(HubFull), hub.clients.arriving("b"):
            pass
    with hub.clients.arriving("a"):
        pass


async def nothing(client: Client) -> bool:
    try:
        async with asyncio.timeout(0.02):
            await client.take()
    except TimeoutError:
        return True
    return False


async def test_an_invalid_client_takes_nothing_and_what_waits_is_filtered_anew() -> None:
    hub = single()
    client, other = hub.clients.join(signed_in("a")), hub.clients.join(signed_in("b", 2))
    for one in (client, other):
        one.subscribe([1, 2], [5, 6])
    hub.push_device(1, {"status": "before"})
    hub.push_values(1, [(5, 1, 1, 0), (6, 1, 1, 0)])
    hub.invalidate(1, 1)
    hub.push_device(1, {"status": "after"})
    hub.push_device(2, {"status": "seen"})
    assert await nothing(client)
    assert len(await other.take()) == 4
    invalidations = await client.invalidated(5)
    client.unsubscribe([1], [5])
    hub.invalidate(None, 1)
    client.revalidated(invalidations)  # of the first; the second is not answered yet
    assert await nothing(client)
    client.revalidated(await client.invalidated(5))
    first = await client.take()
    assert [(m["type"], m["did"], m.get("rows")) for m in first] == [
        ("device", 2, None), ("dp", 1, [(6, 1, 1, 0)])
    ]  # fmt: skip


async def test_what_was_queued_for_who_is_moved_is_not_sent() -> None:
    hub = single()
    there = CurrentUser(7, "u", 3, frozenset({"Event"}), "s", Scope(7, "/1/5/7/"))
    client = hub.clients.join(there)
    hub.invalidate()
    hub.push_to(Audience("/1/5/7/8/"), "Event", {"type": "alarm", "did": 1})
    hub.clients.become(client, CurrentUser(7, "u", 3, frozenset({"Event"}), "s", Scope(7, "/1/6/7/")))
    client.revalidated(await client.invalidated(5))
    assert await nothing(client)


async def test_who_is_invalidated_may_get_something_of_the_gateway() -> None:
    forgotten: list[int] = []
    hub = single(lambda: forgotten.append(1))
    device, point, none, other = (hub.clients.join(signed_in("", number)) for number in range(1, 5))
    device.subscribe([1], [])
    point.subscribe([], [5])
    other.subscribe([2], [])
    hub.invalidate(1, None)
    found = [not one._is_valid.is_set() for one in (device, point, none, other)]
    assert (found, forgotten, hub.clients.invalidations) == ([True, True, False, False], [1], 1)
