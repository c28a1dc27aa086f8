"""Personal users (types 4 and 6): what a gateway of their own, or one that they visit, lets them do."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from typing import Any

import pytest

from cloud.domains.configuration.models import Deployment
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.access import same_site
from cloud.domains.identity.service import IdentityService

from ..application import PASSWORD
from ..test_app import routes_of
from .conftest import World
from .operations import ONE_OF, body_of, operations

OF_THE_GATEWAY = {"device_id", "dsid", "dsids", "entry_id", "id", "event_id", "deployment_id"}
NOT_OF_TYPE_4 = {
    "createDevice", "changeDevices", "deleteDevice", "renewSecret", "uploadImport", "exportAlarms",
}  # fmt: skip
"""What stays with types 0 to 3, of the operations below."""
ENDS_OR_SHARES = {"listShares", "putShare", "deleteShare", "leaveDevice", "changeOwner"}


@pytest.fixture(scope="module")
def people(world: World) -> dict[str, int]:
    """A personal user and a registered one under the platform, and one of an enterprise."""
    made = {}
    for name, user_type, above in (("zoe", 4, ""), ("yan", 6, ""), ("xu", 4, "beta-plant")):
        add: Any = world.app.state.services[IdentityService].add_user
        made[name] = world.client.portal.call(add, name, PASSWORD, user_type, above)  # type: ignore[union-attr]
    return made


def ask(world: World, who: str, verb: str, url: str, body: Any = None) -> Any:
    request: dict[str, Any] = {"method": verb, "url": f"/api/v1{url}"}
    return world.ask(who, request if body is None else {**request, "json": body})


def nobodys(world: World) -> int:
    """The gateway of the platform that nobody has."""
    rows = ask(world, "admin", "GET", "/device?search=gw-alpha-platform").json()["data"]["rows"]
    return int(rows[0]["id"])


@pytest.fixture(params=["zoe", "yan"])
def owner(world: World, people: dict[str, int], request: pytest.FixtureRequest) -> Iterator[tuple[str, int]]:
    """Has the platform's gateway by its code."""
    number = nobodys(world)
    code = ask(world, "admin", "GET", f"/device/{number}/bindcode").json()["data"]["bind_code"]
    bound = ask(world, request.param, "POST", "/device/bind", {"code": code})
    assert bound.json()["data"]["role"] == "owner", bound.text
    yield request.param, number
    ask(world, "admin", "PUT", f"/device/{number}/owner", {"user_id": None})


def test_an_owner_by_scan_configures_shares_and_leaves(world: World, owner: tuple[str, int]) -> None:
    who, number = owner
    url = f"/device/{number}"
    rows = ask(world, who, "GET", "/device").json()["data"]["rows"]
    assert [(row["id"], row["role"], row["writes"]) for row in rows] == [(number, "owner", True)]
    assert ask(world, who, "PUT", url, {"device_title": "Heat pump"}).status_code == 200
    base = ask(world, who, "GET", f"{url}/configuration").json()["data"]["newest"]
    port = {"name": f"lan-{who}", "type": "NET", "ip": "127.0.0.1", "base": base}
    saved = ask(world, who, "POST", f"{url}/port", port)
    assert saved.status_code == 200, saved.text
    base = saved.json()["data"]["base"]
    slave = {
        "name": f"plc-{who}",
        "port": f"lan-{who}",
        "protocol": "modbus_tcp",
        "address": "1",
        "base": base,
    }
    assert ask(world, who, "POST", f"{url}/slavedevice", slave).status_code == 200
    deployed = ask(world, who, "GET", f"{url.replace('/device/', '/device/deploy/')}")
    assert deployed.status_code != 403, deployed.text  # it waits, or says that the gateway is away
    shared = ask(world, who, "POST", f"{url}/share", {"user_name": "xu", "role": "visitor", "writes": True})
    assert shared.status_code == 200, shared.text
    rows = ask(world, "xu", "GET", "/device").json()["data"]["rows"]
    assert [(row["id"], row["role"], row["writes"]) for row in rows] == [(number, "visitor", True)]
    assert ask(world, "xu", "PUT", url, {"device_title": "Heat pump 2"}).status_code == 200
    assert ask(world, "xu", "POST", f"{url}/share", {"user_name": "beta-plant"}).status_code == 403
    assert ask(world, who, "DELETE", url).status_code == 403, "the platform takes gateways out of use"
    assert ask(world, who, "POST", f"{url}/leave").status_code == 200
    assert ask(world, who, "GET", url).status_code == 404
    assert ask(world, "xu", "GET", url).status_code == 404, "shares end with the owner's leaving"
    access = ask(world, "admin", "GET", url).json()["data"]
    assert (access["access"]["owner"], access["binder_devtitle"]) == (None, "")
    code = ask(world, "admin", "GET", f"{url}/bindcode").json()["data"]
    assert code["role"] == "owner", "whoever scans it next owns it"


