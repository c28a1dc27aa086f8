"""Presence: hello, state, pulse and silence, on both databases."""

from __future__ import annotations

import msgspec
import pytest
from sqlalchemy import event

from cloud.core.token_bucket import KIB, TokenRate
from cloud.domains.devices import presence as module
from cloud.domains.devices.presence import PresenceService
from edge_contract.bus_health import FaultCount, SlaveRequests
from edge_contract.payloads import (
    Catalog,
    Pulse,
    Refusal,
    SlaveEntry,
    SlaveHealth,
    State,
    catalog_hash,
)

from ..conftest import BOOT, GATEWAY, STREAM, SYSTEM, DomainServices, catalog, hello


def pulse(*slaves: SlaveHealth, backlog: int = 0) -> Pulse:
    return Pulse(
        t_ms=1,
        boot=BOOT,
        stream=STREAM,
        next_seq=1,
        outbox_batches=backlog,
        outbox_bytes=0,
        hours_left=12.5,
        evicted_batches=0,
        slaves=list(slaves),
    )


async def test_never_connected_then_online(services: DomainServices) -> None:
    row = await services.devices.row(SYSTEM, 1)
    assert (row.status, row.link.reason) == ("offline", "never_connected")
    welcome = await services.presence.hello(GATEWAY, hello())
    assert welcome.accepted and welcome.need_catalog
    row = await services.devices.row(SYSTEM, 1)
    assert (row.status, row.link.online, row.link.reason) == ("online", True, "ok")
    assert row.last_ms == row.link.since_ms == services.clock.now
    assert row.data_ms is None, "it spoke, and sent no sample yet"
    assert services.changed == [1]


@pytest.mark.clause("C-060")
async def test_last_will_makes_offline_at_once(services: DomainServices) -> None:
    await services.presence.hello(GATEWAY, hello())
    await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))
    assert (await services.devices.row(SYSTEM, 1)).link.reason == "link_lost"
    await services.presence.hello(GATEWAY, hello())
    await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1, reason="stopped"))
    assert (await services.devices.row(SYSTEM, 1)).link.reason == "stopped"
    await services.presence.hello(GATEWAY, hello())
    await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1, reason="switched"))
    row = await services.devices.row(SYSTEM, 1)
    assert (row.presence.code, row.status) == ("switched", "offline"), "its program did not stop"


async def test_will_of_an_earlier_boot_says_nothing(services: DomainServices) -> None:
    await services.presence.hello(GATEWAY, hello())
    await services.presence.state(GATEWAY, State(online=False, boot="cc" * 8, t_ms=1))
    assert (await services.devices.row(SYSTEM, 1)).link.online


@pytest.mark.clause("C-061")
async def test_silence_of_75_s_makes_offline(services: DomainServices) -> None:
    services.clock.pass_s(600)
    await services.presence.hello(GATEWAY, hello())
    services.clock.pass_s(74)
    await services.presence.find_silent()
    assert (await services.devices.row(SYSTEM, 1)).link.online
    services.clock.pass_s(2)
    await services.presence.find_silent()
    assert (await services.devices.row(SYSTEM, 1)).link.reason == "silent"
    await services.pulse(pulse())
    assert (await services.devices.row(SYSTEM, 1)).link.online


async def test_restarted_cloud_gives_gateways_time(services: DomainServices) -> None:
    await services.presence.hello(GATEWAY, hello())
    services.clock.pass_s(600)
    later = DomainServices(services.database, services.clock)
    await later.presence.find_silent()
    assert (await later.devices.row(SYSTEM, 1)).link.online
    services.clock.pass_s(80)
    await later.presence.find_silent()
    assert not (await later.devices.row(SYSTEM, 1)).link.online


async def test_pulse_carries_slaves_and_outbox(services: DomainServices) -> None:
    asked = catalog("pressure")
    await services.presence.hello(GATEWAY, hello(asked.hash))
    await services.catalogs.apply(GATEWAY, asked)
    health = SlaveHealth(name="boiler", online=True, last_good_ms=77)
    await services.pulse(pulse(health, backlog=3))
    detail = await services.devices.detail(SYSTEM, 1)
    assert (detail.status, detail.slaves_online, detail.backlog_batches, detail.hours_left) == (
        "online",
        1,
        3,
        12.5,
    )
    await services.pulse(pulse(SlaveHealth(name="boiler", online=False, last_good_ms=77, reason="no_answer")))
    detail = await services.devices.detail(SYSTEM, 1)
    assert (detail.status, detail.slaves[0].reason) == ("silent", "no_answer")


