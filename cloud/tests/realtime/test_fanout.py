"""Hubs of several processes: what one pushes the others' browsers get. No broker, a simulated clock."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloud.core.scope import Scope
from cloud.domains.identity.schemas import CurrentUser
from cloud.realtime import fanout
from cloud.realtime.audience import Audience
from cloud.realtime.clients import Client, ClientRegistry
from cloud.realtime.fanout import FanOut
from cloud.realtime.hub import Hub
from edge_contract.payloads import decode
from edge_contract.push import MAX_NOTICE_POINTS, MAX_PUSH_ROWS, NOTICE_EXPIRES_S, Push, PushKind

SAYS_S = 10.0


class Bus:
    """A broker that delivers at once to everybody, the sender too; away: it takes nothing."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.away = False
        self.processes: list[FanOut] = []
        self.sent: list[Push] = []
        self.said_s: list[float] = []

    def process(self, forget: Callable[[], None] = lambda: None) -> Hub:
        clients = ClientRegistry(forget)
        made = FanOut(clients, self._post, clock=lambda: self.now_s)
        self.processes.append(made)
        made.connected()
        return Hub(clients, made)

    def _post(self, payload: bytes) -> None:
        if not self.away:
            self.sent.append(decode(Push, payload))
            self.said_s.append(time.monotonic())
            for process in self.processes:
                process.take(payload)

    def tell(self) -> None:
        """Every process says what it listens to, as it does in time."""
        for process in self.processes:
            process.notify()

    async def says(self, count: int) -> None:
        """Return when so much has been sent since kinds() was asked."""
        async with asyncio.timeout(SAYS_S):
            while len(self.sent) < count:  # noqa: ASYNC110
                await asyncio.sleep(0.005)

    def kinds(self) -> list[PushKind]:
        found = [push.kind for push in self.sent]
        self.sent.clear()
        return found


@pytest.fixture
def bus() -> Bus:
    return Bus()


def user(number: int = 1, path: str = "/1/", *permissions: str, everything: bool = False) -> CurrentUser:
    return CurrentUser(
        number, f"u{number}", 1, frozenset(permissions), f"s{number}", Scope(number, path, everything)
    )


async def got(client: Client) -> list[dict[str, Any]]:
    """What waits for a browser."""
    try:
        async with asyncio.timeout(0.01):
            return await client.take()
    except TimeoutError:
        return []


@pytest.mark.clause("C-111")
async def test_a_browser_at_one_process_sees_what_came_in_at_another(bus: Bus) -> None:
    a, b = bus.process(), bus.process()
    here, there = a.clients.join(user()), b.clients.join(user())
    for client in (here, there):
        client.subscribe([1], [5])
    bus.tell()
    a.push_values(1, [(5, 10, 7.5, 0), (6, 10, 1, 0)])
    a.push_device(1, {"status": "online"})
    a.push_command(1, {"id": "c"})
    a.push_deployment(1, {"id": "d"})
    a.push_configuration(1)
    a.push_device(2, {"status": "online"})
    mine, theirs = await got(here), await got(there)
    assert [message["type"] for message in mine] == ["device", "cmd", "deploy", "configuration", "dp"]
    assert theirs == mine  # once each, and the same


@pytest.mark.clause("C-111")
async def test_who_may_see_is_decided_at_each_process_by_the_same_rule(bus: Bus) -> None:
    a, b = bus.process(), bus.process()
    clients = {
        name: b.clients.join(who)
        for name, who in {
            "owner": user(2, "/1/2/", "Event"),
            "above": user(1, "/1/", "Event"),
            "beside": user(3, "/1/3/", "Event"),
            "guest": user(9, "/9/", "Event"),
            "deaf": user(2, "/1/2/"),
            "platform": user(4, "/4/", "Event", everything=True),
        }.items()
    }
    bus.tell()
    a.push_to(Audience("/1/2/", frozenset({9})), "Event", {"type": "alarm", "did": 1})
    found = {name for name, client in clients.items() if await got(client)}
    assert found == {"owner", "above", "guest", "platform"}
    a.push_user(2, {"type": "unread", "alarm": 0})
    assert {name for name, client in clients.items() if await got(client)} == {"owner", "deaf"}


