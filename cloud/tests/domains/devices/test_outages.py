"""The on-offline log, the alarm delay and offline clear data, on both databases with a simulated clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.devices.filters import DeviceFilter
from cloud.domains.devices.outages import KEEP_MS, OutageService
from cloud.domains.devices.port_locks import PortLock
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.schemas import DeviceBody, OnOfflineEntry
from cloud.domains.devices.service import DeviceService
from cloud.errors import Conflict, NotFound, ParameterError
from edge_contract.payloads import Catalog, Pulse, SlaveHealth, State, catalog_hash

from ...conftest import ADMIN, BOOT, GATEWAY, STREAM, SYSTEM, DomainServices, catalog, hello


def pulse(*slaves: SlaveHealth, **changes: object) -> Pulse:
    words: dict[str, object] = {
        "t_ms": 1, "boot": BOOT, "stream": STREAM, "next_seq": 1, "outbox_batches": 0, "outbox_bytes": 0,
        "hours_left": None, "evicted_batches": 0, "slaves": list(slaves),
    }  # fmt: skip
    return Pulse(**{**words, **changes})  # type: ignore[arg-type]


async def delay(services: DomainServices, seconds: int) -> None:
    await services.devices.change(ADMIN, 1, DeviceBody(offline_alarm_delay_s=seconds))


async def lose(services: DomainServices) -> None:
    await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))


async def entries(services: DomainServices) -> list[OnOfflineEntry]:
    return (await services.outages.page(SYSTEM, 1)).rows


@pytest.mark.clause("C-064")
async def test_back_within_the_delay_leaves_no_entry(services: DomainServices) -> None:
    await delay(services, 300)
    await services.presence.hello(GATEWAY, hello())
    await lose(services)
    services.clock.pass_s(299)
    await services.outages.find_due()
    await services.presence.hello(GATEWAY, hello())
    services.clock.pass_s(600)
    await services.outages.find_due()
    assert await entries(services) == []


@pytest.mark.parametrize(
    ("reason", "delay_s", "away_s", "is_kept"),
    [
        ("switched", 10, 2, True),
        ("switched", 10, 11, False),
        ("switched", 0, 2, False),
        ("link_lost", 10, 2, False),
    ],
)
async def test_a_switch_that_leaves_no_entry_begins_no_other_time_online(
    services: DomainServices, reason: str, delay_s: int, away_s: int, is_kept: bool
) -> None:
    await delay(services, delay_s)
    await services.presence.hello(GATEWAY, hello())
    began = services.clock.now
    for _ in range(2):
        services.clock.pass_s(600)
        await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1, reason=reason))
        assert (await services.devices.row(SYSTEM, 1)).link.since_ms == services.clock.now
        services.clock.pass_s(away_s)
        await services.presence.hello(GATEWAY, hello())
    assert (await services.devices.row(SYSTEM, 1)).link.since_ms == (began if is_kept else services.clock.now)
    assert (await entries(services) == []) == (reason == "link_lost" or is_kept)


@pytest.mark.clause("C-064")
async def test_longer_than_the_delay_is_logged_from_its_beginning(services: DomainServices) -> None:
    await delay(services, 300)
    await services.presence.hello(GATEWAY, hello())
    began = services.clock.now
    await lose(services)
    services.clock.pass_s(300)
    await services.outages.find_due()
    await services.outages.find_due()
    (lasting,) = await entries(services)
    assert (lasting.offline_ms, lasting.online_ms, lasting.duration_ms) == (began, None, 300_000)
    services.clock.pass_s(60)
    await services.pulse(pulse())
    (over,) = await entries(services)
    assert (over.offline_ms, over.online_ms, over.reason) == (began, began + 360_000, "link_lost")
    assert over.slave is None


@pytest.mark.clause("C-064")
async def test_between_two_looks_the_delay_holds_all_the_same(services: DomainServices) -> None:
    """The periodic look did not come in time: who was away for the delay is logged when he is back."""
    await delay(services, 10)
    await services.presence.hello(GATEWAY, hello())
    for seconds in (9, 11):
        await lose(services)
        services.clock.pass_s(seconds)
        await services.presence.hello(GATEWAY, hello())
    assert [entry.duration_ms for entry in await entries(services)] == [11_000]


async def test_without_a_delay_it_is_logged_at_once_and_never_connected_is_none(
    services: DomainServices,
) -> None:
    await services.outages.find_due()
    assert await entries(services) == []
    await services.presence.hello(GATEWAY, hello())
    await lose(services)
    assert [entry.online_ms for entry in await entries(services)] == [None]
    await services.presence.hello(GATEWAY, hello())
    await services.claims.disable(GATEWAY)
    await services.outages.find_due()
    assert [entry.reason for entry in await entries(services)] == ["disabled", "link_lost"]


@pytest.mark.clause("C-064")
@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_who_comes_back_while_it_is_looked_for_has_one_entry_with_an_end(
    services: DomainServices, database_url: str
) -> None:
    """SQLite has one writer at a time; elsewhere the row is what the two wait for."""
    await delay(services, 10)
    await services.presence.hello(GATEWAY, hello())
    await lose(services)
    services.clock.pass_s(11)
    async with asyncio.timeout(60):
        async with services.database.session(beside=True) as session:  # as hello, before it has written
            await DeviceRepository(session, Scope.system()).by_gateway(GATEWAY, lock=True)
            await services.outages.find_due()
        assert await entries(services) == []
        for _ in range(20):
            await asyncio.gather(services.presence.hello(GATEWAY, hello()), services.outages.find_due())
            await lose(services)
            services.clock.pass_s(11)
    assert [entry.duration_ms for entry in await entries(services)] == [11_000] * 20


def boiler(reason: str, *, ago_s: float = 0, now: int) -> SlaveHealth:
    return SlaveHealth(
        name="boiler", online=reason == "ok", last_good_ms=now - int(ago_s * 1000), reason=reason
    )


@pytest.mark.clause("C-062")
async def test_slaves_are_logged_from_their_last_good_frame(services: DomainServices) -> None:
    asked, clock = catalog("pressure"), services.clock
    await services.presence.hello(GATEWAY, hello(asked.hash))
    await services.catalogs.apply(GATEWAY, asked)
    for reason in ("never_read", "ok", "never_read", "ok", "disabled"):
        await services.pulse(pulse(boiler(reason, now=clock.now)))
    await services.outages.find_due()
    assert await entries(services) == []  # nothing of this is news
    assert (await services.devices.row(SYSTEM, 1)).status == "online"
    await services.pulse(pulse(boiler("no_answer", ago_s=14 * 60, now=clock.now)))
    row = await services.devices.row(SYSTEM, 1)
    assert (row.status, row.presence.layer, row.presence.code) == ("silent", "bus", "no_slave_answers")
    assert (row.presence.since_ms, row.presence.arguments["title"]) == (clock.now - 840_000, "Boiler")
    await services.pulse(pulse(boiler("never_read", ago_s=840, now=clock.now)))
    assert (await services.devices.detail(SYSTEM, 1)).slaves[
        0
    ].reason == "no_answer"  # the agent started anew
    clock.pass_s(60)
    await services.pulse(pulse(boiler("ok", now=clock.now)))
    (entry,) = await entries(services)
    assert (entry.slave, entry.slave_title, entry.duration_ms) == ("boiler", "Boiler", 900_000)
    assert (await services.outages.page(SYSTEM, 1, slaves=False)).total == 0
    assert (await services.devices.row(SYSTEM, 1)).presence.code == "ok"


async def test_a_slave_that_is_taken_out_is_not_missed_any_more(services: DomainServices) -> None:
    asked = catalog("pressure")
    await services.presence.hello(GATEWAY, hello(asked.hash))
    await services.catalogs.apply(GATEWAY, asked)
    await services.pulse(pulse(boiler("no_answer", now=services.clock.now)))
    await services.catalogs.apply(GATEWAY, Catalog(hash=catalog_hash([], []), t_ms=1, slaves=[], points=[]))
    services.clock.pass_s(5)
    await services.outages.find_due()
    assert [entry.duration_ms for entry in await entries(services)] == [5000]


async def test_pages_periods_deleting_and_forgetting(services: DomainServices) -> None:
    await services.presence.hello(GATEWAY, hello())
    start = services.clock.now
    for _ in range(3):
        await lose(services)
        services.clock.pass_s(10)
        await services.presence.hello(GATEWAY, hello())
        services.clock.pass_s(90)
    page = await services.outages.page(SYSTEM, 1, page=2, limit=2)
    assert (page.total, [entry.offline_ms - start for entry in page.rows]) == (3, [0])
    touching = await services.outages.page(SYSTEM, 1, start + 105_000, start + 200_000)
    assert [entry.offline_ms - start for entry in touching.rows] == [100_000]
    with pytest.raises(ParameterError, match="to_ms: must be after from_ms"):
        await services.outages.page(SYSTEM, 1, 5, 5)
    await services.outages.delete(ADMIN, page.rows[0].id)
    with pytest.raises(NotFound):
        await services.outages.delete(ADMIN, page.rows[0].id)
    await lose(services)
    with pytest.raises(Conflict):
        await services.outages.delete(ADMIN, (await entries(services))[0].id)
    services.clock.now = start + 110_001 + KEEP_MS
    await services.outages.forget_old(services.clock())
    assert [entry.offline_ms - start for entry in await entries(services)] == [300_000, 200_000]


async def test_pulse_tells_losses_at_the_gateway(services: DomainServices) -> None:
    await services.presence.hello(GATEWAY, hello())
    await services.pulse(
        pulse(
            evicted_batches=7, evicted=[(n, n) for n in range(1, 400, 2)], dropped_samples=2**53,
            next_seq=400, written_bytes_day=123, memory_bytes=2**33, clock_set=False, hours_left=0.5,
        ),
    )  # fmt: skip
    detail = await services.devices.detail(SYSTEM, 1)
    assert (detail.clock_set, detail.written_bytes_day, detail.memory_bytes, detail.dropped_samples) == (
        False, 123, 2**33, 2**53,
    )  # fmt: skip
    assert (len(detail.evicted), detail.evicted[-1]) == (100, (399, 399))
    assert detail.presence.code == "clock_not_set"
    worse = {"evicted_batches": 8, "dropped_samples": 2**53}
    await services.pulse(pulse(**worse))
    assert (await services.devices.row(SYSTEM, 1)).presence.code == "samples_dropped"
    services.clock.pass_s(3600)
    await services.pulse(pulse(**{**worse, "evicted_batches": 9}))
    assert (await services.devices.row(SYSTEM, 1)).presence.arguments == {"count": 9}
    services.clock.pass_s(3600)
    assert (await services.devices.row(SYSTEM, 1)).presence.code == "ok"


@pytest.mark.clause("C-065")
async def test_who_is_cleared_is_told_once(services: DomainServices) -> None:
    await services.presence.clearing.refresh()
    await services.presence.hello(GATEWAY, hello())
    await lose(services)
    await lose(services)
    assert services.cleared == [(GATEWAY, 1, False), (GATEWAY, 1, True)]
    await services.devices.change(ADMIN, 1, DeviceBody(offline_clear_data=False))
    assert services.cleared[2:] == [(GATEWAY, 1, False)]
    await services.devices.change(ADMIN, 1, DeviceBody(offline_clear_data=True))
    await services.presence.hello(GATEWAY, hello())
    del services.cleared[:]
    other = DomainServices(services.database, services.clock)
    other.broker[GATEWAY] = ""
    await other.claims.disable(GATEWAY)
    await services.presence.find_silent()  # another process did it: noticed by the periodic look
    assert services.cleared == [(GATEWAY, 1, True)]


async def test_settings(services: DomainServices) -> None:
    detail = await services.devices.detail(SYSTEM, 1)
    assert (detail.offline_notify, detail.offline_clear_data, detail.offline_alarm_delay_s) == (
        False,
        True,
        0,
    )
    body = DeviceBody(device_title="Pump 2", offline_notify=True, offline_alarm_delay_s=86_400)
    changed = await services.devices.change(ADMIN, 1, body)
    assert (changed.device_title, changed.offline_notify, changed.offline_clear_data) == (
        "Pump 2",
        True,
        True,
    )
    assert DeviceBody(device_title=" Pump 3 ").device_title == "Pump 3"
    wrong: list[tuple[str, object]] = [
        ("device_title", " \u3000 "), ("offline_alarm_delay_s", True), ("offline_alarm_delay_s", "5"),
        ("offline_notify", "yes"), ("offline_clear_data", 1),
    ]  # fmt: skip
    for field, value in wrong:
        with pytest.raises(ValidationError, match=field):
            DeviceBody.model_validate_json(json.dumps({field: value}))
    with pytest.raises(ParameterError, match="device_title"):
        await services.devices.change(ADMIN, 1, DeviceBody(device_title="a\nb"))
    with pytest.raises(NotFound):
        await services.devices.change(ADMIN, 9, DeviceBody())


def lent(good_ms: int) -> SlaveHealth:
    return SlaveHealth(name="boiler", online=False, last_good_ms=good_ms, reason="port_lent")


@pytest.mark.clause("C-066")
async def test_a_lent_port_is_named_and_on_record_without_an_alarm(services: DomainServices) -> None:
    loans: list[PortLock] = []

    async def book(
        session: AsyncSession, scope: Scope, device_ids: Sequence[int], from_ms: int, to_ms: int | None
    ) -> list[PortLock]:
        return [each for each in loans if to_ms is not None or each.until_ms is None]

    services.devices = DeviceService(services.database, services.presence, services._streams, book)
    services.outages = OutageService(services.database, book, clock=services.clock)
    points = catalog("pressure")
    await services.presence.hello(GATEWAY, hello(points.hash))
    await services.catalogs.apply(GATEWAY, points)
    begin = services.clock.now
    await services.pulse(pulse(SlaveHealth(name="boiler", online=True, last_good_ms=begin, reason="ok")))
    services.clock.pass_s(1)
    loans.append(PortLock(1, "lan", "li", services.clock.now, None))
    await services.pulse(pulse(lent(begin)))
    shown = await services.devices.detail(SYSTEM, 1)
    assert (shown.status, shown.presence.code, shown.presence.since_ms) == (
        "online",
        "port_lent",
        begin + 1000,
    )
    assert (shown.presence.arguments["user"], shown.presence.arguments["port"]) == ("li", "lan")
    assert (shown.slaves[0].lent_to, shown.slaves[0].lent_ms) == ("li", begin + 1000)
    assert (await services.devices.page(SYSTEM, DeviceFilter(status="silent"), 1, 10, "")).total == 0
    services.clock.pass_s(60)
    loans[0] = PortLock(1, "lan", "li", begin + 1000, services.clock.now)
    silent = SlaveHealth(name="boiler", online=False, last_good_ms=begin, reason="no_answer")
    await services.pulse(pulse(silent))
    assert (await services.devices.row(SYSTEM, 1)).status == "silent"
    later, first = await entries(services)
    assert (first.reason, first.lent_to, first.offline_ms, first.online_ms) == (
        "port_lent", "li", begin, begin + 61_000,
    )  # fmt: skip
    assert (later.reason, later.lent_to, later.offline_ms) == ("no_answer", None, begin + 61_000)
    found = (await services.outages.events(SYSTEM, 0, 2**53)).rows
    assert sorted((event.at - begin, event.status, event.reason, event.lent_to) for event in found) == [
        (0, 0, "port_lent", "li"), (61_000, 0, "no_answer", None), (61_000, 1, "port_lent", "li"),
    ]  # fmt: skip


async def test_a_port_that_was_lent_on_site_has_no_name(services: DomainServices) -> None:
    points = catalog("pressure")
    await services.presence.hello(GATEWAY, hello(points.hash))
    await services.catalogs.apply(GATEWAY, points)
    await services.pulse(pulse(lent(services.clock.now)))
    shown = await services.devices.detail(SYSTEM, 1)
    assert (shown.presence.code, shown.presence.arguments["user"], shown.slaves[0].lent_to) == (
        "port_lent",
        "",
        None,
    )


async def test_the_same_program_that_is_back_only_switched(services: DomainServices) -> None:
    for boot in (BOOT, "cc" * 8):
        await services.presence.hello(GATEWAY, hello())
        await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1, reason="stopped"))
        services.clock.pass_s(1)
        await services.presence.hello(GATEWAY, hello(boot=boot))
    assert [entry.reason for entry in await entries(services)] == ["stopped", "switched"]


async def test_short_absences_can_be_left_out(services: DomainServices) -> None:
    for seconds in (1, 30):
        await services.presence.hello(GATEWAY, hello())
        await lose(services)
        services.clock.pass_s(seconds)
    found = await services.outages.page(SYSTEM, 1, at_least_ms=30_000)
    assert ([entry.duration_ms for entry in found.rows], found.total) == ([30_000], 1)
    assert (await services.outages.page(SYSTEM, 1)).total == 2


async def test_a_new_gateways_delay_spares_the_log_its_reloads(services: DomainServices) -> None:
    await services.claims.claim("gw-new", "New")
    number = await services.devices.id_of("gw-new")
    assert number is not None
    assert (await services.devices.detail(SYSTEM, number)).offline_alarm_delay_s == 10
