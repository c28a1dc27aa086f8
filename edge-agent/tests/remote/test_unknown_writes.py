"""What became of a write that nobody answered: unknown, then settled by what is read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from edge_agent.config.model import Point
from edge_agent.errors import BadFrame, DeviceRefused, FieldbusError, NoAnswer, PortDown
from edge_agent.model import PointKey, Quality, Sample, Value
from edge_agent.points import same_value
from edge_agent.remote.commands import CommandDispatcher
from edge_agent.remote.execution import Execution
from edge_agent.remote.unknown_writes import GIVE_UP_MS, READ_AFTER_MS
from edge_agent.store.base import CommandJournal
from edge_agent.store.memory import MemoryJournal
from edge_agent.store.sqlite import open_sqlite
from edge_contract.payloads import Command, CommandAction, CommandResult, Outcome

from .gateway_bench import NOW, StillClock

KEY = PointKey("boiler", "sp")
POINTS = {
    KEY: Point(slave="boiler", name="sp", rw="readwrite"),
    PointKey("boiler", "reset"): Point(slave="boiler", name="reset", rw="writeonly"),
}


class SilentBus:
    """Writes end with error; reads give held, or are as silent."""

    def __init__(self, clock: StillClock) -> None:
        self.clock = clock
        self.error: FieldbusError | None = None
        self.held: Value = None
        self.reads = 0

    async def write(self, key: PointKey, value: Value, timeout_s: float) -> Sample:
        if self.error is not None:
            raise self.error
        return Sample(1, self.clock.ms, value)

    async def read(self, key: PointKey, timeout_s: float) -> Sample:
        self.reads += 1
        if self.held is None:
            raise NoAnswer("nothing")
        return Sample(1, self.clock.ms, self.held)


class Site:
    def __init__(self, journal: CommandJournal) -> None:
        self.clock = StillClock()
        self.bus = SilentBus(self.clock)
        self.journal = journal
        self.live: dict[PointKey, Sample] = {}
        execution = Execution(POINTS, self.bus, same_value, self.clock)
        self.dispatcher = CommandDispatcher(execution, journal, self.live.get)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        task = asyncio.ensure_future(self.dispatcher.run())
        yield
        task.cancel()
        await asyncio.wait([task])

    async def unanswered(self, command_id: str = "command-1", point: str = "sp") -> CommandResult:
        """A write of 5 that was sent and got no answer."""
        self.bus.error = NoAnswer("nothing within 1 s")
        self.bus.error.may_have_acted = True
        self.dispatcher.take(write(command_id, point))
        return await self.reached(command_id, Outcome.UNKNOWN)

    def polled(self, value: Value, after_ms: int, quality: Quality = Quality.GOOD) -> None:
        """The point is read, so long after the write; nothing of it need be stored."""
        self.clock.ms += after_ms
        self.live[KEY] = Sample(1, self.clock.ms, value, quality)

    async def reached(self, command_id: str, outcome: Outcome) -> CommandResult:
        async with asyncio.timeout(20):
            found = await self.journal.result(command_id)
            while found is None or found.outcome is not outcome:
                await asyncio.sleep(0.002)  # the journal tells nobody
                found = await self.journal.result(command_id)
        return found

    async def still(self, command_id: str = "command-1") -> Outcome | None:
        """The outcome after a few rounds."""
        for _ in range(20):
            await asyncio.sleep(0)
        found = await self.journal.result(command_id)
        return found.outcome if found else None


def write(command_id: str, point: str = "sp", value: Value = 5.0) -> Command:
    return Command(
        id=command_id,
        slave="boiler",
        point=point,
        action=CommandAction.WRITE,
        expires_ms=NOW + 20_000,
        value=value,
    )


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    made = Site(MemoryJournal())
    async with made.running():
        yield made


@pytest.mark.clause("C-125")
@pytest.mark.parametrize(
    ("error", "acted", "outcome"),
    [
        (NoAnswer("nothing"), True, Outcome.UNKNOWN),
        (BadFrame("checksum"), True, Outcome.UNKNOWN),
        (PortDown("closed by the other end"), True, Outcome.UNKNOWN),
        (NoAnswer("not done within 5 s"), False, Outcome.FAILED),
        (PortDown("cannot be opened"), None, Outcome.FAILED),
        (DeviceRefused(3, "illegal data value"), None, Outcome.FAILED),
    ],
)
async def test_only_a_request_that_was_sent_is_unknown(
    site: Site, error: FieldbusError, acted: bool | None, outcome: Outcome
) -> None:
    error.may_have_acted = acted
    site.bus.error = error
    site.dispatcher.take(write("command-1"))
    result = await site.reached("command-1", outcome)
    assert (result.state, result.code) == ("fail", error.code)


async def test_a_write_that_is_read_back_is_done(site: Site) -> None:
    site.dispatcher.take(write("command-1"))
    assert (await site.reached("command-1", Outcome.DONE)).state == "resp"


@pytest.mark.clause("C-126")
async def test_the_wanted_value_read_later_settles_it_and_the_state_stays(site: Site) -> None:
    before = await site.unanswered()
    await site.journal.acknowledged(["command-1"])
    site.dispatcher.results.clear()
    site.polled(5.0, after_ms=300)
    result = await site.reached("command-1", Outcome.RESOLVED_WRITTEN)
    assert (result.state, result.code, result.latency_ms) == ("fail", "no_answer", before.latency_ms)
    assert (result.value, result.seen_ms) == (5.0, NOW + 300)
    assert [one.id for one in await site.journal.unacknowledged(9)] == ["command-1"]
    assert site.dispatcher.results.is_set()


@pytest.mark.clause("C-126")
async def test_another_value_counts_once_the_device_had_time(site: Site) -> None:
    await site.unanswered()
    site.polled(4.0, after_ms=500)
    assert await site.still() is Outcome.UNKNOWN
    site.polled(4.0, after_ms=1500)
    result = await site.reached("command-1", Outcome.RESOLVED_OTHER)
    assert (result.value, result.seen_ms, result.state) == (4.0, NOW + 2000, "fail")


async def test_a_bad_value_and_an_older_one_resolve_nothing(site: Site) -> None:
    site.live[KEY] = Sample(1, NOW - 1, 5.0)
    await site.unanswered()
    assert await site.still() is Outcome.UNKNOWN
    site.polled(5.0, after_ms=3000, quality=Quality.DEVICE_OFFLINE)
    assert await site.still() is Outcome.UNKNOWN


@pytest.mark.clause("C-126")
async def test_a_point_that_nobody_polls_is_read(site: Site) -> None:
    """A point of collect mode `demand` is read by nobody else."""
    await site.unanswered()
    site.clock.ms += READ_AFTER_MS - 1
    assert await site.still() is Outcome.UNKNOWN
    assert site.bus.reads == 0
    site.clock.ms += 1
    assert await site.still() is Outcome.UNKNOWN
    assert site.bus.reads == 1, "a silent device is not asked again at once"
    site.bus.held = 5.0
    site.clock.ms += READ_AFTER_MS
    assert (await site.reached("command-1", Outcome.RESOLVED_WRITTEN)).value == 5.0


@pytest.mark.clause("C-126")
async def test_a_newer_write_and_a_day_end_the_search(site: Site) -> None:
    await site.unanswered()
    site.bus.error = None
    site.clock.ms += 100
    site.dispatcher.take(write("command-2", value=7.0))
    await site.reached("command-2", Outcome.DONE)
    site.polled(7.0, after_ms=5000)
    assert await site.still() is Outcome.UNKNOWN
    assert await site.journal.unsettled(9) == []
    site.clock.ms = NOW + 10_000
    await site.unanswered("command-3")
    site.polled(7.0, after_ms=GIVE_UP_MS + 1)
    assert await site.still("command-3") is Outcome.UNKNOWN
    assert await site.journal.unsettled(9) == []


async def test_a_point_that_cannot_be_read_stays_unknown(site: Site) -> None:
    await site.unanswered(point="reset")
    assert await site.still() is Outcome.UNKNOWN
    assert await site.journal.unsettled(9) == []


@pytest.mark.clause("C-126")
async def test_a_restart_goes_on_with_the_search(tmp_path: Path) -> None:
    async with open_sqlite(tmp_path, 1 << 20, lambda: NOW, lambda: 0.0) as store:
        before = Site(store.journal)
        async with before.running():
            await before.unanswered()
        await store.journal.acknowledged(["command-1"])
    async with open_sqlite(tmp_path, 1 << 20, lambda: NOW, lambda: 0.0) as store:
        after = Site(store.journal)
        after.polled(5.0, after_ms=60_000)
        async with after.running():
            result = await after.reached("command-1", Outcome.RESOLVED_WRITTEN)
        assert result.seen_ms == NOW + 60_000
        assert await store.journal.unsettled(9) == []
        assert [one.id for one in await store.journal.unacknowledged(9)] == ["command-1"]