@pytest.mark.clause("C-111")
async def test_a_logout_closes_the_sockets_of_other_processes(bus: Bus) -> None:
    a, b = bus.process(), bus.process()
    mine, other = b.clients.join(user(1)), b.clients.join(user(2))
    bus.tell()
    a.end("s1")
    assert (mine.ended, other.ended) == (True, False)


@pytest.mark.clause("C-111")
async def test_access_that_was_taken_is_invalidated_at_other_processes(bus: Bus) -> None:
    forgotten: list[int] = []
    a, b = bus.process(), bus.process(lambda: forgotten.append(1))
    mine, other = b.clients.join(user(1)), b.clients.join(user(2))
    for client in (mine, other):
        client.subscribe([1], [5])
    bus.tell()
    a.invalidate(1, 1)
    a.push_device(1, {"status": "online"})
    a.push_values(1, [(5, 10, 7.5, 0)])
    assert (await got(mine), len(await got(other)), forgotten) == ([], 2, [1])
    invalidations = await mine.invalidated(1)
    mine.unsubscribe([1], [5])
    mine.revalidated(invalidations)
    assert await got(mine) == []
    a.invalidate()
    b.push_user(2, {"type": "unread"})
    assert await got(other) == []


@pytest.mark.clause("C-112")
async def test_values_cross_only_while_somebody_elsewhere_watches_them(bus: Bus) -> None:
    a, b = bus.process(), bus.process()
    bus.kinds()
    rows = [(number, 1, 1, 0) for number in range(1, 9)]
    a.clients.join(user()).subscribe([], [1, 2])
    a.push_values(1, rows)
    a.push_device(1, {})
    a.push_to(Audience(), "Event", {"type": "alarm"})
    a.push_user(1, {"type": "unread"})
    assert bus.kinds() == []
    assert a.listened and not a._peers.listened
    client = b.clients.join(user())
    bus.tell()
    bus.kinds()
    a.push_values(1, rows)
    a.push_device(1, {})
    assert bus.kinds() == [PushKind.SUBSCRIBED]  # a browser, but nobody watches a point
    client.subscribe([], [5, 6])
    bus.tell()
    bus.kinds()
    a.push_values(1, rows)
    assert [row[0] for push in bus.sent for row in push.rows] == [5, 6]
    bus.kinds()
    a.push_values(1, rows[:4])
    assert bus.kinds() == []
    b.clients.leave(client)
    bus.tell()
    assert bus.kinds() == [PushKind.NOTICE, PushKind.NOTICE]
    a.push_values(1, rows)
    a.push_device(1, {})
    bus.tell()
    assert bus.kinds() == [PushKind.NOTICE]  # of a; b has nobody and said so once


@pytest.mark.clause("C-112")
async def test_a_process_that_has_died_counts_for_25_s(bus: Bus) -> None:
    a, b = bus.process(), bus.process()
    b.clients.join(user())
    bus.tell()
    bus.processes.pop()
    bus.now_s += NOTICE_EXPIRES_S
    assert a._peers.listened
    bus.now_s += 0.1
    assert not a._peers.listened


@pytest.mark.clause("C-112")
async def test_who_connects_asks_and_is_told(bus: Bus) -> None:
    b = bus.process()
    b.clients.join(user()).subscribe([], [5])
    a = bus.process()
    assert bus.kinds()[-2:] == [PushKind.ASK, PushKind.NOTICE]
    assert a._peers.listened


@pytest.mark.clause("C-112")
async def test_a_question_that_is_lost_is_made_up_for_by_the_next_repetition(bus: Bus) -> None:
    b = bus.process()
    client = b.clients.join(user())
    client.subscribe([], [5])
    bus.kinds()
    bus.away = True
    a = bus.process()
    bus.away = False
    a.push_values(1, [(5, 1, 1, 0)])
    assert not a._peers.listened and bus.kinds() == []
    bus.tell()  # within NOTICE_S
    a.push_values(1, [(5, 2, 2, 0)])
    assert [row[1] for message in await got(client) for row in message["rows"]] == [2]


