"""A range of local history goes to the outbox again: exactly it, as history, a little at a time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import pytest
from history_gateway import CONFIGURATION, DAY_MS, ENERGY, LEVEL, NOW, NUMBERS, POWER, HandClock, Values

from edge_agent.errors import BadValue, StoreFull
from edge_agent.history import LocalHistory, ResendBusy
from edge_agent.history import resend as module
from edge_agent.history.base import StoredSample
from edge_agent.history.history import stored_slaves
from edge_agent.history.place import HistoryPlace
from edge_agent.history.resend import ON_THE_WAY
from edge_agent.history.storing import seal
from edge_agent.model import PointKey, Quality
from edge_agent.store.base import StoredBatch
from edge_agent.store.committer import Committer
from edge_agent.store.memory import MemoryOutbox
from edge_contract import batch
from edge_contract.model import Row

CATALOG = "cd" * 8
COMES_S = 10.0


class Cloud(MemoryOutbox):
    """An outbox whose batches the cloud confirms when told; refuse: a full medium."""

    refuse = False

    def __init__(self) -> None:
        super().__init__(1 << 26)
        self.received: list[StoredBatch] = []

    async def append(self, batch: StoredBatch, catalog: str) -> None:
        if self.refuse:
            raise StoreFull("no room")
        await super().append(batch, catalog)

    async def confirm(self) -> None:
        for held in await self.following(0, 1000):
            self.received.append(held)
            await self.forget([(held.seq, held.seq)])

    def samples(self) -> list[tuple[int, int, object, int]]:
        return [
            (column.point, t_ms, value, int(quality))
            for one in self.received
            for column in batch.decode(one.payload)[1]
            for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True)
        ]


class Site:
    """A history with a committer in front of the cloud."""

    def __init__(self, place: HistoryPlace, clock: HandClock) -> None:
        self.cloud = Cloud()
        self.committer = Committer(self.cloud, CATALOG, 1.0, clock.now_ms)
        self.values = Values(clock)
        self.history = LocalHistory(
            CONFIGURATION, NUMBERS, self.values.samples.get, place, self.committer, clock
        )
        self._resending = asyncio.ensure_future(self.history._resending.run())

    async def store(self, samples: list[StoredSample]) -> None:
        await self.history._archive.call(lambda store: seal(store, samples))

    async def done(self) -> None:
        async with asyncio.timeout(COMES_S):
            while True:
                await asyncio.sleep(0.001)
                await self.cloud.confirm()
                if not self.history.progress.running:
                    return

    async def close(self) -> None:
        self._resending.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._resending
        await self.history._archive.close()


@pytest.fixture
async def site(make_place: Callable[..., HistoryPlace], clock: HandClock) -> AsyncIterator[Site]:
    made = Site(make_place(8 * 1024 * 1024), clock)
    clock.seconds += 40 * 86_400  # what is stored lies in the past
    yield made
    await made.close()


def stored(count: int) -> list[StoredSample]:
    return [
        *[StoredSample(POWER, NOW + at * 10_000, at + 0.5, 0) for at in range(count)],
        *[StoredSample(ENERGY, NOW + at * 10_000, at, 8) for at in range(count)],
        StoredSample(LEVEL, NOW, None, int(Quality.DEVICE_OFFLINE)),
        StoredSample(LEVEL, NOW + 20_000, "high", 0),
    ]


def expected(samples: list[StoredSample], from_ms: int, to_ms: int) -> list[tuple[int, int, object, int]]:
    return sorted(
        ((NUMBERS[s.key], s.t_ms, s.value, s.quality) for s in samples if from_ms <= s.t_ms <= to_ms),
        key=repr,
    )


@pytest.mark.clause("C-038")
@pytest.mark.parametrize(
    ("first", "last", "slave"), [(0, 2**53, None), (50_000, 120_000, None), (0, 90_000, "meter")]
)
async def test_exactly_what_is_stored(site: Site, first: int, last: int, slave: str | None) -> None:
    samples = stored(40)
    await site.store(samples[:60])
    await site.store(samples[60:])
    from_ms, to_ms = NOW + first, NOW + last if last < 2**53 else last
    count = await site.history.resend(from_ms, to_ms, slave)
    await site.done()
    wanted = expected([s for s in samples if slave in (None, s.key.slave)], from_ms, to_ms)
    assert sorted(site.cloud.samples(), key=repr) == wanted
    assert count == len(wanted) == site.history.progress.sent
    assert {type(row[2]) for row in site.cloud.samples()} == {type(row[2]) for row in wanted}


async def test_what_waits_to_become_a_chunk_is_sent_too(site: Site, clock: HandClock) -> None:
    shown = []
    for number in range(3):
        clock.seconds += 10
        shown.append(site.values.show(POWER, number))
        await site.history._storing.tick(stored_slaves(CONFIGURATION, NUMBERS))
    assert await site.history.resend(0, 2**53) == 3
    await site.done()
    assert site.cloud.samples() == [(NUMBERS[POWER], s.t_ms, s.value, 0) for s in shown]


async def test_no_more_than_a_few_batches_are_on_their_way_and_live_ones_pass(
    site: Site, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PORTION", 50)
    samples = [StoredSample(POWER, NOW + at * 1000, at, 0) for at in range(50 * (ON_THE_WAY + 4))]
    await site.store(samples)
    assert await site.history.resend(0, 2**53) == len(samples)
    async with asyncio.timeout(COMES_S):
        while site.cloud.state().batches < ON_THE_WAY:  # noqa: ASYNC110 (a store announces nothing)
            await asyncio.sleep(0.002)
    await asyncio.sleep(0.1)  # time for one more, were there no end
    assert site.cloud.state().batches == ON_THE_WAY
    assert all(site.cloud.travels_late(seq) for seq in range(1, ON_THE_WAY + 1))
    assert site.history.progress.running
    with pytest.raises(ResendBusy):
        await site.history.resend(0, 2**53)
    site.committer.put(Row((1,), clock.now_ms(), (5,)))
    await site.committer.flush()
    assert not site.cloud.travels_late(ON_THE_WAY + 1)
    await site.done()
    assert len(site.cloud.samples()) == len(samples) + 1
    assert site.history.progress.sent == len(samples)


async def test_a_full_medium_is_waited_for(site: Site) -> None:
    await site.store(stored(5))
    site.cloud.refuse = True
    assert await site.history.resend(0, 2**53) == 12
    for _ in range(50):
        await asyncio.sleep(0.001)
    assert (site.history.progress.sent, site.history.progress.running) == (0, True)
    site.cloud.refuse = False
    await site.done()
    assert len(site.cloud.samples()) == 12


async def test_points_that_are_gone_are_left_out(site: Site) -> None:
    gone = StoredSample(PointKey("meter", "removed"), NOW, 1, 0)
    await site.store([*stored(2), gone])
    assert await site.history.resend(0, 2**53) == 6
    await site.done()
    assert len(site.cloud.samples()) == 6
    assert [(p.point, p.configured) for p in await site.history.points() if not p.configured] == [
        ("removed", False)
    ]


@pytest.mark.parametrize(
    ("arguments", "field"),
    [((5, 4, None), "from_ms"), ((-1, 4, None), "from_ms"), ((0, 4, "nobody"), "slave")],
)
async def test_faults_are_named(site: Site, arguments: tuple[int, int, str | None], field: str) -> None:
    with pytest.raises(BadValue, match=f"^{field}: "):
        await site.history.resend(*arguments)
    assert not site.history.progress.running


async def test_an_empty_range_is_zero_samples(site: Site) -> None:
    assert await site.history.resend(NOW - DAY_MS, NOW - 1) == 0
    await site.done()
    assert site.cloud.received == []


async def test_chart_and_list(site: Site) -> None:
    await site.store([StoredSample(POWER, NOW + at * 10_000, at % 100, 0) for at in range(9000)])
    [power] = await site.history.points()
    assert (power.slave, power.point, power.first_ms, power.last_ms) == (
        "meter",
        "power",
        NOW,
        NOW + 89_990_000,
    )
    envelope = await site.history.series(POWER, 0, 2**53, 90)
    chosen = envelope.chosen()
    assert (envelope.samples, envelope.reduced, len(chosen)) == (9000, True, 60)
    assert {one.value for one in chosen} == {0, 99}
    part = (await site.history.series(POWER, NOW + 5000, NOW + 30_000, 90)).chosen()
    assert [one.value for one in part] == [1, 2, 3]
    with pytest.raises(BadValue, match="nothing of it is stored"):
        await site.history.series(ENERGY, 0, 2**53, 90)
    state = await site.history.state()
    assert state["samples_day"] == 2 * 8640 + 2880
    assert 100 < state["days_that_fit"] < 1000
    assert state["usage"].samples == 9000
