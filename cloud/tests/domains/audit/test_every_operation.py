"""Every changing operation of the API leaves a row, whatever came of it, and no reading one does.

Generated from the routes and the OpenAPI document: a new operation is covered by being there.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.domains.audit import quota
from cloud.domains.audit.metrics import DROPPED
from cloud.domains.identity.access import CHANGES
from cloud.domains.options.service import OptionService

from ...test_app import routes_of
from ..files.pictures import png
from ..tenants import signed_in

NOBODY = "999999"
"""A number that no device, user, group ... has: the operations fail, and leave their row all the same."""


def operations(app: FastAPI) -> list[tuple[str, str, str, bool]]:
    """Verb, path, operation and whether it changes something, of everything below /api/v1 but sign-in."""
    changing_gets = {
        path for path, route in routes_of(app) if CHANGES in route.dependencies and "GET" in route.methods
    }
    assert len(changing_gets) >= 3
    plain = {re.sub(r":\w+(?=})", "", path) for path in changing_gets}
    return [
        (verb.upper(), path, operation["operationId"], verb != "get" or path in plain)
        for path, verbs in app.openapi()["paths"].items()
        for verb, operation in verbs.items()
        if path.startswith("/api/v1/") and not path.startswith("/api/v1/login/")
    ]


CHANGING_BY = {"gatewayPage": "?mode=open"}
"""Of operations that only look unless asked for more."""


def rows(client: TestClient, **wanted: Any) -> list[dict[str, Any]]:
    reply = client.get("/api/v1/audit?limit=100", headers=signed_in(client, "platform-x"), params=wanted)
    found: list[dict[str, Any]] = reply.json()["data"]["rows"]
    return found


def every_row(client: TestClient) -> list[dict[str, Any]]:
    """The newest thousand."""
    return [row for page in range(1, 11) for row in rows(client, page=page)]


def last_id(client: TestClient) -> int:
    return next((row["id"] for row in rows(client)), 0)


@pytest.fixture(autouse=True)
def unlimited(monkeypatch: pytest.MonkeyPatch) -> None:
    """One user asks for everything here, and most of it is refused."""
    monkeypatch.setattr(quota, "REFUSED_PER_MINUTE", 1_000_000)


def test_a_flood_of_refused_calls_is_cut(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quota, "REFUSED_PER_MINUTE", 0)
    headers = signed_in(client, "platform-x")
    count, before = DROPPED.labels("refused_call")._value.get(), last_id(client)
    assert client.delete(f"/api/v1/auth/user/{NOBODY}", headers=headers).status_code == 404
    assert (DROPPED.labels("refused_call")._value.get() - count, last_id(client)) == (1, before)


def test_every_operation(app: FastAPI, client: TestClient) -> None:
    headers = signed_in(client, "platform-x")
    before = last_id(client)
    asked = []
    for verb, path, operation, changes in operations(app):
        place = re.sub(r"{\w+}", NOBODY, path) + CHANGING_BY.get(operation, "")
        reply = client.request(verb, place, headers=headers)
        asked.append((operation, verb, path, changes, reply))
    kept = {row["request_id"]: row for row in every_row(client) if row["id"] > before}
    for operation, verb, path, changes, reply in asked:
        row = kept.pop(reply.headers["X-Request-Id"], None)
        assert (row is not None) is changes, (verb, path)
        if row is not None:
            assert (row["operation"], row["method"], row["status"]) == (operation, verb, reply.status_code)
            assert (row["user_name"], row["address"]) == ("platform-x", "testclient")
            assert row["ids"] == dict.fromkeys(re.findall(r"{(\w+)}", path), NOBODY), path
            assert row["code"] == (reply.json()["code"] if reply.status_code >= 400 else 0), path
    assert kept == {}
    assert sum(changes for *_, changes, _ in asked) >= 25


def test_what_was_sent_is_kept_without_secrets(client: TestClient) -> None:
    headers = signed_in(client, "factory-x")
    entry = {"url": "/x", "text": "x", "icon": "", "newWindow": True, "position": 0}
    for value in ([], [entry]):
        client.put("/api/v1/user/option", headers=headers, json={"name": "user_config", "value": value})
    row = rows(client)[0]
    assert row["changes"] == {
        "name": "user_config", "before": {"value": []}, "after": {"value": [entry]}
    }  # fmt: skip
    assert (row["user_name"], row["status"], row["code"]) == ("factory-x", 200, 0)
    client.put("/api/v1/auth/user/me/password?pw=Query!Word1", headers=headers, json={"old": "Body!Word1"})
    client.put("/api/v1/device/1/accesspassword", headers=headers, json={"password": "Deep!Word1"})
    text = json.dumps(rows(client), ensure_ascii=False)
    assert "Query!Word1" not in text and "Deep!Word1" not in text
    assert headers["X-Token"] not in text
    sent = {"file": ("x.png", png(9, 9), "image/png")}
    client.post("/api/v1/file?kind=icon", headers=headers, files=sent)
    row = rows(client)[0]
    assert row["query"] == {"kind": "icon"} and row["changes"]["bytes"] > len(png(9, 9))


def test_refusals_before_any_route_leave_a_row_too(client: TestClient) -> None:
    headers = signed_in(client, "factory-x") | {"Sec-Fetch-Site": "cross-site"}
    assert client.put("/api/v1/option", headers=headers, json={}).status_code == 403
    row = rows(client)[0]
    assert (row["path"], row["operation"], row["code"], row["user_name"]) == (
        "/api/v1/option",
        "",
        10001,
        "factory-x",
    )
    big = {"X-Token": headers["X-Token"]}
    assert client.post("/api/v1/file?kind=icon", headers=big, content=b"x" * 1_200_000).status_code == 413
    assert rows(client)[0]["status"] == 413
    assert client.delete("/api/v1/nothing", headers=big).status_code in {404, 405}
    assert (rows(client)[0]["path"], rows(client)[0]["operation"]) == ("/api/v1/nothing", "")


def test_a_failure_inside_leaves_a_row(
    app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*words: object) -> None:
        raise RuntimeError("surprise")

    monkeypatch.setattr(app.state.services[OptionService], "put_user_option", fail)
    body = {"name": "user_config", "value": []}
    assert (
        client.put("/api/v1/user/option", headers=signed_in(client, "factory-x"), json=body).status_code
        == 500
    )
    assert (rows(client)[0]["status"], rows(client)[0]["code"]) == (500, 20000)


def test_sign_in_leaves_none_and_scope_holds(client: TestClient) -> None:
    before = last_id(client)
    client.post("/api/v1/login/login", json={"username": "nobody", "password": "x"})
    assert last_id(client) == before
    client.put("/api/v1/user/option", headers=signed_in(client, "person-x"), json={"name": "user_config"})
    for name, sees in (("factory-x", True), ("enterprise-x", True), ("factory-y", False)):
        reply = client.get("/api/v1/audit?user=person-x", headers=signed_in(client, name))
        assert bool(reply.json()["data"]["total"]) is sees, name
        export = client.get("/api/v1/audit/export?user=person-x", headers=signed_in(client, name))
        assert ("person-x" in export.text) is sees
        assert export.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert client.get("/api/v1/audit", headers=signed_in(client, "person-x")).status_code == 403


def test_a_flood_of_strangers_drowns_no_history(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quota, "UNAUTHENTICATED_PER_MINUTE", 0)
    dropped = DROPPED.labels("stranger")
    count, before = dropped._value.get(), last_id(client)
    for headers in ({}, {"X-Token": "x"}, {"X-Token": "x" * 5000}):
        assert client.delete("/api/v1/customize/a.example", headers=headers).status_code in {400, 401}
    assert (dropped._value.get() - count, last_id(client)) == (3, before)
    monkeypatch.setattr(quota, "UNAUTHENTICATED_PER_MINUTE", 1_000_000)
    assert client.delete("/api/v1/customize/a.example").status_code == 401
    assert (rows(client)[0]["user_id"], rows(client)[0]["code"]) == (None, 10010)