@pytest.mark.clause("C-112")
async def test_notices_at_every_change_and_every_ten_seconds(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fanout, "NOTICE_S", 0.02)
    monkeypatch.setattr(fanout, "NOTICE_DELAY_S", 0.005)
    hub = bus.process()
    bus.kinds()
    task = asyncio.create_task(bus.processes[0].notify_for_ever())
    await asyncio.sleep(0.1)
    assert bus.kinds() == []  # no browser, nothing to say
    monkeypatch.setattr(fanout, "NOTICE_S", 60.0)
    client = hub.clients.join(user())
    await bus.says(1)
    client.subscribe([], [1])
    await bus.says(2)  # the minute runs from here
    bus.kinds()
    for dsid in range(2, 50):
        client.subscribe([], [dsid])
    await bus.says(1)
    await asyncio.sleep(0.05)
    (push,) = bus.sent  # one for all the steps
    assert (push.clients, push.points) == (1, list(range(1, 50)))
    monkeypatch.setattr(fanout, "NOTICE_S", 0.02)
    client.subscribe([], [50])
    await bus.says(5)
    pauses = [later - earlier for earlier, later in itertools.pairwise(bus.said_s[-4:])]
    assert min(pauses) >= 0.02, "no more often than every NOTICE_S"
    task.cancel()


async def test_more_points_than_a_notice_can_name(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_NOTICE_POINTS == 20_000
    monkeypatch.setattr(fanout, "MAX_NOTICE_POINTS", 10)
    a, b = bus.process(), bus.process()
    b.clients.join(user()).subscribe([], range(1, 12))
    bus.tell()
    bus.kinds()
    a.push_values(1, [(number, 1, 1, 0) for number in range(100, 100 + MAX_PUSH_ROWS + 1)])
    assert [len(push.rows) for push in bus.sent] == [MAX_PUSH_ROWS, 1]


@pytest.mark.clause("C-113")
async def test_with_the_broker_away_each_serves_its_own(bus: Bus) -> None:
    a, b = bus.process(), bus.process()
    here, there = a.clients.join(user()), b.clients.join(user())
    for client in (here, there):
        client.subscribe([1], [5])
    bus.tell()
    bus.away = True
    a.push_values(1, [(5, 10, 7.5, 0)])
    assert (len(await got(here)), await got(there)) == (1, [])
    bus.away = False
    a.push_values(1, [(5, 11, 8.5, 0)])
    assert (await got(there))[0]["rows"] == [(5, 11, 8.5, 0)]


@given(st.binary(max_size=60))
def test_what_cannot_be_read_changes_nothing(garbage: bytes) -> None:
    peers = FanOut(ClientRegistry(), lambda _: None)
    peers.take(garbage)
    assert not peers.listened


async def test_processes_that_are_remembered_are_bounded(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fanout, "MAX_PROCESSES", 2)
    hubs = [bus.process() for _ in range(4)]
    for hub in hubs[1:]:
        hub.clients.join(user())
    bus.tell()
    assert len(bus.processes[0]._counting()) == 2


async def test_what_is_watched_anywhere_is_known_at_each_process(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = bus.process(), bus.process()
    here.clients.join(user(1)).subscribe([], [1, 2])
    browser = there.clients.join(user(2))
    before = here.changes
    browser.subscribe([], [2, 3])
    bus.tell()
    assert here.watched() == there.watched() == {1, 2, 3}
    assert here.changes > before
    quiet = here.changes
    bus.tell()
    assert here.changes == quiet
    monkeypatch.setattr(fanout, "MAX_NOTICE_POINTS", 1)
    browser.subscribe([], [4])
    bus.tell()
    assert here.watched() == {1, 2}  # the other one watches more than it can tell
    there.clients.leave(browser)
    bus.tell()
    assert here.watched() == {1, 2}
