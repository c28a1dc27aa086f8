"""What a row is about, by name: as who acted sees it, and as it was called when it was there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.domains.audit.kinds import OPERATIONS
from cloud.domains.audit.things import refs_of, thing_of
from cloud.domains.devices.claims import ClaimService

from ..tenants import signed_in
from .test_every_operation import operations, rows


def row(**fields: Any) -> dict[str, Any]:
    return {"ids": {}, "query": {}, "changes": {}, **fields}


def test_every_operation_has_one_kind(app: FastAPI) -> None:
    listed = [name for names in OPERATIONS.values() for name in names]
    changing = {name for _, _, name, changes in operations(app) if changes}
    assert sorted(listed) == sorted(changing | {"exchangeWrite", "triggerWrite", "taskWrite"})


def test_numbers_that_a_row_names() -> None:
    changes = {"before": {"project_id": 3}, "after": {"project_id": 4}, "ids": [7, 8], "user_id": True}
    found = refs_of(row(ids={"device_id": "5", "port_name": "com1"}, changes=changes))
    assert found == {"device": {5, 7, 8}, "project": {3, 4}}
    assert refs_of(row(ids={"device_id": "99999999999"}, query={"user_id": "***"})) == {}


@pytest.mark.parametrize(
    ("told", "thing"),
    [
        (row(ids={"device_id": "5", "slave_name": "boiler"}), "Pump / boiler"),
        (row(ids={"device_id": "5", "script_name": "mean"}), "Pump / mean"),
        (row(changes={"before": {}, "after": {"title": "Mill"}}), "Mill"),
        (row(changes={"before": {"user_name": "li"}, "after": {}}), "li"),
        (row(changes={"before": {"title": "Mill"}, "after": {"title": "Mill 2"}}), "Mill 2"),
        (row(changes={"title": "a\ud800\0"}), "a?"),
        (row(changes={"device_ids": [5]}), "Pump"),
        (
            row(changes={"after": {"gateway_id": "g", "action": "W", "device_title": "Pump", "slave": "s"}}),
            "Pump / s",
        ),
    ],
)
def test_in_a_line(told: dict[str, Any], thing: str) -> None:
    assert thing_of(told, {"device": {"5": "Pump"}}) == thing


def newest(client: TestClient, operation: str, **wanted: Any) -> dict[str, Any]:
    return next(row for row in rows(client, operation=operation, **wanted))


def test_a_deleted_thing_keeps_the_name_that_it_had(client: TestClient) -> None:
    mine = signed_in(client, "factory-x")
    made = client.post(
        "/api/v1/project", json={"kind": "group", "title": "泵站", "parent_id": None}, headers=mine
    )
    number = made.json()["data"]["id"]
    client.put(f"/api/v1/project/{number}", json={"title": "泵站 2"}, headers=mine)
    client.delete(f"/api/v1/project/{number}", headers=mine)
    assert newest(client, "addProject")["thing"] == "泵站"
    changed = newest(client, "changeProject")
    assert (changed["thing"], changed["changes"]["before"]) == ("泵站 2", {"title": "泵站"})
    assert newest(client, "deleteProject")["thing"] == "泵站 2"
    assert newest(client, "Project", thing="泵站 2", kind="project")["operation"] == "deleteProject"
    assert rows(client, operation="deleteProject", thing="nowhere") == []
    assert rows(client, operation="deleteProject", kind="user") == []


def test_a_refused_call_learns_no_foreign_name(client: TestClient) -> None:
    other = signed_in(client, "factory-y")
    assert client.put("/api/v1/device/1", json={"device_title": "Mine"}, headers=other).status_code == 404
    refused = newest(client, "changeDevice", outcome="refused")
    assert (refused["user_name"], refused["things"]) == ("factory-y", {})
    assert "Gateway 1" not in str(refused)
    own = client.put("/api/v1/device/1", json={"remark": "x"}, headers=signed_in(client, "platform-x"))
    assert own.status_code == 200
    done = newest(client, "changeDevice", outcome="succeeded")
    assert (done["thing"], done["things"]) == ("Gateway 1", {"device": {"1": "Gateway 1"}})


@pytest.fixture
def pump(client: TestClient) -> Iterator[int]:
    """A gateway of factory x that no other test has."""
    mine = signed_in(client, "factory-x")
    claims: Any = client.app.state.services[ClaimService]  # type: ignore[attr-defined]
    client.portal.call(lambda: claims.claim("gw-pump", "Pump 4", owner="factory-x"))  # type: ignore[union-attr]
    found = client.get("/api/v1/device?limit=100", headers=mine).json()["data"]["rows"]
    number = next(row["id"] for row in found if row["gateway_id"] == "gw-pump")
    yield number
    gone = client.delete(f"/api/v1/device/{number}", headers=signed_in(client, "platform-x"))
    assert gone.status_code == 200


def bound(client: TestClient, number: int, name: str, code: str = "") -> Any:
    made = client.get(f"/api/v1/device/{number}/bindcode", headers=signed_in(client, "factory-x"))
    body = {"code": code or made.json()["data"]["bind_code"]}
    return client.post("/api/v1/device/bind", json=body, headers=signed_in(client, name))


def test_what_one_leaves_is_named(client: TestClient, pump: int) -> None:
    other = signed_in(client, "factory-y")
    assert bound(client, pump, "factory-y").status_code == 200
    assert client.post(f"/api/v1/device/{pump}/leave", headers=other).status_code == 200
    left = newest(client, "leaveDevice")
    assert (left["thing"], left["things"]) == ("Pump 4", {"device": {str(pump): "Pump 4"}})
    # who has left it, or never saw it, learns nothing more
    assert client.post(f"/api/v1/device/{pump}/leave", headers=other).status_code == 404
    refused = newest(client, "leaveDevice")
    assert (refused["thing"], refused["things"]) == ("", {})


def test_a_binding_names_the_gateway_when_it_succeeds(client: TestClient, pump: int) -> None:
    assert bound(client, pump, "factory-y").status_code == 200
    done = newest(client, "bindDevice")
    assert (done["thing"], done["ids"]) == (
        "Pump 4 / gw-pump",
        {"device_id": str(pump), "gateway_id": "gw-pump"},
    )
    assert bound(client, pump, "factory-y", "x" * 24).status_code == 404
    wrong = newest(client, "bindDevice")
    assert (wrong["thing"], wrong["ids"], wrong["things"]) == ("", {}, {})


def test_shares_name_the_user(client: TestClient, pump: int) -> None:
    mine, url = signed_in(client, "factory-x"), f"/api/v1/device/{pump}/share"
    signed_in(client, "factory-y")
    made = client.post(url, json={"user_name": "factory-y"}, headers=mine)
    number = made.json()["data"]["user_id"]
    shared = newest(client, "putShare")
    assert (shared["thing"], shared["changes"]["user_name"]) == ("Pump 4", "factory-y")
    assert client.delete(f"{url}/{number}", headers=mine).status_code == 200
    ended = newest(client, "deleteShare")
    assert (ended["thing"], ended["things"]["user"]) == ("Pump 4", {str(number): "factory-y"})
    assert client.delete(f"{url}/{number}", headers=mine).status_code == 404
    assert "user" not in newest(client, "deleteShare")["things"]


def test_names_do_not_pass_from_a_success_to_a_refusal_written_with_it(client: TestClient, pump: int) -> None:
    mine, other = signed_in(client, "factory-x"), signed_in(client, "factory-y")
    url = f"/api/v1/device/{pump}"
    assert client.put(url, json={"remark": "x"}, headers=mine).status_code == 200
    assert client.put(url, json={"remark": "y"}, headers=other).status_code == 404
    refused = newest(client, "changeDevice", outcome="refused")
    assert (refused["user_name"], refused["thing"], refused["things"]) == ("factory-y", "", {})


def test_outcomes_part_all_rows(client: TestClient) -> None:
    signed_in(client, "platform-x")
    kinds = ("succeeded", "refused", "failed", "unknown")
    counts = [_total(client, outcome=outcome) for outcome in kinds]
    assert sum(counts) == _total(client) > 0


def _total(client: TestClient, **wanted: Any) -> int:
    reply = client.get("/api/v1/audit", headers=signed_in(client, "platform-x"), params=wanted)
    return int(reply.json()["data"]["total"])
