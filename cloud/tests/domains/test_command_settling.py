"""Writes of which no result came are settled by what their points read afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from cloud.core.bus import EventBus
from cloud.core.events import ValuesReceived, ValuesStored
from cloud.core.scope import Scope
from cloud.core.services import Services
from cloud.domains.commands import domain
from cloud.domains.commands.schemas import CommandBody, CommandStatus
from cloud.domains.commands.service import CommandService
from cloud.domains.commands.settling import LOOK_MS, MAX_OPEN, WINDOW_MS, UnknownWrites, same_value
from cloud.domains.identity.schemas import CurrentUser
from cloud.timeseries.base import SeriesColumn, StoredSample, TimeSeriesError
from edge_contract.payloads import CommandResult, Outcome

from ..conftest import GATEWAY, SYSTEM, DomainServices, catalog, hello

USER = CurrentUser(7, "operator", 0, frozenset({"Device/cmd"}), "", Scope.system())


class Plant:
    """A gateway that is told to write and says nothing; the cloud's clock and the store of samples."""

    def __init__(self, services: DomainServices) -> None:
        self.services = services
        self.stored: dict[int, StoredSample] = {}
        self.asked: list[list[int]] = []
        self.is_away = False
        self.restart()

    def restart(self) -> None:
        services = self.services
        self.unknown = UnknownWrites(services.database, self._newest, services._pushed, clock=services.clock)
        services.commands = CommandService(
            services.database,
            services.devices,
            services._send,
            services._pushed,
            clock=services.clock,
            read=self.unknown.note,
        )

    async def _newest(self, dsids: Sequence[int]) -> dict[int, StoredSample]:
        self.asked.append(list(dsids))
        if self.is_away:
            raise TimeSeriesError("away")
        return {dsid: self.stored[dsid] for dsid in dsids if dsid in self.stored}

    async def dsid(self, name: str = "pressure") -> int:
        sources = await self.services.devices.sources(SYSTEM, 1)
        return next(source.dsid for source in sources if source.ds_name == name)

    async def ask(self, value: float | None = 1.2, action: str = "W") -> str:
        words = {"dsid": await self.dsid(), "value": value, "action": action, "expires_s": 30}
        return (await self.services.commands.request(USER, CommandBody.model_validate(words))).id

    async def lost(self, value: float = 1.2) -> str:
        """A write that ended without a result, and for which is looked from now on."""
        command = await self.ask(value)
        self.services.clock.pass_s(36)
        await self.services.commands.expire()
        assert (await self.status(command)).outcome == "unknown"
        await self.unknown.resolve()
        return command

    async def reads(self, value: Any, after_s: float = 0, quality: int = 0, name: str = "pressure") -> None:
        """A sample of so many seconds after now comes."""
        t_ms = self.services.clock() + int(after_s * 1000)
        self.unknown.note_values([SeriesColumn(await self.dsid(name), [t_ms], [value], [quality])])
        await self.unknown.resolve()

    async def status(self, command: str) -> CommandStatus:
        return await self.services.commands.status(SYSTEM, command)

    async def outcome(self, command: str) -> str:
        return (await self.status(command)).outcome

    async def tell(self, command: str, state: str, **words: Any) -> CommandStatus:
        await self.services.commands.result(GATEWAY, CommandResult(id=command, state=state, t_ms=1, **words))
        return await self.status(command)


@pytest.fixture
async def plant(services: DomainServices) -> Plant:
    points = catalog("pressure", "level")
    await services.presence.hello(GATEWAY, hello(points.hash))
    await services.catalogs.apply(GATEWAY, points)
    return Plant(services)


