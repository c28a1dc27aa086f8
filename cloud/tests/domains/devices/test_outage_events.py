"""The on-offline log as events over all gateways, on both databases with a simulated clock."""

from __future__ import annotations

import pytest

from cloud.core.scope import Scope
from cloud.domains.devices.schemas import DeviceBody, OnOfflineEvent
from cloud.domains.identity.models import User
from cloud.domains.inventory.models import Device, DeviceShare, OnOfflineLog
from cloud.errors import ParameterError
from edge_contract.payloads import SlaveHealth, State

from ...conftest import ADMIN, BOOT, GATEWAY, SYSTEM, Rooms, catalog, hello
from .test_outages import pulse

EVER = 2**53


async def events(rooms: Rooms, scope: Scope = SYSTEM, **words: object) -> list[OnOfflineEvent]:
    period = (words.pop("from_ms", 0), words.pop("to_ms", EVER))
    page = await rooms.outages.events(scope, *period, limit=100, **words)  # type: ignore[arg-type]
    assert page.total == len(page.rows)
    return page.rows


def short(found: list[OnOfflineEvent]) -> list[tuple[int, str, str | None]]:
    return [(event.status, event.gateway_id, event.slave) for event in found]


async def absences(rooms: Rooms) -> tuple[int, int, int]:
    """Gateway 1 goes, gateway 2 goes, gateway 1 comes 60 s later; the times."""
    await rooms.claims.claim("gw-test-2", "Second")
    await rooms.devices.change(ADMIN, 2, DeviceBody(offline_alarm_delay_s=0))
    times = []
    for name in (GATEWAY, "gw-test-2"):
        await rooms.presence.hello(name, hello())
        rooms.clock.pass_s(10)
        times.append(rooms.clock.now)
        await rooms.presence.state(name, State(online=False, boot=BOOT, t_ms=1))
    rooms.clock.pass_s(60)
    await rooms.presence.hello(GATEWAY, hello())
    return times[0], times[1], rooms.clock.now


async def test_both_sides_of_an_absence_are_events(rooms: Rooms) -> None:
    first, second, back = await absences(rooms)
    rooms.clock.pass_s(5)
    found = await events(rooms)
    assert short(found) == [(1, GATEWAY, None), (0, "gw-test-2", None), (0, GATEWAY, None)]
    assert [event.at for event in found] == [back, second, first]
    assert [event.lasts for event in found] == [False, True, False]
    assert [event.duration_ms for event in found] == [back - first, back - second + 5000, back - first]
    assert found[0].id == found[2].id


async def test_filters_and_pages(rooms: Rooms) -> None:
    first, second, back = await absences(rooms)
    assert short(await events(rooms, status=1)) == [(1, GATEWAY, None)]
    assert len(await events(rooms, status=0)) == 2
    assert short(await events(rooms, device_id=2)) == [(0, "gw-test-2", None)]
    assert short(await events(rooms, search="second")) == [(0, "gw-test-2", None)]
    assert [event.at for event in await events(rooms, from_ms=first + 1, to_ms=back)] == [second]
    assert [event.at for event in await events(rooms, from_ms=back)] == [back]
    pages = [await rooms.outages.events(SYSTEM, 0, EVER, page=page, limit=2) for page in (1, 2, 3)]
    assert [[event.at for event in page.rows] for page in pages] == [[back, second], [first], []]
    assert {page.total for page in pages} == {3}
    with pytest.raises(ParameterError) as caught:
        await events(rooms, from_ms=5, to_ms=5)
    assert caught.value.field == "endtime"


async def test_slaves_too_unless_they_are_left_out(rooms: Rooms) -> None:
    await rooms.presence.hello(GATEWAY, hello())
    await rooms.catalogs.apply(GATEWAY, catalog("t"))
    await rooms.pulse(pulse(SlaveHealth(name="boiler", online=True, last_good_ms=rooms.clock.now)))
    last = rooms.clock.now
    rooms.clock.pass_s(60)
    await rooms.pulse(pulse(SlaveHealth(name="boiler", online=False, last_good_ms=last, reason="no_answer")))
    (event,) = await events(rooms)
    assert (event.status, event.slave, event.slave_title, event.reason) == (
        0,
        "boiler",
        "Boiler",
        "no_answer",
    )
    assert await events(rooms, slaves=False) == []
    assert short(await events(rooms, search="boil")) == [(0, GATEWAY, "boiler")]


async def test_only_of_gateways_that_the_user_sees(rooms: Rooms) -> None:
    await absences(rooms)
    async with rooms.database.session() as session:
        for number in (1, 2):
            session.add(
                User(user_name=f"u{number}", password_hash="x", user_type=1, path=f"/{number}/", created_ms=1)
            )
        await session.flush()
        (await session.get_one(Device, 1)).owner_id = 1
        session.add(DeviceShare(device_id=2, user_id=2, role="visitor", writes=False, created_ms=1))
        await session.commit()
    assert {event.device_id for event in await events(rooms, Scope(1, "/1/"))} == {1}
    assert {event.device_id for event in await events(rooms, Scope(2, "/2/"))} == {2}
    assert await events(rooms, Scope(2, "/2/"), device_id=1) == []
    assert await events(rooms, Scope(3, "/3/")) == []


async def test_a_late_row_knows_when_it_was_made(rooms: Rooms) -> None:
    first, _, back = await absences(rooms)
    async with rooms.database.reading() as session:
        entry = await session.get_one(OnOfflineLog, 1)
    assert (entry.offline_ms, entry.noted_ms, entry.online_ms) == (first, first, back)
