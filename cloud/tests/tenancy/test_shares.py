"""Owner and shares: who gives, who takes, and what read only means for every operation."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.domains.identity.access import same_site

from ..test_app import routes_of
from .conftest import World
from .operations import ONE_OF, body_of, operations

READS_ALL_THE_SAME = {"gatewayPage", "why"}
"""gatewayPage only tells whether a way is open unless it is asked to open one."""

OF_THE_GATEWAY = {"device_id", "dsid", "dsids", "entry_id", "id", "event_id", "deployment_id"}
"""Parameters that name it or something of it."""

NOT_OF_THE_GATEWAY = {"listShares", "putShare", "deleteShare", "leaveDevice", "changeOwner"}
"""Tested one by one below."""

NOT_FOR_ENTERPRISES = {"listParameterGateways"}
"""Its permission is for those whose gateways they are, and for no enterprise like the visitor."""


def share(world: World, asker: str, user_name: str, **words: Any) -> Any:
    url = f"/api/v1/device/{world.alpha.ids['device_id']}/share"
    return world.ask(asker, {"method": "POST", "url": url, "json": {"user_name": user_name, **words}})


def end(world: World, asker: str, user_id: int) -> Any:
    url = f"/api/v1/device/{world.alpha.ids['device_id']}/share/{user_id}"
    return world.ask(asker, {"method": "DELETE", "url": url})


def detail(world: World, asker: str) -> Any:
    return world.ask(asker, {"method": "GET", "url": f"/api/v1/device/{world.alpha.ids['device_id']}"})


def give(world: World, asker: str, user_id: int | None) -> Any:
    url = f"/api/v1/device/{world.alpha.ids['device_id']}/owner"
    return world.ask(asker, {"method": "PUT", "url": url, "json": {"user_id": user_id}})


@pytest.fixture
def visitor(world: World) -> Any:
    """Beta's plant may visit alpha's gateway."""
    made = share(world, "alpha-plant", "beta-plant").json()["data"]
    yield made
    end(world, "alpha-plant", made["user_id"])


def test_read_only_reads_and_changes_nothing(world: World, visitor: Any) -> None:
    """Generated: every operation on the gateway or on something of it."""
    paths = {
        (path.replace(":int", ""), verb): route
        for path, route in routes_of(world.app)
        for verb in route.methods
    }
    changed = read = 0
    for operation in operations(world.app.openapi()["paths"]):
        if operation.name in NOT_OF_THE_GATEWAY | NOT_FOR_ENTERPRISES or (
            not OF_THE_GATEWAY & set(operation.ids) and operation.name != "sendCommand"
        ):
            continue
        route = paths[operation.path, operation.verb]
        changing = operation.verb != "GET" or any(
            each.call is same_site for each in route.dependant.dependencies
        )
        one = ONE_OF.get(operation.name, ("",))[0]
        others = set(ONE_OF.get(operation.name, ())) - {one}
        ids = {name: value for name, value in world.alpha.ids.items() if name not in others}
        body = body_of(operation.name, world.alpha)
        reply = world.ask("beta-plant", operation.request(ids, body))
        where = (operation.name, reply.text)
        if operation.name in READS_ALL_THE_SAME or not changing:
            assert reply.status_code in (200, 404), where
            read += reply.status_code == 200
        elif operation.name in ("upgradeDevice", "discardDraft", "renewTrace", "stopTrace"):
            assert reply.status_code in (403, 404), where
        else:
            assert (reply.status_code, reply.json()["code"]) == (403, 10001), where
            assert reply.json()["data"]["reason"] == "device.shared_read_only", where
            changed += 1
    assert changed >= 18 and read >= 14
    way = operations(world.app.openapi()["paths"])
    page = next(each for each in way if each.name == "gatewayPage").request(world.alpha.ids)
    for mode in ("open", "close"):
        assert world.ask("beta-plant", {**page, "params": {"mode": mode}}).status_code == 403


def test_a_batch_that_touches_a_read_only_gateway_is_refused_whole(world: World, visitor: Any) -> None:
    both = [{"dsid": tenant.ids["dsid"], "value": 1} for tenant in (world.beta, world.alpha)]
    ask = {"method": "POST", "url": "/api/v1/device/cmd", "json": {"batch": both}}
    before = world.ask("beta-plant", {"method": "GET", "url": "/api/v1/device/cmd"}).json()["data"]["total"]
    assert world.ask("beta-plant", ask).status_code == 403
    after = world.ask("beta-plant", {"method": "GET", "url": "/api/v1/device/cmd"}).json()["data"]["total"]
    assert before == after


def test_secrets_of_a_configuration_are_the_owners(world: World, visitor: Any) -> None:
    ids = world.alpha.ids
    ask = {"method": "GET", "url": f"/api/v1/device/{ids['device_id']}/configuration/{ids['hash']}"}
    assert world.ask("beta-plant", ask).json()["data"]["masked"] is True
    assert world.ask("alpha-plant", ask).json()["data"]["masked"] is False
    assert share(world, "alpha-plant", "beta-plant", writes=True).is_success
    assert world.ask("beta-plant", ask).json()["data"]["masked"] is True, "who may write reads none either"
    assert world.ask("alpha-maker", ask).json()["data"]["masked"] is False


def test_the_detail_tells_owner_and_rights(world: World, visitor: Any) -> None:
    owner = {"user_id": world.alpha.ids["user_id"], "user_name": "alpha-plant", "nick_name": ""}
    for asker, role, writes in (
        ("alpha-plant", "owner", True),
        ("alpha-maker", "owner", True),
        ("admin", "owner", True),
        ("beta-plant", "visitor", False),
    ):
        found = detail(world, asker).json()["data"]["access"]
        assert found == {"owner": owner, "role": role, "writes": writes}, asker
    assert detail(world, "beta-maker").status_code == 404, "a share is its user's alone"


def test_read_and_write_lets_change_but_not_decide(world: World, visitor: Any) -> None:
    assert share(world, "alpha-maker", "beta-plant", writes=True).json()["data"]["writes"] is True
    url = f"/api/v1/device/{world.alpha.ids['device_id']}"
    body = {"device_title": "Boiler alpha"}
    assert world.ask("beta-plant", {"method": "PUT", "url": url, "json": body}).status_code == 200
    for refused in (
        share(world, "beta-plant", "beta-guest"),
        give(world, "beta-plant", world.beta.ids["user_id"]),
        end(world, "beta-plant", world.alpha.ids["guest_id"]),
    ):
        assert (refused.status_code, refused.json()["code"]) == (403, 10001), refused.text
    rows = world.ask("beta-plant", {"method": "GET", "url": f"{url}/share"}).json()["data"]["rows"]
    assert [row["user_name"] for row in rows] == ["beta-plant"], "a visitor sees no other visitors"
    assert end(world, "beta-plant", visitor["user_id"]).status_code == 200, "he may leave"
    assert detail(world, "beta-plant").status_code == 404


def test_an_owner_by_share_invites_visitors_only(world: World, visitor: Any) -> None:
    assert share(world, "alpha-plant", "beta-plant", role="owner", writes=True).is_success
    invited = share(world, "beta-plant", "beta-maker", writes=True)
    assert invited.status_code == 200
    assert detail(world, "beta-maker").json()["data"]["access"]["role"] == "visitor"
    assert share(world, "beta-plant", "beta-maker", role="owner").status_code == 403
    assert give(world, "beta-plant", world.beta.ids["user_id"]).status_code == 403, "it is not his"
    assert end(world, "beta-plant", invited.json()["data"]["user_id"]).status_code == 200
    assert share(world, "alpha-plant", "beta-maker").status_code == 200
    assert share(world, "alpha-plant", "beta-plant", role="owner", writes=False).is_success
    assert share(world, "beta-plant", "beta-guest").status_code == 403, "read only"
    maker = invited.json()["data"]["user_id"]
    assert end(world, "beta-maker", visitor["user_id"]).status_code == 403, "no visit, but an owner"
    assert end(world, "beta-plant", maker).status_code == 403
    assert end(world, "alpha-plant", maker).status_code == 200


def test_makers_of_devices_unbind_visitors(world: World, visitor: Any) -> None:
    """A maker who only visits may still end the visits of others."""
    assert share(world, "alpha-plant", "beta-maker").is_success
    rows = world.ask(
        "beta-maker", {"method": "GET", "url": f"/api/v1/device/{world.alpha.ids['device_id']}/share"}
    ).json()["data"]["rows"]
    assert {"beta-plant", "beta-maker", "alpha-guest"} == {row["user_name"] for row in rows}
    assert end(world, "beta-maker", visitor["user_id"]).status_code == 200
    assert end(
        world, "beta-maker", next(r["user_id"] for r in rows if r["user_name"] == "beta-maker")
    ).is_success


@pytest.mark.parametrize("name", ["nobody-there", "alpha-maker", "admin", "alpha-plant"])
def test_who_cannot_be_shared_with(world: World, name: str) -> None:
    """Who stands above has it anyway; whether there is such a one is told as little as of an unknown name."""
    reply = share(world, "alpha-plant", name)
    assert reply.status_code == (409 if name == "alpha-plant" else 404), reply.text
    assert name == "alpha-plant" or reply.json()["msg"] == "user not found"


def test_real_names_of_others_are_not_told(world: World) -> None:
    nick = {"method": "PUT", "url": "/api/v1/auth/user/me", "json": {"nick_name": "B. Plant"}}
    assert world.ask("beta-plant", nick).is_success
    try:
        made = share(world, "alpha-plant", "Beta-PLANT").json()["data"]
        url = f"/api/v1/device/{world.alpha.ids['device_id']}/share"
        seen = {
            asker: next(
                row["nick_name"]
                for row in world.ask(asker, {"method": "GET", "url": url}).json()["data"]["rows"]
                if row["user_name"] == "beta-plant"
            )
            for asker in ("alpha-plant", "beta-plant", "admin")
        }
        assert (made["user_name"], made["nick_name"]) == ("beta-plant", "")
        assert seen == {"alpha-plant": "", "beta-plant": "B. Plant", "admin": "B. Plant"}
        end(world, "alpha-plant", made["user_id"])
    finally:
        world.ask("beta-plant", {**nick, "json": {"nick_name": ""}})


def test_a_gateway_is_given_to_whom_the_giver_sees(world: World, visitor: Any) -> None:
    foreign = give(world, "alpha-maker", world.beta.ids["user_id"])
    missing = give(world, "alpha-maker", 999_999)
    assert (foreign.status_code, missing.status_code) == (404, 404)
    assert foreign.json()["msg"] == missing.json()["msg"]
    assert give(world, "alpha-maker", None).status_code == 403, "only the platform takes it back"
    try:
        moved = give(world, "admin", world.beta.ids["user_id"])
        assert moved.json()["data"]["owner"]["user_name"] == "beta-plant"
        assert detail(world, "alpha-plant").status_code == 404
        assert detail(world, "alpha-guest").status_code == 404, "shares end with the change"
        assert detail(world, "beta-maker").json()["data"]["access"]["role"] == "owner"
    finally:
        assert give(world, "admin", world.alpha.ids["user_id"]).status_code == 200