@pytest.mark.clause("C-125")
@pytest.mark.parametrize(
    ("read", "outcome"), [(1.2000000476837158, "settled_written"), (1.1, "settled_other")]
)
async def test_a_sample_after_the_end_settles_a_write(plant: Plant, read: float, outcome: str) -> None:
    command = await plant.lost()
    plant.services.clock.pass_s(60)
    await plant.reads(read)
    after = await plant.status(command)
    assert (after.status, after.code, after.outcome) == ("networkError", "no_answer", outcome)
    assert (after.result_value, after.quality, after.seen_ms) == (read, 0, plant.services.clock())
    assert plant.services.pushed[-1] == after
    await plant.reads(7.0, 10)
    assert await plant.status(command) == after, "it is settled once"


async def test_a_sample_that_may_be_older_than_the_write_settles_nothing(plant: Plant) -> None:
    command = await plant.lost()  # 36 s after its request, 6 s after its expiry
    await plant.reads(1.2, 23.9)
    await plant.reads(1.2, 60, quality=5)
    await plant.reads(1.2, 60, quality=8)
    await plant.reads(None, 60)
    await plant.reads(1.2, 60, name="level")
    assert await plant.outcome(command) == "unknown"
    await plant.reads(1.2, 24)
    assert await plant.outcome(command) == "settled_written"


async def test_the_store_is_asked_after_a_restart_and_when_an_event_was_lost(plant: Plant) -> None:
    command = await plant.lost()
    plant.services.clock.pass_s(60)
    plant.stored[await plant.dsid()] = StoredSample(plant.services.clock(), 1.1, 0)
    await plant.unknown.resolve()
    assert (await plant.outcome(command), len(plant.asked)) == ("unknown", 1)
    plant.services.clock.pass_s(LOOK_MS / 1000)
    await plant.unknown.resolve()
    assert (await plant.outcome(command), len(plant.asked)) == ("settled_other", 2)
    second = await plant.lost()
    plant.services.clock.pass_s(60)
    plant.stored[await plant.dsid()] = StoredSample(plant.services.clock(), 1.2, 0)
    plant.restart()
    await plant.unknown.resolve()
    assert await plant.outcome(second) == "settled_written"


async def test_nothing_is_noted_or_asked_while_no_write_is_open(plant: Plant) -> None:
    await plant.ask()
    await plant.reads(1.2, 100)
    assert (plant.unknown._samples, plant.asked) == ({}, [])


async def test_a_store_that_is_away_is_asked_again(plant: Plant) -> None:
    plant.is_away = True
    command = await plant.lost()
    await plant.reads(1.2, 60)
    assert await plant.outcome(command) == "settled_written"


async def test_a_newer_write_leaves_the_older_one_unknown(plant: Plant) -> None:
    older = await plant.ask(1.2)
    plant.services.clock.pass_s(1)
    newer = await plant.lost(1.3)
    await plant.reads(1.1, 60)
    assert (await plant.outcome(older), await plant.outcome(newer)) == ("unknown", "settled_other")


async def test_a_newer_write_that_has_failed_changes_nothing(plant: Plant) -> None:
    older = await plant.lost()
    refused = await plant.ask(1.3)
    await plant.reads(1.1, 60)
    assert await plant.outcome(older) == "unknown"
    await plant.tell(refused, "fail", code="port_lent", outcome=Outcome.FAILED)
    plant.services.clock.pass_s(LOOK_MS / 1000)
    await plant.unknown.resolve()
    assert await plant.outcome(older) == "settled_other"


@pytest.mark.parametrize(
    ("state", "words", "outcome"),
    [
        ("fail", {"code": "expired", "outcome": Outcome.FAILED}, ("failed", None)),
        ("resp", {"value": 1.2, "outcome": Outcome.DONE}, ("settled_written", 1.2)),
    ],
)
async def test_a_late_result_of_the_gateway_wins_and_stays(
    plant: Plant, state: str, words: dict[str, Any], outcome: tuple[str, Any]
) -> None:
    command = await plant.lost()
    await plant.reads(1.1, 60)
    assert await plant.outcome(command) == "settled_other"
    after = await plant.tell(command, state, **words)
    assert (after.status, after.code, after.outcome, after.result_value) == ("networkError", "late", *outcome)
    assert after.seen_ms == (None if outcome[0] == "failed" else 1)
    await plant.reads(1.1, 120)
    assert await plant.tell(command, "fail", code="no_answer", outcome=Outcome.UNKNOWN) == after
    assert await plant.status(command) == after


