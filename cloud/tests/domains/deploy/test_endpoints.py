"""The routes of this domain on the whole application."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.domains.deploy.service import DeployService
from cloud.domains.identity.schemas import CurrentUser
from cloud.web import MAX_DOCUMENT_BYTES
from edge_contract.deployment import document_hash

from ...application import token
from .conftest import document

DEVICE = "/api/v1/device/1"
Call = Callable[..., Any]


@pytest.fixture
def call(client: TestClient) -> Call:
    headers = {"X-Token": token(client)}

    def send(verb: str, path: str, status: int = 200, **more: Any) -> Any:
        reply = client.request(verb, path, headers={**headers, **more.pop("headers", {})}, **more)
        assert reply.status_code == status, reply.text
        assert reply.headers["Cache-Control"] == "no-store"
        return reply.json()["data"]

    return send


def test_from_draft_to_history(call: Call, client: TestClient) -> None:
    newest = call("GET", f"{DEVICE}/configuration")["newest"]
    content = document("Ua", gateway="gw-1", large=7.0, cloud={"url": "mqtt://cloud.example"})
    saved = call("PUT", f"{DEVICE}/configuration", json={"document": content, "base": newest, "note": "n"})
    name = saved["hash"]
    assert name == document_hash(content)
    state = call("GET", f"{DEVICE}/configuration")
    assert (state["draft"]["hash"], state["running"], state["total"]) == (name, None, len(state["versions"]))
    again = call("PUT", f"{DEVICE}/configuration", 409, json={"document": content, "base": "0" * 64})
    assert (again["field"], again["rule"]) == ("base", name)
    shown = call("GET", f"{DEVICE}/configuration/{name}")
    assert document_hash(shown["document"]) == name
    viewer = client.get(
        f"{DEVICE}/configuration/{name}", headers={"X-Token": token(client, "viewer")}
    ).json()["data"]
    assert (viewer["masked"], viewer["document"]["slaves"][0]["options"]["password"]) == (True, "******")
    found = call("GET", f"{DEVICE}/configuration/diff?from={name}&to={name}")
    assert (found["counts"]["points_reached"], found["truncated"]) == (0, False)
    assert call("GET", "/api/v1/device/deploy/1", 409)["rule"] == "unknown_running"
    deployed = call("GET", "/api/v1/device/deploy/1?force=true&confirm_s=60")
    assert (deployed["hash"], deployed["state"]) == (name, "networkError")
    assert call("POST", f"{DEVICE}/deploy", json={"hash": name, "force": True})["state"] == "networkError"
    history = call("GET", f"{DEVICE}/deployments")
    assert [row["code"] for row in history["rows"][:2]] == ["offline", "offline"]
    one = call("GET", f"/api/v1/device/deployment/{deployed['id']}")
    assert (one["user"], one["steps"], one["confirm_s"], one["base"]) == ("admin", [], 60, None)
    checked = call("POST", f"{DEVICE}/configuration/check", json={})
    assert (checked["state"], checked["code"]) == ("networkError", "offline")
    call("DELETE", f"{DEVICE}/configuration/draft")
    assert call("GET", "/api/v1/device/deploy/1", 409)["rule"] == "nothing_to_deploy"


@pytest.mark.parametrize("header", [{"Sec-Fetch-Site": "cross-site"}, {"Sec-Purpose": "prefetch;prerender"}])
def test_no_other_site_and_no_prefetch_deploys(call: Call, header: dict[str, str]) -> None:
    for path in ("deploy", "projdeploy"):
        call("GET", f"/api/v1/device/{path}/1", 403, headers=header)


def test_projects_and_unknown_things_are_not_found(call: Call) -> None:
    assert call("GET", "/api/v1/device/projdeploy/5", 404)["message"] == "project not found"
    for path in ("configuration", f"configuration/{'0' * 64}", "configuration/diff", "deployments"):
        call("GET", f"/api/v1/device/99/{path}", 404)
    call("GET", "/api/v1/device/deployment/abcdefgh", 404)
    call("GET", "/api/v1/device/deploy/99", 404)


@pytest.mark.parametrize(
    ("verb", "path", "body", "field"),
    [
        ("GET", "/configuration/xyz", None, "hash"),
        ("GET", "/configuration/diff?from=1", None, "from"),
        ("PUT", "/configuration", {"document": [], "base": None}, "document"),
        ("PUT", "/configuration", {"document": {}}, "base"),
        (
            "PUT",
            "/configuration",
            {"document": {"gateway": {"id": "x"}}, "base": None},
            "document.gateway.id",
        ),
        ("POST", "/deploy", {"confirm_s": 29}, "confirm_s"),
        ("POST", "/deploy", {"healthy_share": 1.1}, "healthy_share"),
        ("POST", "/deploy", {"expires_s": 700_000}, "expires_s"),
        ("POST", "/deploy", {"hash": "ABC"}, "hash"),
    ],
)
def test_bad_input_names_the_field(call: Call, verb: str, path: str, body: Any, field: str) -> None:
    assert call(verb, DEVICE + path, 400, json=body)["field"] == field


def test_a_trial_is_returned_by_a_command(call: Call, client: TestClient, app: FastAPI) -> None:
    content = document("Ua", gateway="gw-1", cloud={"url": "mqtt://cloud.example"})
    newest = call("GET", f"{DEVICE}/configuration")["newest"]
    call("PUT", f"{DEVICE}/configuration", json={"document": content, "base": newest})
    ended = call("GET", "/api/v1/device/deploy/1?force=true")["id"]
    path = "/api/v1/device/deployment/{}/revert"
    assert call("POST", path.format(ended), 409)["rule"] == "no_trial"
    call("POST", path.format("deploy-00000"), 404)

    async def on_trial(user: CurrentUser, deployment_id: str) -> int:
        return 1

    app.state.services[DeployService].on_trial = on_trial
    taken = call("POST", path.format(ended))
    command = call("GET", f"/api/v1/device/cmdStatus?id={taken['id']}")
    assert (command["action"], command["arguments"]) == ("revert", {"deployment": ended})
    assert command["user"]


def test_viewers_may_look_and_not_change(call: Call, client: TestClient) -> None:
    headers = {"X-Token": token(client, "viewer")}
    assert client.get(f"{DEVICE}/configuration", headers=headers).status_code == 200
    newest = call("GET", f"{DEVICE}/configuration")["newest"]
    content = document("Ua", gateway="gw-1", cloud={"url": "mqtt://cloud.example"})
    draft = {"document": content, "base": newest}
    call("PUT", f"{DEVICE}/configuration", json=draft)
    ended = call("GET", "/api/v1/device/deploy/1?force=true")["id"]
    call(
        "PUT",
        f"{DEVICE}/configuration",
        json={"document": {**content, "note": 1}, "base": document_hash(content)},
    )
    for verb, path in (
        ("GET", "/api/v1/device/deploy/1"),
        ("POST", f"{DEVICE}/deploy"),
        ("POST", f"{DEVICE}/configuration/check"),
        ("PUT", f"{DEVICE}/configuration"),
        ("DELETE", f"{DEVICE}/configuration/draft"),
        ("POST", f"/api/v1/device/deployment/{ended}/revert"),
        ("POST", f"/api/v1/device/deployment/{ended}/cancel"),
    ):
        body = draft if verb == "PUT" else {}
        reply = client.request(verb, path, headers=headers, json=body)
        assert (reply.status_code, reply.json()["code"]) == (403, 10001), (path, reply.text)


def test_a_document_may_be_larger_than_other_bodies(call: Call, app: FastAPI) -> None:
    newest = call("GET", f"{DEVICE}/configuration")["newest"]
    content = document("Ua", gateway="gw-1", large="x" * 2_000_000)
    body = {"document": content, "base": newest}
    assert call("PUT", f"{DEVICE}/configuration", json=body)["size"] > 2_000_000
    text = json.dumps(body) + " " * MAX_DOCUMENT_BYTES
    assert call("PUT", f"{DEVICE}/configuration", 413, content=text)["field"] == "body"
    assert call("POST", f"{DEVICE}/deploy", 413, content=" " * 1_100_000)["field"] == "body"
