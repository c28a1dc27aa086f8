"""Leases: who gets one, what is on record, what a restart makes of them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cloud.core.scope import Scope
from cloud.domains.devices.port_lock_reader import recorded_port_locks
from cloud.domains.devices.port_locks import PortLock
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.tunnels.schemas import VcomBody
from cloud.domains.tunnels.service import PAGE_IDLE_S, PAGE_LONGEST_S, TunnelService
from cloud.errors import Conflict, NotFound, ParameterError, Unavailable
from cloud.settings import Settings
from cloud.tunnels.switchboard import Switchboard
from edge_contract.tunnel import Close, Line, Target

from ..conftest import GATEWAY, SYSTEM, DomainServices, hello

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tunnels"))

from gateway import Gateway

LI = CurrentUser(1, "li", 0, frozenset({"DeviceManage"}), "a", Scope.system())
WANG = CurrentUser(2, "wang", 0, frozenset({"DeviceManage"}), "b", Scope.system())
HERE = "127.0.0.1"
SETTLES_S = 20.0


@dataclass
class Office:
    services: DomainServices
    gateway: Gateway
    switchboard: Switchboard
    service: TunnelService
    device: int
    now: list[float]


async def staff_now(user_id: int) -> CurrentUser | None:
    return {LI.id: LI, WANG.id: WANG}.get(user_id)


@pytest.fixture
async def office(services: DomainServices, tmp_path: Path) -> AsyncIterator[Office]:
    gateway, now = Gateway(), [0.0]
    switchboard = Switchboard(gateway.send, lambda: not gateway.away, monotonic=lambda: now[0])
    gateway.switchboard = switchboard
    service = TunnelService(
        services.database,
        services.devices,
        switchboard,
        Settings(data_dir=tmp_path),
        user_now=staff_now,
        clock=services.clock,
    )
    await services.presence.hello(GATEWAY, hello())
    device = await services.devices.id_of(GATEWAY)
    assert device is not None
    yield Office(services, gateway, switchboard, service, device, now)
    await service.stop()


@pytest.mark.clause("C-101", "C-105")
async def test_a_lease_is_exclusive_and_its_end_is_on_record(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    body = VcomBody(port="com1", mode="raw", baud=19200, parity="E")
    tunnel = await office.service.open_vcom(LI, office.device, body, HERE)
    assert office.gateway.opened[0].target is Target.PORT
    assert office.gateway.opened[0].line == Line(baud=19200, parity="E")
    assert (office.gateway.opened[0].who, tunnel.host) == ("li", "127.0.0.1")
    assert tunnel.expires_ms == office.services.clock.now + 3_600_000
    with pytest.raises(Conflict, match="busy: held by li"):
        await office.service.open_vcom(WANG, office.device, VcomBody(port="com1"), HERE)
    await office.service.open_vcom(WANG, office.device, VcomBody(port="com2"), HERE)
    assert office.gateway.opened[1].line is None
    reader, writer = await asyncio.open_connection(tunnel.host, tunnel.port)
    writer.write(b"\x01\x02")
    assert await reader.readexactly(2) == b"\xfe\xfd"
    office.services.clock.pass_s(5)
    ended = await office.service.close_vcom(WANG, office.device, tunnel.lease)
    assert (ended.why, ended.detail, ended.user) == ("done", "closed by wang", "li")
    assert (ended.bytes_to_gateway, ended.bytes_from_gateway) == (2, 2)
    assert (ended.ended_ms or 0) - ended.opened_ms == 5000
    assert await reader.read() == b""
    rows = await office.service.tunnels(SYSTEM, office.device)
    assert {(row.port, row.ended_ms is None) for row in rows} == {("com1", False), ("com2", True)}
    assert (
        f"audit: tunnel {tunnel.lease} to gateway {office.device} com1 opened by li from {HERE}"
        in caplog.messages
    )
    assert (
        f"audit: tunnel {tunnel.lease} of li to gateway {office.device} com1 ended: done closed by wang; "
        "2 bytes to the gateway, 2 from it" in caplog.messages
    )
    again = await office.service.open_vcom(WANG, office.device, body, HERE)
    assert again.lease != tunnel.lease
    assert (await office.service.close_vcom(LI, office.device, tunnel.lease)).detail == "closed by wang"
    with pytest.raises(NotFound):
        await office.service.close_vcom(LI, office.device, "0" * 16)


@pytest.mark.parametrize(
    ("close", "error", "words"),
    [
        (
            Close(code="busy", detail="port com1 is lent to a tool"),
            Conflict,
            "busy: port com1 is lent to a tool",
        ),
        (Close(code="no_port", detail="com1: no such port"), ParameterError, "port: com1: no such port"),
        (Close(code="refused", detail="switched off"), Conflict, "refused: switched off"),
        (Close(code="port_down", detail="/dev/ttyS1"), Unavailable, "port_down: /dev/ttyS1"),
    ],
)
async def test_what_the_gateway_refuses(
    office: Office, close: Close, error: type[Exception], words: str
) -> None:
    office.gateway.refuses = close
    with pytest.raises(error, match=words):
        await office.service.open_vcom(LI, office.device, VcomBody(port="com1"), HERE)
    office.gateway.refuses = None
    await office.service.open_vcom(WANG, office.device, VcomBody(port="com1"), HERE)


async def test_an_offline_or_unknown_gateway(office: Office) -> None:
    with pytest.raises(NotFound):
        await office.service.open_vcom(LI, 99, VcomBody(port="com1"), HERE)
    office.services.clock.pass_s(200)
    await office.services.presence.find_silent()
    with pytest.raises(Conflict, match=f"{GATEWAY} is offline"):
        await office.service.open_vcom(LI, office.device, VcomBody(port="com1"), HERE)
    with pytest.raises(Conflict, match="is offline"):
        await office.service.open_page(LI, office.device, HERE)


async def test_a_restart_ends_what_was_open_and_tells_the_gateway(office: Office, tmp_path: Path) -> None:
    tunnel = await office.service.open_vcom(LI, office.device, VcomBody(port="com1"), HERE)
    switchboard = Switchboard(office.gateway.send, lambda: True)
    after = TunnelService(
        office.services.database,
        office.services.devices,
        switchboard,
        Settings(data_dir=tmp_path),
        user_now=staff_now,
    )
    await after.start()
    (row,) = await after.tunnels(SYSTEM, office.device)
    assert (row.lease, row.why, row.ended_ms is None) == (tunnel.lease, "restart", False)
    assert list(switchboard.unreported) == [(GATEWAY, tunnel.lease)]
    await after.check()
    assert not switchboard.unreported
    ended = office.gateway.streams[tunnel.lease].ended
    assert ended is not None
    assert ended.code == "lost"


async def test_a_page_lease_is_one_users_and_ends_by_idleness_and_age(office: Office) -> None:
    opened = await office.service.open_page(LI, office.device, HERE)
    assert opened.url.startswith("http://127.0.0.1:")
    assert office.gateway.opened[0].target is Target.PAGE
    again = await office.service.open_page(LI, office.device, HERE)
    assert (again.lease, again.url == opened.url) == (opened.lease, False)
    with pytest.raises(Conflict, match="busy: held by li"):
        await office.service.open_page(WANG, office.device, HERE)
    state = await office.service.page_state(SYSTEM, office.device)
    assert (state.open, state.user, state.url) == (True, "li", "")
    office.now[0] += PAGE_IDLE_S
    await check_and_settle(office)
    assert not (await office.service.page_state(SYSTEM, office.device)).open
    await office.service.open_page(WANG, office.device, HERE)
    office.services.clock.pass_s(PAGE_LONGEST_S)
    await check_and_settle(office)
    assert not (await office.service.page_state(SYSTEM, office.device)).open
    await office.service.open_page(LI, office.device, HERE)
    assert not (await office.service.close_page(WANG, office.device)).open
    assert not (await office.service.close_page(WANG, office.device)).open
    assert await office.service.tunnels(SYSTEM, office.device) == [], "no leases of ports"


async def check_and_settle(office: Office) -> None:
    await office.service.check()
    async with asyncio.timeout(SETTLES_S):
        while (await office.service.page_state(SYSTEM, office.device)).open:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_who_may_not_sign_in_any_more_loses_his_tunnels(office: Office) -> None:
    gone = CurrentUser(3, "gone", 0, frozenset({"DeviceManage"}), "c", Scope.system())
    tunnel = await office.service.open_vcom(gone, office.device, VcomBody(port="com1"), HERE)
    await office.service.open_vcom(LI, office.device, VcomBody(port="com2"), HERE)
    await office.service.open_page(gone, office.device, HERE)
    await check_and_settle(office)
    async with asyncio.timeout(SETTLES_S):
        while sum(row.ended_ms is None for row in await office.service.tunnels(SYSTEM, office.device)) > 1:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    ended = {row.lease: row for row in await office.service.tunnels(SYSTEM, office.device)}[tunnel.lease]
    assert (ended.why, ended.detail) == ("done", "gone may not sign in any more")


async def test_a_stop_ends_every_lease(office: Office) -> None:
    tunnel = await office.service.open_vcom(LI, office.device, VcomBody(port="com1"), HERE)
    await office.service.open_page(LI, office.device, HERE)
    await office.service.stop()
    (row,) = await office.service.tunnels(SYSTEM, office.device)
    assert (row.lease, row.why) == (tunnel.lease, "stopped")
    assert {close.code for close in office.gateway.closed} >= {"stopped"}


async def test_other_domains_are_told_who_has_a_port(office: Office) -> None:
    begin = office.services.clock.now

    async def book(*asked: Any) -> list[PortLock]:
        async with office.services.database.reading() as session:
            return await recorded_port_locks(session, *asked)

    known = len(office.services.changed)
    tunnel = await office.service.open_vcom(LI, office.device, VcomBody(port="com1"), HERE)
    assert len(office.services.changed) == known + 1  # whoever watches the gateway
    assert await book(SYSTEM, [office.device], 0, None) == [
        PortLock(office.device, "com1", "li", begin, None)
    ]
    assert await book(SYSTEM, [office.device + 1], 0, None) == []
    office.services.clock.pass_s(5)
    await office.service.close_vcom(LI, office.device, tunnel.lease)
    ended = [PortLock(office.device, "com1", "li", begin, begin + 5000)]
    assert await book(SYSTEM, [office.device], 0, None) == []
    assert await book(SYSTEM, [office.device], begin, begin + 1) == ended
    assert await book(SYSTEM, [office.device], begin + 5000, begin + 9000) == []
    await office.service.open_page(LI, office.device, HERE)
    assert await book(SYSTEM, [office.device], 0, None) == []  # a page takes no port


async def test_leases_of_all_gateways_by_page(office: Office) -> None:
    first = await office.service.open_vcom(LI, office.device, VcomBody(port="com1"), HERE)
    office.services.clock.pass_s(1)
    await office.service.open_vcom(WANG, office.device, VcomBody(port="com2"), HERE)
    await office.service.close_vcom(LI, office.device, first.lease)

    async def ports(
        page: int = 1, limit: int = 10, search: str = "", living: bool | None = None
    ) -> list[str]:
        found = await office.service.all_tunnels(SYSTEM, page, limit, search, living)
        return [row.port for row in found.rows]

    assert await ports() == ["com2", "com1"]
    assert await ports(2, 1) == ["com1"]
    assert (await ports(living=True), await ports(living=False)) == (["com2"], ["com1"])
    assert (await ports(search="LI"), await ports(search="nobody")) == (["com1"], [])
    (row, _) = (await office.service.all_tunnels(SYSTEM, 1, 10, "", None)).rows
    assert (row.device_id, row.gateway_id) == (office.device, GATEWAY)
    assert (await office.service.all_tunnels(Scope(9, "/9/"), 1, 10, "", None)).total == 0
