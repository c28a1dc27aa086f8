"""The on-offline log as events over all gateways, on both databases with a simulated clock."""

from __future__ import annotations

import pytest

from cloud.core.scope import Scope
from cloud.domains.devices.schemas import DeviceBody, OnOfflineEvent
from cloud.domains.identity.models import User
from cloud.domains.inventory.models import Device, DeviceShare, OnOfflineLog
from cloud.errors import ParameterError
from edge_contract.payloads import SlaveHealth, State

from ...conftest import ADMIN, BOOT, GATEWAY, SYSTEM, DomainServices, catalog, hello
from .test_outages import pulse

EVER = 2**53


async def events(services: DomainServices, scope: Scope = SYSTEM, **words: object) -> list[OnOfflineEvent]:
    period = (words.pop("from_ms", 0), words.pop("to_ms", EVER))
    page = await services.outages.events(scope, *period, limit=100, **words)  # type: ignore[arg-type]
    assert page.total == len(page.rows)
    return page.rows


def short(found: list[OnOfflineEvent]) -> list[tuple[int, str, str | None]]:
    return [(event.status, event.gateway_id, event.slave) for event in found]


async def absences(services: DomainServices) -> tuple[int, int, int]:
    """Gateway 1 goes, gateway 2 goes, gateway 1 comes 60 s later; the times."""
    await services.claims.claim("gw-test-2", "Second")
    await services.devices.change(ADMIN, 2, DeviceBody(offline_alarm_delay_s=0))
    times = []
    for name in (GATEWAY, "gw-test-2"):
        await services.presence.hello(name, hello())
        services.clock.pass_s(10)
        times.append(services.clock.now)
        await services.presence.state(name, State(online=False, boot=BOOT, t_ms=1))
    services.clock.pass_s(60)
    await services.presence.hello(GATEWAY, hello())
    return times[0], times[1], services.clock.now


async def test_both_sides_of_an_absence_are_events(services: DomainServices) -> None:
    first, second, back = await absences(services)
    services.clock.pass_s(5)
    found = await events(services)
    assert short(found) == [(1, GATEWAY, None), (0, "gw-test-2", None), (0, GATEWAY, None)]
    assert [event.at for event in found] == [back, second, first]
    assert [event.lasts for event in found] == [False, True, False]
    assert [event.duration_ms for event in found] == [back - first, back - second + 5000, back - first]
    assert found[0].id == found[2].id


async def test_filters_and_pages(services: DomainServices) -> None:
    first, second, back = await absences(services)
    assert short(await events(services, status=1)) == [(1, GATEWAY, None)]
    assert len(await events(services, status=0)) == 2
    assert short(await events(services, device_id=2)) == [(0, "gw-test-2", None)]
    assert short(await events(services, search="second")) == [(0, "gw-test-2", None)]
    assert [event.at for event in await events(services, from_ms=first + 1, to_ms=back)] == [second]
    assert [event.at for event in await events(services, from_ms=back)] == [back]
    pages = [await services.outages.events(SYSTEM, 0, EVER, page=page, limit=2) for page in (1, 2, 3)]
    assert [[event.at for event in page.rows] for page in pages] == [[back, second], [first], []]
    assert {page.total for page in pages} == {3}
    with pytest.raises(ParameterError) as caught:
        await events(services, from_ms=5, to_ms=5)
    assert caught.value.field == "endtime"


async def test_slaves_too_unless_they_are_left_out(services: DomainServices) -> None:
    await services.presence.hello(GATEWAY, hello())
    await services.catalogs.apply(GATEWAY, catalog("t"))
    await services.pulse(pulse(SlaveHealth(name="boiler", online=True, last_good_ms=services.clock.now)))
    last = services.clock.now
    services.clock.pass_s(60)
    await services.pulse(
        pulse(SlaveHealth(name="boiler", online=False, last_good_ms=last, reason="no_answer"))
    )
    (event,) = await events(services)
    assert (event.status, event.slave, event.slave_title, event.reason) == (
        0,
        "boiler",
        "Boiler",
        "no_answer",
    )
    assert await events(services, slaves=False) == []
    assert short(await events(services, search="boil")) == [(0, GATEWAY, "boiler")]


async def test_only_of_gateways_that_the_user_sees(services: DomainServices) -> None:
    await absences(services)
    async with services.database.session() as session:
        for number in (1, 2):
            session.add(
                User(user_name=f"u{number}", password_hash="x", user_type=1, path=f"/{number}/", created_ms=1)
            )
        await session.flush()
        (await session.get_one(Device, 1)).owner_id = 1
        session.add(DeviceShare(device_id=2, user_id=2, role="visitor", writes=False, created_ms=1))
        await session.commit()
    assert {event.device_id for event in await events(services, Scope(1, "/1/"))} == {1}
    assert {event.device_id for event in await events(services, Scope(2, "/2/"))} == {2}
    assert await events(services, Scope(2, "/2/"), device_id=1) == []
    assert await events(services, Scope(3, "/3/")) == []


async def test_a_late_row_knows_when_it_was_made(services: DomainServices) -> None:
    first, _, back = await absences(services)
    async with services.database.reading() as session:
        entry = await session.get_one(OnOfflineLog, 1)
    assert (entry.offline_ms, entry.noted_ms, entry.online_ms) == (first, first, back)
