"""One gateway's batches do not stand before those of the others, from ingest to the time series.

Judged by rounds of work, not by the clock.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cloud.db import Database
from cloud.link import Link, ingest, write_behind
from cloud.link.broker_connection import Incoming
from cloud.link.ingest import BatchMessage
from cloud.timeseries.embedded import EmbeddedTimeSeries
from edge_contract.limits import MAX_BATCH_SAMPLES
from edge_contract.model import Sample
from edge_contract.payloads import encode
from edge_contract.topics import Message, topic

from ..conftest import catalog
from .equipment import CATALOG, T0, Domain, authenticator, batch
from .system import Settings

HOSTILE, OTHER = "gw-hostile", "gw-other"


class Scene:
    """A link that is not started: its rounds are called one by one."""

    def __init__(self, link: Link, domain: Domain) -> None:
        self.link = link
        self.domain = domain
        self.answered = 0

    def message(self, gateway: str, payload: bytes, kind: Message = Message.LIVE) -> Incoming:
        def acknowledge() -> None:
            self.answered += 1

        return Incoming(topic(gateway, kind), payload, False, acknowledge)

    async def receive(self, gateway: str, *payloads: bytes) -> None:
        messages = [BatchMessage(gateway, Message.LIVE, self.message(gateway, each)) for each in payloads]
        for start in range(0, len(messages), 500):
            await self.link._ingest.take(messages[start : start + 500])

    async def store(self, rounds: int) -> list[str]:
        """Whose batches are stored after so many rounds, in that order."""
        for _ in range(rounds):
            if not await self.link._write_behind.write_some():
                break
        await self.link._write_behind.finish()
        return [gateway for gateway, _, _ in self.domain.stored]


@pytest.fixture
async def scene(tmp_path: Path, database: Database) -> AsyncIterator[Scene]:
    domain = Domain()
    domain.maps |= {(HOSTILE, CATALOG): {1: 1}, (OTHER, CATALOG): {1: 2}}
    store = EmbeddedTimeSeries(tmp_path / "ts.db")
    await store.start()
    link = Link(
        Settings("embedded"), database, domain.hooks(), authenticator({}), store, now_ms=lambda: T0 + 10_000
    )
    yield Scene(link, domain)
    await store.close()


@pytest.mark.clause("C-135", "C-136")
async def test_batches_of_random_catalogs_delay_nobody(scene: Scene) -> None:
    await scene.receive(HOSTILE, *(batch(seq, catalog=os.urandom(8).hex()) for seq in range(1, 2001)))
    await scene.receive(OTHER, batch(1))
    assert await scene.store(3) == [OTHER]
    assert len(scene.domain.asked) < 30  # questions to the domain, each of them a query


@pytest.mark.clause("C-136")
async def test_a_long_queue_of_one_gateway_delays_nobody(scene: Scene) -> None:
    await scene.receive(HOSTILE, *(batch(seq) for seq in range(1, 4001)))
    await scene.receive(OTHER, batch(1))
    assert OTHER in await scene.store(2)
    assert await scene.link.backlog() > 1000


@pytest.mark.clause("C-136")
async def test_the_largest_batches_delay_nobody(scene: Scene) -> None:
    many = [Sample(1, T0 + number, float(number)) for number in range(MAX_BATCH_SAMPLES)]
    await scene.receive(HOSTILE, *(batch(seq, samples=many) for seq in range(1, 31)))
    await scene.receive(OTHER, batch(1))
    assert OTHER in await scene.store(1)


async def test_everything_is_stored_in_the_order_of_each_gateway(scene: Scene) -> None:
    for gateway in (HOSTILE, OTHER):
        await scene.receive(gateway, *(batch(seq) for seq in range(1, 601)))
    await scene.store(100)
    for gateway in (HOSTILE, OTHER):
        times = [t for name, cs, _ in scene.domain.stored if name == gateway for c in cs for t in c.t_ms]
        assert times == [T0 + seq for seq in range(1, 601)]
    assert await scene.link.backlog() == 0


async def test_a_domain_that_fails_for_one_stops_nobody_else(scene: Scene) -> None:
    answer = scene.domain.series_of

    async def series_of(gateway: str, wanted: str) -> dict[int, int] | None:
        if gateway == HOSTILE:
            raise RuntimeError("the domain fails")
        return await answer(gateway, wanted)

    object.__setattr__(scene.link._catalogs._hooks, "series_of", series_of)
    await scene.receive(HOSTILE, *(batch(seq) for seq in range(1, 301)))
    await scene.receive(OTHER, batch(1))
    assert await scene.store(10) == [OTHER]
    assert await scene.link.backlog() == 300


@pytest.mark.clause("C-136")
async def test_a_full_queue_of_one_gateway_leaves_room_for_the_others(scene: Scene) -> None:
    for seq in range(1, 9001):
        scene.link._ingest.put(BatchMessage(HOSTILE, Message.LIVE, scene.message(HOSTILE, b"%d" % seq)))
    assert scene.answered >= 8000  # dropped, and the broker is answered
    before = scene.answered
    scene.link._ingest.put(BatchMessage(OTHER, Message.LIVE, scene.message(OTHER, batch(1))))
    assert scene.answered == before
    assert OTHER in [message.gateway for message in scene.link._ingest._group()[: ingest.TURN_MESSAGES + 1]]


@pytest.mark.clause("C-136")
async def test_large_messages_leave_the_rest_of_a_turn_to_the_next_group(scene: Scene) -> None:
    large = bytes(ingest.GROUP_BYTES_EACH // 2)
    for _ in range(ingest.TURN_MESSAGES):
        scene.link._ingest.put(BatchMessage(HOSTILE, Message.LIVE, scene.message(HOSTILE, large)))
    scene.link._ingest.put(BatchMessage(OTHER, Message.LIVE, scene.message(OTHER, batch(1))))
    assert [message.gateway for message in scene.link._ingest._group()] == [HOSTILE, HOSTILE, OTHER]
    assert len(scene.link._ingest._group()) == ingest.TURN_MESSAGES - 2, "alone it is not held up"


@pytest.mark.clause("C-136")
async def test_control_messages_above_the_allowance_are_dropped(scene: Scene) -> None:
    payload = encode(catalog("a"))
    for _ in range(2000):
        scene.link._route(scene.message(HOSTILE, payload, Message.HELLO))
    assert scene.answered >= 1900
    scene.link._route(scene.message(OTHER, payload, Message.HELLO))
    assert len(scene.link._control._queue) <= 100


@pytest.mark.clause("C-139")
async def test_batches_of_random_streams_are_left_to_the_gateway(scene: Scene) -> None:
    await scene.receive(HOSTILE, *(batch(1, stream=os.urandom(8).hex()) for _ in range(500)))
    assert len(await scene.link.streams(HOSTILE)) < 50
    assert scene.answered == 500


@pytest.mark.clause("C-136")
async def test_while_all_have_a_backlog_each_turn_takes_several_batches(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_behind, "GROUP_BATCHES", 16)
    monkeypatch.setattr(write_behind, "MAX_DEPTH", 8)
    names = [f"gw-{number:02}" for number in range(16)]
    scene.domain.maps |= {(name, CATALOG): {1: number} for number, name in enumerate(names, start=1)}
    for name in names:
        await scene.receive(name, *(batch(seq) for seq in range(1, 17)))
    assert await scene.store(1) == names  # at first nobody knows how much there is
    await scene.store(100)
    turns = [(gateway, sum(len(c.t_ms) for c in columns)) for gateway, columns, _ in scene.domain.stored]
    assert all(sum(count for who, count in turns if who == name) == 16 for name in names)
    assert max(count for _, count in turns) == write_behind.MAX_DEPTH
    assert len(turns) < 16 * 8, "half as many as a batch each turn would need"
    rounds_apart = [at for at, (who, _) in enumerate(turns) if who == names[-1]]
    assert rounds_apart[1] < 3 * len(names), "its second turn comes before the third of the others"
    for seq in range(17, 40):
        await scene.receive(names[0], batch(seq))
        await scene.receive(names[1], batch(seq))
        await scene.store(3)
    assert [len(columns) for _, columns, _ in scene.domain.stored[-2:]] == [1, 1]
