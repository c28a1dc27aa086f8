"""Commands over HTTP: input, permissions, calls from elsewhere, and the schema that they are kept in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from alembic import command as alembic
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, text

from cloud import migrations
from cloud.domains.identity import passwords

from ..application import token

ACTIONS = ("refresh", "forward", "reload", "reboot", "reallocation", "csq", "upgrade", "projreboot")


@pytest.fixture(scope="module")
def headers(client: TestClient) -> dict[str, str]:
    return {"X-Token": token(client)}


@pytest.mark.parametrize("action", ACTIONS[:6])
def test_an_action_for_a_gateway_that_never_came(
    client: TestClient, headers: dict[str, str], action: str
) -> None:
    data = client.get(f"/api/v1/device/{action}/1", headers=headers).json()["data"]
    reply = client.get(f"/api/v1/device/cmdStatus?id={data['id']}", headers=headers)
    status = reply.json()["data"]
    assert (status["status"], status["code"], status["dsid"], status["user"], status["address"]) == (
        "networkError",
        "offline",
        None,
        "admin",
        "testclient",
    )
    assert reply.headers["Cache-Control"] == "no-store"
    log = client.get("/api/v1/device/cmd?device_id=1&status=networkError&limit=100", headers=headers)
    assert status["id"] in [row["id"] for row in log.json()["data"]["rows"]]


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("header", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Purpose": "prefetch"}])
def test_an_action_from_another_site_or_a_prefetch_is_refused(
    client: TestClient, headers: dict[str, str], action: str, header: dict[str, str]
) -> None:
    reply = client.get(f"/api/v1/device/{action}/1", headers={**headers, **header})
    assert (reply.status_code, reply.json()["code"]) == (403, 10001)


@pytest.mark.parametrize("action", ACTIONS[:7])
def test_a_viewer_may_ask_for_no_action(client: TestClient, action: str) -> None:
    reply = client.get(f"/api/v1/device/{action}/1", headers={"X-Token": token(client, "viewer")})
    assert (reply.status_code, reply.json()["code"]) == (403, 10001)


@pytest.mark.parametrize("action", ["projdeploy", "projreboot"])
def test_a_viewer_of_a_gateway_finds_no_project_to_act_on(
    client: TestClient, headers: dict[str, str], action: str
) -> None:
    """Also not the one that his gateway is in: a share of a gateway shows no project."""
    made = client.post("/api/v1/project", headers=headers, json={"kind": "project", "title": "Line 1"})
    project = made.json()["data"]["id"]
    body = {"device_ids": [1], "project_id": project}
    viewer = {"X-Token": token(client, "viewer")}
    try:
        assert client.post("/api/v1/project/assign", headers=headers, json=body).is_success
        reply = client.get(f"/api/v1/device/{action}/{project}", headers=viewer)
        missing = client.get(f"/api/v1/device/{action}/999999", headers=viewer)
        assert (reply.status_code, reply.json()["code"]) == (404, 20000)
        assert reply.json()["msg"] == missing.json()["msg"] == "project not found"
        assert client.get("/api/v1/job", headers=viewer).json()["data"]["total"] == 0
    finally:
        client.post("/api/v1/project/assign", headers=headers, json={**body, "project_id": None})
        client.delete(f"/api/v1/project/{project}", headers=headers)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("refresh/99", "device not found"),
        ("projreboot/1", "project not found"),
        ("cmdStatus?batch_id=no-such-batch", "batch not found"),
        ("99/preset", "device not found"),
        ("99/accesspassword", "device not found"),
    ],
)
def test_what_is_not_there(client: TestClient, headers: dict[str, str], path: str, words: str) -> None:
    reply = client.get(f"/api/v1/device/{path}", headers=headers)
    assert (reply.status_code, reply.json()["msg"]) == (404, words)


@pytest.mark.parametrize(
    ("verb", "path", "body", "field"),
    [
        ("GET", "cmdStatus", None, "id"),
        ("GET", "cmdStatus?id=12345678&batch_id=12345678", None, "id"),
        ("GET", "cmd?status=lost", None, "status"),
        ("GET", "refresh/1?slave=a%20b", None, "slave"),
        ("POST", "cmd", {}, "body"),
        ("POST", "cmd", {"batch": [{"dsid": 0, "value": 1}]}, "batch.0.dsid"),
        ("POST", "cmd", {"batch": [{"dsid": 1}]}, "batch.0.value"),
        ("POST", "1/preset", {"title": " ", "writes": [{"dsid": 1, "value": 1}]}, "title"),
        ("POST", "1/preset", {"title": "\0", "writes": [{"dsid": 1, "value": 1}]}, "title"),
        ("POST", "1/preset", {"title": "Empty", "writes": []}, "writes"),
        ("POST", "1/preset", {"title": "Gone", "writes": [{"dsid": 99, "value": 1}]}, "writes.0.dsid"),
        ("PUT", "1/accesspassword", {"password": "short"}, "password"),
        ("PUT", "1/accesspassword", {}, "password"),
    ],
)
def test_input_that_breaks_a_rule(
    client: TestClient, headers: dict[str, str], verb: str, path: str, body: Any, field: str
) -> None:
    reply = client.request(verb, f"/api/v1/device/{path}", headers=headers, json=body)
    assert (reply.status_code, reply.json()["code"], reply.json()["data"]["field"]) == (400, 10002, field)


def test_too_many_at_once_has_a_code_of_its_own(
    client: TestClient, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passwords, "MAX_WAITING", 0)
    body = {"password": "open sesame"}
    reply = client.put("/api/v1/device/1/accesspassword", headers=headers, json=body)
    assert (reply.status_code, reply.json()["code"]) == (429, 20001)


@pytest.fixture
def older_database(tmp_path: Any) -> Iterator[tuple[Any, Any]]:
    """A database of the first tables with one command in it, and Alembic's configuration for it."""
    file = tmp_path / "older.db"
    config = migrations.configuration(f"sqlite+aiosqlite:///{file}")
    alembic.upgrade(config, "0001")
    engine = create_engine(f"sqlite:///{file}")
    device = {
        "id": 1, "gateway_id": "gw-1", "title": "G", "protocol": 1, "secret_hash": "", "disabled": False,
        "created_ms": 1, "online": False, "reason": "", "boot": "", "agent_version": "", "stream": "",
        "catalog": "", "backlog_batches": 0, "evicted_batches": 0,
    }  # fmt: skip
    row = {
        "id": "command-1", "device_id": 1, "dsid": 5, "user_id": 1, "user_name": "u", "action": "W",
        "status": "resp", "wait": False, "created_ms": 1, "expires_ms": 2, "code": "", "detail": "",
    }  # fmt: skip
    with engine.begin() as connection:
        for table, values in (("device", device), ("command", row)):
            names, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
            connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), values)
    yield config, engine
    engine.dispose()


def test_older_commands_survive_the_change_of_their_table(older_database: tuple[Any, Any]) -> None:
    config, engine = older_database
    alembic.upgrade(config, "0002")
    with engine.begin() as connection:
        row = connection.execute(text("SELECT dsid, action, address, batch_id FROM command")).one()
        assert tuple(row) == (5, "W", "", None)
        same = "status, wait, created_ms, expires_ms, code, detail"
        rest = f"device_id, user_id, user_name, {same}"
        action = f"INSERT INTO command (id, action, {rest}) SELECT 'command-2', 'reboot', {rest} FROM command"
        connection.execute(text(action))
    alembic.downgrade(config, "0001")
    with engine.begin() as connection:
        kept = connection.execute(text("SELECT id, dsid FROM command")).all()
    assert [tuple(row) for row in kept] == [("command-1", 5)]
