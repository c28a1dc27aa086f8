"""A gateway that saves power: asleep between two reports it is not offline, and nothing reaches it."""

from __future__ import annotations

import pytest

from cloud.core.scope import Scope
from cloud.domains.commands.schemas import CommandBody
from cloud.domains.devices.presence import LATE_BACK_MS
from cloud.domains.devices.schemas import DeviceBody
from cloud.domains.identity.schemas import CurrentUser
from edge_contract.payloads import Pulse, State

from ...conftest import ADMIN, BOOT, GATEWAY, STREAM, SYSTEM, DomainServices, catalog, hello

USER = CurrentUser(7, "operator", 0, frozenset({"Device/cmd"}), "sign-in", Scope.system())
INTERVAL_S = 600


async def fall_asleep(services: DomainServices, seconds: float = INTERVAL_S - 30) -> int:
    points = catalog("pressure")
    await services.devices.change(ADMIN, 1, DeviceBody(offline_alarm_delay_s=0))
    await services.presence.hello(GATEWAY, hello(points.hash, report_interval_s=INTERVAL_S))
    await services.catalogs.apply(GATEWAY, points)
    await services.pulse(
        Pulse(
            t_ms=1, boot=BOOT, stream=STREAM, next_seq=1, outbox_batches=0, outbox_bytes=0, hours_left=None,
            evicted_batches=0, slaves=[],
        )
    )  # fmt: skip
    back_ms = services.clock.now + round(seconds * 1000)
    own_ms = 1_600_000_000_000  # the gateway's clock is years behind
    back = max(own_ms + round(seconds * 1000), 0)
    said = State(online=False, boot=BOOT, t_ms=own_ms, reason="asleep", back_ms=back)
    await services.presence.state(GATEWAY, said)
    services.clock.pass_s(5)
    await services.presence.state(GATEWAY, said)  # retained: a restarted cloud gets it again
    return back_ms


@pytest.mark.clause("C-148")
async def test_asleep_is_no_outage_until_its_report_is_overdue(services: DomainServices) -> None:
    back_ms = await fall_asleep(services)
    row = await services.devices.row(SYSTEM, 1)
    assert (row.status, row.presence.code, row.presence.arguments) == (
        "online",
        "asleep",
        {"back_ms": back_ms},
    )
    assert (row.link.online, row.link.back_ms, row.link.report_interval_s) == (False, back_ms, INTERVAL_S)
    services.clock.now = back_ms + LATE_BACK_MS
    await services.presence.find_silent()
    await services.outages.find_due()
    assert (await services.devices.row(SYSTEM, 1)).status == "online"
    assert (await services.outages.page(SYSTEM, 1)).rows == []
    services.clock.now += 1
    await services.presence.find_silent()
    row = await services.devices.row(SYSTEM, 1)
    assert (row.status, row.presence.code, row.link.back_ms) == ("offline", "silent", None)
    assert len((await services.outages.page(SYSTEM, 1)).rows) == 1


@pytest.mark.clause("C-148")
async def test_back_from_sleep_it_is_as_if_it_had_not_been_away(services: DomainServices) -> None:
    back_ms = await fall_asleep(services)
    since_ms = (await services.devices.row(SYSTEM, 1)).link.since_ms
    services.clock.now = back_ms
    await services.presence.hello(GATEWAY, hello(report_interval_s=INTERVAL_S))
    row = await services.devices.row(SYSTEM, 1)
    assert (row.link.online, row.link.back_ms, row.presence.code) == (True, None, "ok")
    assert row.link.since_ms == since_ms
    assert (await services.outages.page(SYSTEM, 1)).rows == []
    assert not any(is_unknown for *_, is_unknown in services.cleared), "the last values were never cleared"


@pytest.mark.clause("C-148")
@pytest.mark.parametrize("seconds", [INTERVAL_S + LATE_BACK_MS / 1000 + 1, 10_000_000, -1])
async def test_an_announced_time_beyond_its_interval_is_not_believed(
    services: DomainServices, seconds: float
) -> None:
    await fall_asleep(services, seconds)
    row = await services.devices.row(SYSTEM, 1)
    assert (row.status, row.link.back_ms) == ("offline", None)


@pytest.mark.clause("C-148")
async def test_a_command_for_who_sleeps_ends_at_once_or_waits_for_the_report(
    services: DomainServices,
) -> None:
    back_ms = await fall_asleep(services, 200)
    dsid = (await services.devices.sources(SYSTEM, 1))[0].dsid

    def body(**more: object) -> CommandBody:
        return CommandBody.model_validate({"dsid": dsid, "action": "W", "value": 1, **more})

    ended = (await services.commands.request(USER, body())).id
    status = await services.commands.status(SYSTEM, ended)
    assert (status.status, status.code) == ("networkError", "asleep")
    kept = (await services.commands.request(USER, body(wait=True, expires_s=300))).id
    await services.commands.send_waiting()
    assert services.sent == []
    services.clock.now = back_ms
    await services.presence.hello(GATEWAY, hello(report_interval_s=INTERVAL_S))
    await services.commands.send_waiting()
    assert [sent.id for _, sent in services.sent] == [kept]


@pytest.mark.clause("C-146")
async def test_a_value_waits_for_its_report_before_it_is_stale(services: DomainServices) -> None:
    await fall_asleep(services)
    dsid = (await services.devices.sources(SYSTEM, 1))[0].dsid
    fresh = (await services.devices.freshness(SYSTEM, [dsid]))[dsid]
    assert (fresh.online, fresh.report_ms) == (True, INTERVAL_S * 1000)
    assert await services.devices.report_intervals() == {GATEWAY: INTERVAL_S * 1000}