def waiting(world: World, user_id: int, number: int) -> str:
    """The id of a deployment that goes out as soon as its gateway comes. What it deploys does not matter."""
    now = int(time.time() * 1000)
    row = Deployment(
        id=secrets.token_hex(8), device_id=number, hash="h", state="created", wait=True, confirm_s=60,
        healthy_share=0.9, user_id=user_id, user_name="x", created_ms=now, expires_ms=now + 3_600_000,
    )  # fmt: skip

    async def add() -> None:
        async with world.app.state.services[DeviceService]._database.session() as session:
            session.add(row)
            await session.commit()

    name = row.id
    world.client.portal.call(add)  # type: ignore[union-attr]
    return name


def states(world: World, number: int) -> dict[str, str]:
    rows = ask(world, "admin", "GET", f"/device/{number}/deployments").json()["data"]["rows"]
    return {row["id"]: row["state"] for row in rows}


def test_what_waits_ends_with_the_right_to_write(
    world: World, owner: tuple[str, int], people: dict[str, int]
) -> None:
    who, number = owner
    share = {"user_name": "xu", "role": "visitor", "writes": True}
    assert ask(world, who, "POST", f"/device/{number}/share", share).status_code == 200
    mine, his = waiting(world, people[who], number), waiting(world, people["xu"], number)
    assert (states(world, number)[mine], states(world, number)[his]) == ("created", "created")
    assert ask(world, who, "POST", f"/device/{number}/share", {**share, "writes": False}).status_code == 200
    assert (states(world, number)[mine], states(world, number)[his]) == ("created", "cancelled")
    assert ask(world, who, "POST", f"/device/{number}/leave").status_code == 200
    assert states(world, number)[mine] == "cancelled"


def test_what_an_owner_told_of_himself_is_not_for_the_next(world: World, owner: tuple[str, int]) -> None:
    who, number = owner
    url = f"/device/{number}"
    told = {"remark": "key under the mat", "device_address": "Home 1", "device_floorroom": "flat 7"}
    told |= {"longitude": 121.5, "latitude": 31.2}
    assert ask(world, who, "PUT", url, told).status_code == 200
    base = ask(world, who, "GET", f"{url}/configuration").json()["data"]["newest"]
    port = {"name": f"draft-{who}", "type": "NET", "ip": "192.168.7.7", "base": base}
    assert ask(world, who, "POST", f"{url}/port", port).status_code == 200
    assert ask(world, who, "PUT", f"{url}/accesspassword", {"password": "correct7horse"}).status_code == 200
    ask(world, who, "POST", f"{url}/leave")
    left = ask(world, "admin", "GET", url).json()["data"]
    assert {field: left[field] for field in told} == dict.fromkeys(told, "") | {
        "longitude": None, "latitude": None,
    }  # fmt: skip
    assert ask(world, "admin", "GET", f"{url}/accesspassword").json()["data"]["is_set"] is False
    assert ask(world, "admin", "GET", f"{url}/preset").json()["data"]["rows"] == []
    assert ask(world, "admin", "GET", f"{url}/configuration").json()["data"]["draft"] is None