@pytest.mark.clause("C-150", "C-151")
async def test_requests_of_a_slave_are_told_and_unknown_of_an_agent_that_does_not_count(
    services: DomainServices,
) -> None:
    asked = catalog("pressure")
    await services.presence.hello(GATEWAY, hello(asked.hash))
    await services.catalogs.apply(GATEWAY, asked)
    assert (await services.devices.detail(SYSTEM, 1)).slaves[0].requests is None
    faults = [
        FaultCount(kind="exception", code=2, count=3, last_ms=9),
        FaultCount(kind="of_a_newer_agent", count=2**40, last_ms=8),
    ]
    counted = SlaveRequests(requests=60, failures=3, mean_ms=12.4, max_ms=48.0, since_ms=5, faults=faults)
    health = SlaveHealth(name="boiler", online=True, last_good_ms=77, bus=counted)
    await services.pulse(pulse(health))
    told = (await services.devices.detail(SYSTEM, 1)).slaves[0].requests
    assert told is not None
    assert (told.requests, told.failures, told.mean_ms, told.max_ms, told.since_ms) == (60, 3, 12.4, 48.0, 5)
    assert [(fault.kind, fault.code, fault.count) for fault in told.faults] == [
        ("exception", 2, 3),
        ("of_a_newer_agent", None, 2**40),
    ]
    silent = SlaveRequests(requests=0, failures=0, since_ms=5)
    await services.pulse(pulse(msgspec.structs.replace(health, bus=silent)))
    told = (await services.devices.detail(SYSTEM, 1)).slaves[0].requests
    assert told is not None and (told.requests, told.mean_ms, told.faults) == (0, None, [])
    await services.pulse(pulse(SlaveHealth(name="boiler", online=True, last_good_ms=78)))
    assert (await services.devices.detail(SYSTEM, 1)).slaves[0].requests is None, "an older agent came back"


async def test_words_and_numbers_are_made_to_fit(services: DomainServices) -> None:
    await services.presence.hello(GATEWAY, hello(agent="1\0.0"))
    await services.pulse(pulse(backlog=2**40))
    await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1, reason="r" * 200))
    row = await services.devices.row(SYSTEM, 1)
    assert (row.agent_version, row.backlog_batches, row.link.reason) == ("1.0", 2**31 - 1, "r" * 40)


@pytest.mark.parametrize(
    ("changes", "gateway", "refusal"),
    [
        ({"version_min": 2, "version_max": 3}, GATEWAY, Refusal.VERSION),
        ({}, "gw-foreign", Refusal.NOT_CLAIMED),
    ],
)
async def test_refused_hello(
    services: DomainServices, changes: dict[str, object], gateway: str, refusal: Refusal
) -> None:
    welcome = await services.presence.hello(gateway, hello(**changes))
    assert (welcome.accepted, welcome.refusal) == (False, refusal)
    assert not (await services.devices.row(SYSTEM, 1)).link.online


async def test_disabled_gateway_is_refused_everywhere(services: DomainServices) -> None:
    secret = services.broker[GATEWAY]
    assert await services.authenticator.authenticate(GATEWAY, secret) is not None
    await services.claims.disable(GATEWAY)
    assert await services.authenticator.authenticate(GATEWAY, secret) is None
    assert services.broker == {}
    assert (await services.presence.hello(GATEWAY, hello())).refusal is Refusal.DISABLED


async def test_only_the_newest_pulse_is_written_and_the_will_after_it_holds(services: DomainServices) -> None:
    await services.presence.hello(GATEWAY, hello())
    services.changed.clear()
    for backlog in (1, 2, 3):
        services.presence.pulse(GATEWAY, pulse(backlog=backlog))
    await services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))
    row = await services.devices.row(SYSTEM, 1)
    assert (row.link.online, row.backlog_batches) == (False, 3)
    await services.presence.write_pulses()
    assert not (await services.devices.row(SYSTEM, 1)).link.online
    assert services.changed == [1, 1]


async def test_a_pulse_of_before_hello_says_nothing_after_it(services: DomainServices) -> None:
    services.presence.pulse(GATEWAY, pulse(backlog=9))
    await services.presence.hello(GATEWAY, hello(next_seq=3))
    await services.presence.write_pulses()
    assert (await services.devices.row(SYSTEM, 1)).backlog_batches == 2


@pytest.mark.clause("C-136")
async def test_a_pulse_of_many_slaves_is_written_in_small_transactions(
    services: DomainServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes and goes a thousand times a second waits, in its newest state, and holds up nobody."""
    monkeypatch.setattr(module, "SLAVES_SAID", TokenRate(600, 10, per_kib=KIB))
    names = [f"slave-{number}" for number in range(250)]
    slaves = [
        SlaveEntry(name=name, title=name, protocol="modbus_tcp", port="lan", address="1") for name in names
    ]
    many = Catalog(hash=catalog_hash(slaves, []), t_ms=1, slaves=slaves, points=[])
    await services.catalogs.apply(GATEWAY, many)
    await services.presence.hello(GATEWAY, hello())
    now = 0.0
    presence = PresenceService(
        services.database, services._changed, clock=services.clock, monotonic=lambda: now
    )
    commits: list[int] = []
    engine = services.database.writing_engine.sync_engine
    counting = lambda *_: commits.append(1)  # noqa: E731
    event.listen(engine, "commit", counting)

    async def said(online: bool) -> None:
        health = [SlaveHealth(name=name, online=online, last_good_ms=1, reason="ok") for name in names]
        presence.pulse(GATEWAY, pulse(*health))
        await presence.write_pulses()

    async def online() -> int:
        return (await services.devices.row(SYSTEM, 1)).slaves_online

    await said(online=True)
    event.remove(engine, "commit", counting)
    assert (await online(), len(commits)) == (250, 4)
    for number in range(4):
        await said(online=bool(number % 2))
    written = await online()
    now = 60.0
    await presence.write_pulses()
    assert (written, await online()) == (0, 250)
