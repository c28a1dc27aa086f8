"""Lists, counts and exports tell a user nothing of a foreign tenant, nor does what is pushed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import WebSocketTestSession

from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.live_endpoints import SOCKET
from cloud.domains.devices.port_lock_reader import recorded_port_locks
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.service import IdentityService
from cloud.domains.tunnels.service import TunnelService
from cloud.realtime.audience import Audience
from cloud.realtime.hub import Hub

from .conftest import World
from .operations import ONE_OF, Operation, operations
from .replies import text_of

AUDIT = {"listAudit", "exportAudit"}
NOTICED_S = 30.0


def lists(world: World) -> Iterator[Operation]:
    """Operations that read and need no id."""
    for operation in operations(world.app.openapi()["paths"]):
        needed = {each["name"] for each in operation.parameters if each.get("required")}
        if operation.verb == "GET" and operation.name not in ONE_OF and not needed & set(operation.ids):
            yield operation


def seen(world: World, asker: str) -> dict[str, Any]:
    """What each list says to a user: its text, and how many there are."""
    found = {}
    for operation in lists(world):
        if "{" in operation.path:
            continue
        reply = world.ask(asker, operation.request({}))
        assert reply.status_code in (200, 400, 403), (operation.name, reply.text)
        data = reply.json().get("data") if "json" in reply.headers["content-type"] else None
        total = data.get("total") if isinstance(data, dict) else None
        found[operation.name] = (text_of(reply), total)
    return found


@pytest.mark.parametrize("asker", ["beta-maker", "beta-plant", "beta-guest"])
def test_lists_hold_no_word_of_a_foreign_tenant(world: World, asker: str) -> None:
    found = seen(world, asker)
    assert len(found) >= 12
    for name, (text, _) in found.items():
        # The audit repeats what beta itself has sent, foreign ids too; rows of alpha would name its users.
        assert ("alpha-" if name in AUDIT else "alpha") not in text.lower(), name
    assert found["listDevices"][1] == 1
    assert "Boiler beta" in found["listDevices"][0]


def test_the_platform_sees_both(world: World) -> None:
    found = seen(world, "admin")
    assert found["listDevices"][1] == 3
    assert found["listCompleteness"][1] == 3
    assert {"alpha", "beta"} <= {name for name in ("alpha", "beta") if name in found["listCommands"][0]}


def test_what_a_foreign_tenant_adds_changes_no_count(world: World) -> None:
    own = {"listAudit", "listSignIns", "listOwnSignIns", "listUsers", "listAllUsers"}  # of beta's own doing
    before = {name: total for name, (_, total) in seen(world, "beta-maker").items()}
    portal: Any = world.client.portal
    services = world.app.state.services
    portal.call(lambda: services[ClaimService].claim("gw-alpha-2", "Second alpha", owner="alpha-plant"))
    body = {"dsid": world.alpha.ids["dsid"], "action": "R"}
    assert world.ask("alpha-plant", {"method": "POST", "url": "/api/v1/device/cmd", "json": body}).is_success
    after = {name: total for name, (_, total) in seen(world, "beta-maker").items()}
    assert {n: t for n, t in before.items() if n not in own} == {
        n: t for n, t in after.items() if n not in own
    }


@pytest.mark.parametrize("words", ["alpha", "gw-alpha", "Boiler%20alpha"])
def test_a_search_finds_nothing_foreign(world: World, words: str) -> None:
    reply = world.ask("beta-maker", {"method": "GET", "url": f"/api/v1/device?search={words}"})
    assert reply.json()["data"] == {"rows": [], "total": 0}


def test_a_user_sees_what_is_above_and_beside_him_not(world: World) -> None:
    """The guest below alpha's maker sees what is shared with him, not all that the maker sees."""
    rows = world.ask("alpha-guest", {"method": "GET", "url": "/api/v1/device"}).json()["data"]["rows"]
    assert [row["gateway_id"] for row in rows] == ["gw-alpha"]


def listen(world: World, socket: WebSocketTestSession, asker: str, **wanted: list[int]) -> None:
    socket.send_json({"type": "identify", "token": world.headers(asker)["X-Token"]})
    assert socket.receive_json()["type"] == "identified"
    socket.send_json({"type": "subscribe", **wanted})
    socket.send_json({"type": "heartbeat"})
    assert socket.receive_json()["type"] == "heartbeat"