def test_what_a_tenants_user_leaves_goes_to_who_is_above_him(world: World, people: dict[str, int]) -> None:
    number = nobodys(world)
    try:
        assert (
            ask(world, "admin", "PUT", f"/device/{number}/owner", {"user_id": people["xu"]}).status_code
            == 200
        )
        refused = ask(world, "beta-plant", "POST", f"/device/{number}/leave")
        assert refused.json()["data"]["reason"] == "device.not_owner", "he only sees it"
        assert ask(world, "xu", "POST", f"/device/{number}/leave").status_code == 200
        owner = ask(world, "beta-plant", "GET", f"/device/{number}").json()["data"]["access"]["owner"]
        assert owner["user_name"] == "beta-plant"
    finally:
        ask(world, "admin", "PUT", f"/device/{number}/owner", {"user_id": None})


@pytest.fixture
def visit(world: World, people: dict[str, int]) -> Iterator[Any]:
    """Shares alpha's gateway with zoe."""
    url = f"/device/{world.alpha.ids['device_id']}/share"

    def share(writes: bool) -> None:
        body = {"user_name": "zoe", "role": "visitor", "writes": writes}
        assert ask(world, "alpha-plant", "POST", url, body).status_code == 200

    yield share
    ask(world, "alpha-plant", "DELETE", f"{url}/{people['zoe']}")


def test_a_visitor_commands_with_read_and_write_only(world: World, visit: Any) -> None:
    ids = world.alpha.ids
    command = {"dsid": ids["dsid"], "action": "R"}
    preset = {"title": "Night", "writes": [{"dsid": ids["dsid"], "value": 1}]}
    for writes in (False, True):
        visit(writes)
        sent = ask(world, "zoe", "POST", "/device/cmd", command)
        kept = ask(world, "zoe", "POST", f"/device/{ids['device_id']}/preset", preset)
        if writes:
            assert sent.status_code == 200 and kept.status_code == 200, (sent.text, kept.text)
        else:
            reasons = [reply.json()["data"]["reason"] for reply in (sent, kept)]
            assert reasons == ["device.shared_read_only"] * 2
    assert ask(world, "zoe", "POST", f"/device/{ids['device_id']}/leave").status_code == 200
    assert ask(world, "zoe", "GET", f"/device/{ids['device_id']}").status_code == 404


def test_a_personal_read_only_visitor_changes_nothing(world: World, visit: Any) -> None:
    """Generated: every operation on the gateway or on something of it."""
    visit(False)
    paths = {
        (path.replace(":int", ""), verb): route
        for path, route in routes_of(world.app)
        for verb in route.methods
    }
    permission, reasons = set(), []
    for operation in operations(world.app.openapi()["paths"]):
        if operation.name in ENDS_OR_SHARES or not OF_THE_GATEWAY & set(operation.ids):
            continue
        route = paths[operation.path, operation.verb]
        changes = any(each.call is same_site for each in route.dependant.dependencies)
        if operation.verb == "GET" and not changes:
            continue
        if operation.name in ("gatewayPage", "why"):
            continue
        others = set(ONE_OF.get(operation.name, ("",))[1:])
        ids = {name: value for name, value in world.alpha.ids.items() if name not in others}
        reply = world.ask("zoe", operation.request(ids, body_of(operation.name, world.alpha)))
        if operation.name in ("upgradeDevice", "discardDraft"):
            assert reply.status_code in (403, 404), (operation.name, reply.text)
            continue
        assert (reply.status_code, reply.json()["code"]) == (403, 10001), (operation.name, reply.text)
        reason = reply.json()["data"].get("reason")
        permission |= {operation.name} if reason is None else set()
        reasons.append(reason)
    assert reasons.count("device.shared_read_only") >= 18
    assert permission <= NOT_OF_TYPE_4, permission - NOT_OF_TYPE_4
