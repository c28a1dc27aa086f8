"""The on-offline log, the alarm delay and offline clear data, on both databases with a simulated clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

import pytest
from pydantic import ValidationError

from cloud.core.scope import Scope
from cloud.domains.devices.filters import DeviceFilter
from cloud.domains.devices.loans import Loan
from cloud.domains.devices.outages import KEEP_MS, OutageService
from cloud.domains.devices.repository import DeviceRepository
from cloud.domains.devices.schemas import DeviceBody, OnOfflineEntry
from cloud.domains.devices.service import DeviceService
from cloud.errors import Conflict, NotFound, ParameterError
from edge_contract.payloads import Catalog, Pulse, SlaveHealth, State, catalog_hash

from ...conftest import ADMIN, BOOT, GATEWAY, STREAM, SYSTEM, Rooms, catalog, hello


def pulse(*slaves: SlaveHealth, **changes: object) -> Pulse:
    words: dict[str, object] = {
        "t_ms": 1, "boot": BOOT, "stream": STREAM, "next_seq": 1, "outbox_batches": 0, "outbox_bytes": 0,
        "hours_left": None, "evicted_batches": 0, "slaves": list(slaves),
    }  # fmt: skip
    return Pulse(**{**words, **changes})  # type: ignore[arg-type]


async def delay(rooms: Rooms, seconds: int) -> None:
    await rooms.devices.change(ADMIN, 1, DeviceBody(offline_alarm_delay_s=seconds))


async def lose(rooms: Rooms) -> None:
    await rooms.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))


async def entries(rooms: Rooms) -> list[OnOfflineEntry]:
    return (await rooms.outages.page(SYSTEM, 1)).rows


@pytest.mark.clause("C-064")
async def test_back_within_the_delay_leaves_no_entry(rooms: Rooms) -> None:
    await delay(rooms, 300)
    await rooms.presence.hello(GATEWAY, hello())
    await lose(rooms)
    rooms.clock.pass_s(299)
    await rooms.outages.find_due()
    await rooms.presence.hello(GATEWAY, hello())
    rooms.clock.pass_s(600)
    await rooms.outages.find_due()
    assert await entries(rooms) == []


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
    rooms: Rooms, reason: str, delay_s: int, away_s: int, is_kept: bool
) -> None:
    await delay(rooms, delay_s)
    await rooms.presence.hello(GATEWAY, hello())
    began = rooms.clock.now
    for _ in range(2):
        rooms.clock.pass_s(600)
        await rooms.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1, reason=reason))
        assert (await rooms.devices.row(SYSTEM, 1)).link.since_ms == rooms.clock.now
        rooms.clock.pass_s(away_s)
        await rooms.presence.hello(GATEWAY, hello())
    assert (await rooms.devices.row(SYSTEM, 1)).link.since_ms == (began if is_kept else rooms.clock.now)
    assert (await entries(rooms) == []) == (reason == "link_lost" or is_kept)


@pytest.mark.clause("C-064")
async def test_longer_than_the_delay_is_logged_from_its_beginning(rooms: Rooms) -> None:
    await delay(rooms, 300)
    await rooms.presence.hello(GATEWAY, hello())
    began = rooms.clock.now
    await lose(rooms)
    rooms.clock.pass_s(300)
    await rooms.outages.find_due()
    await rooms.outages.find_due()
    (lasting,) = await entries(rooms)
    assert (lasting.offline_ms, lasting.online_ms, lasting.duration_ms) == (began, None, 300_000)
    rooms.clock.pass_s(60)
    await rooms.pulse(pulse())
    (over,) = await entries(rooms)
    assert (over.offline_ms, over.online_ms, over.reason) == (began, began + 360_000, "link_lost")
    assert over.slave is None


@pytest.mark.clause("C-064")
async def test_between_two_looks_the_delay_holds_all_the_same(rooms: Rooms) -> None:
    """The periodic look did not come in time: who was away for the delay is logged when he is back."""
    await delay(rooms, 10)
    await rooms.presence.hello(GATEWAY, hello())
    for seconds in (9, 11):
        await lose(rooms)
        rooms.clock.pass_s(seconds)
        await rooms.presence.hello(GATEWAY, hello())
    assert [entry.duration_ms for entry in await entries(rooms)] == [11_000]


async def test_without_a_delay_it_is_logged_at_once_and_never_connected_is_none(rooms: Rooms) -> None:
    await rooms.outages.find_due()
    assert await entries(rooms) == []
    await rooms.presence.hello(GATEWAY, hello())
    await lose(rooms)
    assert [entry.online_ms for entry in await entries(rooms)] == [None]
    await rooms.presence.hello(GATEWAY, hello())
    await rooms.claims.disable(GATEWAY)
    await rooms.outages.find_due()
    assert [entry.reason for entry in await entries(rooms)] == ["disabled", "link_lost"]


@pytest.mark.clause("C-064")
@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_who_comes_back_while_it_is_looked_for_has_one_entry_with_an_end(
    rooms: Rooms, database_url: str
) -> None:
    """SQLite has one writer at a time; elsewhere the row is what the two wait for."""
    await delay(rooms, 10)
    await rooms.presence.hello(GATEWAY, hello())
    await lose(rooms)
    rooms.clock.pass_s(11)
    async with asyncio.timeout(60):
        async with rooms.database.session() as session:  # as hello has it, before it has written
            await DeviceRepository(session, Scope.system()).by_gateway(GATEWAY, lock=True)
            await rooms.outages.find_due()
        assert await entries(rooms) == []
        for _ in range(20):
            await asyncio.gather(rooms.presence.hello(GATEWAY, hello()), rooms.outages.find_due())
            await lose(rooms)
            rooms.clock.pass_s(11)
    assert [entry.duration_ms for entry in await entries(rooms)] == [11_000] * 20


def boiler(reason: str, *, ago_s: float = 0, now: int) -> SlaveHealth:
    return SlaveHealth(
        name="boiler", online=reason == "ok", last_good_ms=now - int(ago_s * 1000), reason=reason
    )


@pytest.mark.clause("C-062")
async def test_slaves_are_logged_from_their_last_good_frame(rooms: Rooms) -> None:
    asked, clock = catalog("pressure"), rooms.clock
    await rooms.presence.hello(GATEWAY, hello(asked.hash))
    await rooms.catalogs.apply(GATEWAY, asked)
    for reason in ("never_read", "ok", "never_read", "ok", "disabled"):
        await rooms.pulse(pulse(boiler(reason, now=clock.now)))
    await rooms.outages.find_due()
    assert await entries(rooms) == []  # nothing of this is news
    assert (await rooms.devices.row(SYSTEM, 1)).status == "online"
    await rooms.pulse(pulse(boiler("no_answer", ago_s=14 * 60, now=clock.now)))
    row = await rooms.devices.row(SYSTEM, 1)
    assert (row.status, row.presence.layer, row.presence.code) == ("silent", "bus", "no_slave_answers")
    assert (row.presence.since_ms, row.presence.arguments["title"]) == (clock.now - 840_000, "Boiler")
    await rooms.pulse(pulse(boiler("never_read", ago_s=840, now=clock.now)))
    assert (await rooms.devices.detail(SYSTEM, 1)).slaves[0].reason == "no_answer"  # the agent started anew
    clock.pass_s(60)
    await rooms.pulse(pulse(boiler("ok", now=clock.now)))
    (entry,) = await entries(rooms)
    assert (entry.slave, entry.slave_title, entry.duration_ms) == ("boiler", "Boiler", 900_000)
    assert (await rooms.outages.page(SYSTEM, 1, slaves=False)).total == 0
    assert (await rooms.devices.row(SYSTEM, 1)).presence.code == "ok"


async def test_a_slave_that_is_taken_out_is_not_missed_any_more(rooms: Rooms) -> None:
    asked = catalog("pressure")
    await rooms.presence.hello(GATEWAY, hello(asked.hash))
    await rooms.catalogs.apply(GATEWAY, asked)
    await rooms.pulse(pulse(boiler("no_answer", now=rooms.clock.now)))
    await rooms.catalogs.apply(GATEWAY, Catalog(hash=catalog_hash([], []), t_ms=1, slaves=[], points=[]))
    rooms.clock.pass_s(5)
    await rooms.outages.find_due()
    assert [entry.duration_ms for entry in await entries(rooms)] == [5000]


async def test_pages_periods_deleting_and_forgetting(rooms: Rooms) -> None:
    await rooms.presence.hello(GATEWAY, hello())
    start = rooms.clock.now
    for _ in range(3):
        await lose(rooms)
        rooms.clock.pass_s(10)
        await rooms.presence.hello(GATEWAY, hello())
        rooms.clock.pass_s(90)
    page = await rooms.outages.page(SYSTEM, 1, page=2, limit=2)
    assert (page.total, [entry.offline_ms - start for entry in page.rows]) == (3, [0])
    touching = await rooms.outages.page(SYSTEM, 1, start + 105_000, start + 200_000)
    assert [entry.offline_ms - start for entry in touching.rows] == [100_000]
    with pytest.raises(ParameterError, match="to_ms: must be after from_ms"):
        await rooms.outages.page(SYSTEM, 1, 5, 5)
    await rooms.outages.delete(ADMIN, page.rows[0].id)
    with pytest.raises(NotFound):
        await rooms.outages.delete(ADMIN, page.rows[0].id)
    await lose(rooms)
    with pytest.raises(Conflict):
        await rooms.outages.delete(ADMIN, (await entries(rooms))[0].id)
    rooms.clock.now = start + 110_001 + KEEP_MS
    await rooms.outages.forget_old(rooms.clock())
    assert [entry.offline_ms - start for entry in await entries(rooms)] == [300_000, 200_000]


async def test_pulse_tells_losses_at_the_gateway(rooms: Rooms) -> None:
    await rooms.presence.hello(GATEWAY, hello())
    await rooms.pulse(
        pulse(
            evicted_batches=7, evicted=[(n, n) for n in range(1, 400, 2)], dropped_samples=2**53,
            next_seq=400, written_bytes_day=123, clock_set=False, hours_left=0.5,
        ),
    )  # fmt: skip
    detail = await rooms.devices.detail(SYSTEM, 1)
    assert (detail.clock_set, detail.written_bytes_day, detail.dropped_samples) == (False, 123, 2**53)
    assert (len(detail.evicted), detail.evicted[-1]) == (100, (399, 399))
    assert detail.presence.code == "clock_not_set"
    worse = {"evicted_batches": 8, "dropped_samples": 2**53}
    await rooms.pulse(pulse(**worse))
    assert (await rooms.devices.row(SYSTEM, 1)).presence.code == "samples_dropped"
    rooms.clock.pass_s(3600)
    await rooms.pulse(pulse(**{**worse, "evicted_batches": 9}))
    assert (await rooms.devices.row(SYSTEM, 1)).presence.arguments == {"count": 9}
    rooms.clock.pass_s(3600)
    assert (await rooms.devices.row(SYSTEM, 1)).presence.code == "ok"


@pytest.mark.clause("C-065")
async def test_who_is_cleared_is_told_once(rooms: Rooms) -> None:
    await rooms.presence.clearing.refresh()
    await rooms.presence.hello(GATEWAY, hello())
    await lose(rooms)
    await lose(rooms)
    assert rooms.cleared == [(GATEWAY, 1, False), (GATEWAY, 1, True)]
    await rooms.devices.change(ADMIN, 1, DeviceBody(offline_clear_data=False))
    assert rooms.cleared[2:] == [(GATEWAY, 1, False)]
    await rooms.devices.change(ADMIN, 1, DeviceBody(offline_clear_data=True))
    await rooms.presence.hello(GATEWAY, hello())
    del rooms.cleared[:]
    other = Rooms(rooms.database, rooms.clock)
    other.broker[GATEWAY] = ""
    await other.claims.disable(GATEWAY)
    await rooms.presence.find_silent()  # another process did it: noticed by the periodic look
    assert rooms.cleared == [(GATEWAY, 1, True)]


async def test_settings(rooms: Rooms) -> None:
    detail = await rooms.devices.detail(SYSTEM, 1)
    assert (detail.offline_notify, detail.offline_clear_data, detail.offline_alarm_delay_s) == (
        False,
        True,
        0,
    )
    body = DeviceBody(device_title="Pump 2", offline_notify=True, offline_alarm_delay_s=86_400)
    changed = await rooms.devices.change(ADMIN, 1, body)
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
        await rooms.devices.change(ADMIN, 1, DeviceBody(device_title="a\nb"))
    with pytest.raises(NotFound):
        await rooms.devices.change(ADMIN, 9, DeviceBody())


def lent(good_ms: int) -> SlaveHealth:
    return SlaveHealth(name="boiler", online=False, last_good_ms=good_ms, reason="port_lent")


@pytest.mark.clause("C-066")
async def test_a_lent_port_is_named_and_on_record_without_an_alarm(rooms: Rooms) -> None:
    loans: list[Loan] = []

    async def book(scope: Scope, device_ids: Sequence[int], from_ms: int, to_ms: int | None) -> list[Loan]:
        return [each for each in loans if to_ms is not None or each.until_ms is None]

    rooms.devices = DeviceService(rooms.database, rooms.presence, rooms._streams, book)
    rooms.outages = OutageService(rooms.database, book, clock=rooms.clock)
    points = catalog("pressure")
    await rooms.presence.hello(GATEWAY, hello(points.hash))
    await rooms.catalogs.apply(GATEWAY, points)
    begin = rooms.clock.now
    await rooms.pulse(pulse(SlaveHealth(name="boiler", online=True, last_good_ms=begin, reason="ok")))
    rooms.clock.pass_s(1)
    loans.append(Loan(1, "lan", "li", rooms.clock.now, None))
    await rooms.pulse(pulse(lent(begin)))
    shown = await rooms.devices.detail(SYSTEM, 1)
    assert (shown.status, shown.presence.code, shown.presence.since_ms) == (
        "online",
        "port_lent",
        begin + 1000,
    )
    assert (shown.presence.arguments["user"], shown.presence.arguments["port"]) == ("li", "lan")
    assert (shown.slaves[0].lent_to, shown.slaves[0].lent_ms) == ("li", begin + 1000)
    assert (await rooms.devices.page(SYSTEM, DeviceFilter(status="silent"), 1, 10, "")).total == 0
    rooms.clock.pass_s(60)
    loans[0] = Loan(1, "lan", "li", begin + 1000, rooms.clock.now)
    silent = SlaveHealth(name="boiler", online=False, last_good_ms=begin, reason="no_answer")
    await rooms.pulse(pulse(silent))
    assert (await rooms.devices.row(SYSTEM, 1)).status == "silent"
    later, first = await entries(rooms)
    assert (first.reason, first.lent_to, first.offline_ms, first.online_ms) == (
        "port_lent", "li", begin, begin + 61_000,
    )  # fmt: skip
    assert (later.reason, later.lent_to, later.offline_ms) == ("no_answer", None, begin + 61_000)
    found = (await rooms.outages.events(SYSTEM, 0, 2**53)).rows
    assert sorted((event.at - begin, event.status, event.reason, event.lent_to) for event in found) == [
        (0, 0, "port_lent", "li"), (61_000, 0, "no_answer", None), (61_000, 1, "port_lent", "li"),
    ]  # fmt: skip


async def test_a_port_that_was_lent_on_site_has_no_name(rooms: Rooms) -> None:
    points = catalog("pressure")
    await rooms.presence.hello(GATEWAY, hello(points.hash))
    await rooms.catalogs.apply(GATEWAY, points)
    await rooms.pulse(pulse(lent(rooms.clock.now)))
    shown = await rooms.devices.detail(SYSTEM, 1)
    assert (shown.presence.code, shown.presence.arguments["user"], shown.slaves[0].lent_to) == (
        "port_lent",
        "",
        None,
    )


async def test_the_same_program_that_is_back_only_switched(rooms: Rooms) -> None:
    for boot in (BOOT, "cc" * 8):
        await rooms.presence.hello(GATEWAY, hello())
        await rooms.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1, reason="stopped"))
        rooms.clock.pass_s(1)
        await rooms.presence.hello(GATEWAY, hello(boot=boot))
    assert [entry.reason for entry in await entries(rooms)] == ["stopped", "switched"]


async def test_short_absences_can_be_left_out(rooms: Rooms) -> None:
    for seconds in (1, 30):
        await rooms.presence.hello(GATEWAY, hello())
        await lose(rooms)
        rooms.clock.pass_s(seconds)
    found = await rooms.outages.page(SYSTEM, 1, at_least_ms=30_000)
    assert ([entry.duration_ms for entry in found.rows], found.total) == ([30_000], 1)
    assert (await rooms.outages.page(SYSTEM, 1)).total == 2


async def test_a_new_gateways_delay_spares_the_log_its_reloads(rooms: Rooms) -> None:
    await rooms.claims.claim("gw-new", "New")
    number = await rooms.devices.id_of("gw-new")
    assert number is not None
    assert (await rooms.devices.detail(SYSTEM, number)).offline_alarm_delay_s == 10