async def test_a_late_result_that_knows_nothing_leaves_the_reading_until_the_gateway_settles(
    plant: Plant,
) -> None:
    command = await plant.lost()
    await plant.reads(1.1, 60)
    words = {"code": "no_answer", "latency_ms": 9}
    for _ in range(2):
        after = await plant.tell(command, "fail", outcome=Outcome.UNKNOWN, **words)
        assert (after.code, after.outcome, after.result_value) == ("late", "settled_other", 1.1)
    after = await plant.tell(command, "fail", outcome=Outcome.RESOLVED_WRITTEN, value=1.2, seen_ms=5, **words)
    assert (after.outcome, after.result_value, after.seen_ms) == ("settled_written", 1.2, 5)
    again = await plant.tell(command, "fail", outcome=Outcome.RESOLVED_OTHER, value=1.1, seen_ms=6, **words)
    assert again == after


async def test_what_the_gateway_itself_calls_unknown_is_its_own_to_settle(plant: Plant) -> None:
    command = await plant.ask()
    await plant.tell(command, "fail", code="no_answer", outcome=Outcome.UNKNOWN, latency_ms=9)
    await plant.unknown.resolve()
    await plant.reads(1.1, 100)
    assert await plant.outcome(command) == "unknown"


async def test_a_read_on_demand_settles_too(plant: Plant) -> None:
    command = await plant.lost()
    plant.services.clock.pass_s(60)
    read = await plant.ask(None, "R")
    await plant.tell(read, "resp", value=1.1, seen_ms=plant.services.clock(), outcome=Outcome.DONE)
    await plant.unknown.resolve()
    assert await plant.outcome(command) == "settled_other"


async def test_a_write_stays_unknown_when_nothing_was_read_for_so_long(plant: Plant) -> None:
    command = await plant.lost()
    plant.services.clock.pass_s(WINDOW_MS / 1000)
    await plant.reads(1.1)
    assert await plant.outcome(command) == "unknown"


async def test_so_many_are_looked_for(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAX_OPEN == 500
    monkeypatch.setattr("cloud.domains.commands.settling.MAX_OPEN", 1)
    await plant.lost(1.2)
    newest = await plant.lost(1.3)
    await plant.reads(1.3, 60)
    assert await plant.outcome(newest) == "settled_written"


@pytest.mark.parametrize("kind", ["stored", "received"])
async def test_values_come_by_the_events(plant: Plant, kind: str) -> None:
    bus, services = EventBus(), Services()
    services.add(plant.services.commands)
    services.add(plant.unknown)
    domain.handlers(bus, services)
    bus.seal()
    command = await plant.lost()
    columns = [SeriesColumn(await plant.dsid(), [plant.services.clock() + 60_000], [1.2], [0])]
    if kind == "stored":
        await bus.publish(ValuesStored(GATEWAY, columns, True))
    else:
        await bus.publish(ValuesReceived(GATEWAY, columns))
    await plant.unknown.resolve()
    assert await plant.outcome(command) == "settled_written"


@pytest.mark.parametrize(
    ("wanted", "read", "same"),
    [
        (1.2, 1.2, True), (1.2, 1.2000000476837158, True), (1.2, 1.21, False), (5, 5.0, True),
        (0, 1e-9, False), (1.2, None, False),
        (True, True, True), (True, 1, False), (1, True, False), ("a", "a", True), ("1", 1, False),
        (None, 1, False),
    ],
)  # fmt: skip
def test_what_counts_as_the_wanted_value(wanted: Any, read: Any, same: bool) -> None:
    assert same_value(wanted, read) is same