def test_nothing_foreign_is_pushed(world: World) -> None:
    portal: Any = world.client.portal
    hub = world.app.state.services[Hub]
    foreign, own = world.alpha.ids, world.beta.ids
    both = {key + "s": [foreign[key], own[key]] for key in ("device_id", "dsid")}
    audience = world.app.state.services[DeviceService].audience
    with world.client.websocket_connect(SOCKET) as socket:
        listen(world, socket, "beta-plant", devices=both["device_ids"], dsids=both["dsids"])

        async def push() -> None:
            for ids in (foreign, own):
                did = ids["device_id"]
                hub.push_values(did, [(ids["dsid"], 1, 7.0, 0)])
                hub.push_device(did, {"status": "online"})
                hub.push_command(did, {"id": "x"})
                hub.push_deployment(did, {"id": "x"})
                hub.push_configuration(did)
                hub.push_to(await audience(did), "Event", {"type": "alarm", "did": did})
                hub.push_to(await audience(did), "auth.Rule", {"type": "rules", "did": did})

        portal.call(push)
        got = [socket.receive_json() for _ in range(6)]
        assert {message["did"] for message in got} == {own["device_id"]}
        expected = ["alarm", "cmd", "configuration", "deploy", "device", "dp"]
        assert sorted(message["type"] for message in got) == expected


def test_what_is_not_shared_any_more_is_not_pushed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloud.realtime.socket.RECHECK_S", 0.05)
    portal: Any = world.client.portal
    hub = world.app.state.services[Hub]
    did, dsid = world.alpha.ids["device_id"], world.alpha.ids["dsid"]
    share = f"/api/v1/device/{did}/share"
    body = {"user_name": "beta-plant", "writes": False}
    made = world.ask("alpha-plant", {"method": "POST", "url": share, "json": body})
    assert made.status_code == 200, made.text
    with world.client.websocket_connect(SOCKET) as socket:
        listen(world, socket, "beta-plant", devices=[did], dsids=[dsid])

        async def watched() -> tuple[set[int], set[int]]:
            (client,) = hub.clients._clients
            return client.devices, client.dsids

        assert portal.call(watched) == ({did}, {dsid})
        url = f"{share}/{made.json()['data']['user_id']}"
        assert world.ask("alpha-plant", {"method": "DELETE", "url": url}).status_code == 200
        deadline = time.monotonic() + NOTICED_S
        while portal.call(watched) != (set(), set()):
            assert time.monotonic() < deadline, portal.call(watched)
            socket.send_json({"type": "heartbeat"})
            socket.receive_json()
        socket.send_json({"type": "subscribe", "devices": [did], "dsids": [dsid]})
        socket.send_json({"type": "heartbeat"})
        socket.receive_json()
        assert portal.call(watched) == (set(), set())


def test_who_borrowed_a_foreign_port_is_not_told(world: World) -> None:
    portal: Any = world.client.portal
    services = world.app.state.services
    database = services[TunnelService]._database
    gateways = [world.alpha.ids["device_id"], world.beta.ids["device_id"]]

    async def lent_by(token: str) -> list[str]:
        user = await services[IdentityService].current(token)
        async with database.reading() as session:
            locks = await recorded_port_locks(session, user.scope, gateways, 0, 2**53)
        return sorted(lock.user for lock in locks)

    seen = {name: portal.call(lent_by, world.headers(name)["X-Token"]) for name in ("beta-plant", "admin")}
    assert seen == {"beta-plant": ["beta-plant"], "admin": ["alpha-plant", "beta-plant"]}


def test_audience_says_what_the_database_says(world: World) -> None:
    from cloud.core.scope import Scope

    audience = Audience("/1/7/", frozenset({9}))
    cases = {
        Scope(1, "/1/"): True, Scope(7, "/1/7/"): True, Scope(8, "/1/7/8/"): False, Scope(9, "/2/9/"): True,
        Scope(2, "/2/"): False, Scope(10, "/10/"): False, Scope.system(): True, Scope(3, ""): False,
    }  # fmt: skip
    assert {scope: audience.includes(scope) for scope in cases} == cases
