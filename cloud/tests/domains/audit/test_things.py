"""What a row is about, by name: as who acted sees it, and as it was called when it was there."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.domains.audit.kinds import OPERATIONS
from cloud.domains.audit.things import refs_of, thing_of

from ..tenants import signed_in
from .test_every_operation import operations, rows


def row(**fields: Any) -> dict[str, Any]:
    return {"ids": {}, "query": {}, "changes": {}, **fields}


def test_every_operation_has_one_kind(app: FastAPI) -> None:
    listed = [name for names in OPERATIONS.values() for name in names]
    changing = {name for _, _, name, changes in operations(app) if changes}
    assert sorted(listed) == sorted(changing | {"exchangeWrite"})


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


def test_outcomes_part_all_rows(client: TestClient) -> None:
    signed_in(client, "platform-x")
    kinds = ("succeeded", "refused", "failed", "unknown")
    counts = [_total(client, outcome=outcome) for outcome in kinds]
    assert sum(counts) == _total(client) > 0


def _total(client: TestClient, **wanted: Any) -> int:
    reply = client.get("/api/v1/audit", headers=signed_in(client, "platform-x"), params=wanted)
    return int(reply.json()["data"]["total"])
