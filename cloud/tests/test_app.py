"""Every route: sign-in, permission, input, errors, limits."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute, APIWebSocketRoute
from fastapi.testclient import TestClient
from pydantic import ValidationError

from cloud.domains.devices.service import DeviceService
from cloud.domains.system.service import SystemService
from cloud.link import Link
from cloud.main import create_app
from cloud.settings import Settings

from .application import token

PUBLIC = {
    "/api/v1/login/login",
    "/api/v1/login/demo",
    "/api/v1/login/refreshtoken",
    "/api/v1/customize/info",  # the sign-in page asks it
    "/healthz",
    "/metrics",  # from loopback, or with a token of its own
    "/{path:path}",  # the portal's files
    "/internal/emqx/auth",  # with the broker's secret
    "/api/v1/firmware/download/{upgrade_id}/{ticket}",  # by gateways, each by the address of its order
}
SIGNED_IN_IS_ENOUGH = {
    "/api/v1/login/logout",
    "/api/v1/auth/user/info",
    "/api/v1/auth/user/authList",
    "/api/v1/auth/user/me",
    "/api/v1/auth/user/me/password",
    "/api/v1/auth/user/me/loginlog",
    "/api/v1/auth/user/me/limits",
    "/api/v1/auth/permission",
    "/api/v1/auth/why",  # about oneself; about others it asks for auth.User itself
    "GET /api/v1/dict",
    "GET /api/v1/option",
    "/api/v1/user/option",
    "/api/v1/job/{job_id:int}",  # of oneself or below; what it does has a permission of its own
    "/api/v1/job/{job_id:int}/file",
    "/api/v1/search",  # each kind of what is found has a permission of its own
    "/api/v1/openapi.json",
    "/api/v1/file",  # each kind of upload has a permission of its own
    "/api/v1/map/file/{file_name}",  # every map is drawn on it
    "/api/v1/file/{file_id}",  # what the sign-in page shows needs not even that
}


def routes_of(app: FastAPI | APIRouter, prefix: str = "") -> Iterator[tuple[str, APIRoute]]:
    """Every HTTP route with its whole path, also those that the OpenAPI document does not show."""
    for route in app.routes:
        if isinstance(route, APIRoute):
            yield prefix + route.path, route
        elif (router := getattr(route, "original_router", None)) is not None:
            yield from routes_of(router, prefix + route.include_context.prefix)  # type: ignore[attr-defined]
        else:
            assert isinstance(route, APIWebSocketRoute), route


def permission_of(route: APIRoute) -> str | None:
    """Permission that a route's dependencies ask for."""
    pending = list(route.dependant.dependencies)
    while pending:
        dependency = pending.pop()
        if found := getattr(dependency.call, "permission", None):
            return str(found)
        pending += dependency.dependencies
    return None


def test_routes_are_all_found(app: FastAPI) -> None:
    found = {
        (re.sub(r":int|(?<={code):path", "", path), verb)
        for path, route in routes_of(app)
        for verb in route.methods
    }
    document = {(path, verb.upper()) for path, verbs in app.openapi()["paths"].items() for verb in verbs}
    assert len(document) >= 16
    hidden = {("/healthz", "GET"), ("/metrics", "GET"), ("/{path:path}", "GET"), ("/{path:path}", "HEAD")}
    assert found == document | hidden | {("/api/v1/openapi.json", "GET")}


def test_the_document_names_the_token_wherever_one_is_needed(client: TestClient) -> None:
    reply = client.get("/api/v1/openapi.json", headers={"X-Token": token(client)})
    document = reply.json()
    assert document["components"]["securitySchemes"]["token"]["name"] == "X-Token"
    free = {
        path for path, verbs in document["paths"].items() for each in verbs.values() if "security" not in each
    }
    assert free <= PUBLIC | {"/api/v1/file/{file_id}"}


def test_every_route_denies_an_anonymous_caller(app: FastAPI, client: TestClient) -> None:
    for path, route in routes_of(app):
        for verb in route.methods if path not in PUBLIC else ():
            reply = client.request(verb, re.sub(r"{\w+:int}", "1", path))
            assert (reply.status_code, reply.json()["code"]) == (401, 10010), (verb, path)


def test_every_route_that_needs_more_than_sign_in_states_its_permission(app: FastAPI) -> None:
    for path, route in routes_of(app):
        stated = permission_of(route)
        named = {path, *(f"{verb} {path}" for verb in route.methods)}
        assert (stated is None) == bool(named & (PUBLIC | SIGNED_IN_IS_ENOUGH)), (path, stated)


def test_no_room_is_given_half_a_surrogate_pair(client: TestClient) -> None:
    headers = {"X-Token": token(client), "Content-Type": "application/json"}
    for verb, path in (("POST", "project"), ("PUT", "user/option"), ("PUT", "device/1/configuration")):
        reply = client.request(verb, f"/api/v1/{path}", headers=headers, content=b'{"a": ["\\ud800"]}')
        assert (reply.status_code, reply.json()["data"]["field"]) == (400, "a.0"), path


def test_user_without_the_permission_is_refused(client: TestClient) -> None:
    headers = {"X-Token": token(client, "viewer")}
    assert client.get("/api/v1/device", headers=headers).status_code == 200
    reply = client.post("/api/v1/device", headers=headers, json={"gateway_id": "gw-of-nobody"})
    assert (reply.status_code, reply.json()["code"]) == (403, 10001)


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/api/v1/device?limit=101", "limit"),
        ("/api/v1/device?page=0", "page"),
        ("/api/v1/device?status=x", "status"),
        ("/api/v1/device/lastdps", "device_id"),
        ("/api/v1/device/lastdps?dsids=1,x", "dsids"),
        ("/api/v1/device/hisdata?dsids=1&start_ms=2&end_ms=1", "end_ms"),
        ("/api/v1/device/hisdata?dsids=1&start_ms=1&end_ms=2&points=5000", "points"),
        ("/api/v1/device/dss?device_id=0", "device_id"),
        ("/api/v1/device?search=%00", "search"),
        ("/api/v1/device/lastdps?dsids=9999999999", "dsids"),
        ("/api/v1/device/cmdStatus?id=%00%00%00%00%00%00%00%00", "id"),
        ("/api/v1/dict?key=other", "key"),
    ],
)
def test_bad_input_names_field_and_rule(client: TestClient, path: str, field: str) -> None:
    reply = client.get(path, headers={"X-Token": token(client)})
    body = reply.json()
    assert (reply.status_code, body["code"], body["data"]["field"]) == (400, 10002, field)
    assert body["data"]["rule"] and body["data"]["request_id"] == reply.headers["X-Request-Id"]


def test_unknown_things_are_not_found(client: TestClient) -> None:
    headers = {"X-Token": token(client)}
    for path in ("/api/v1/device/99", "/api/v1/device/lastdp?dsid=99", "/api/v1/nothing"):
        reply = client.get(path, headers=headers)
        assert (reply.status_code, reply.json()["code"]) == (404, 20000), path


def test_wrong_sign_in_and_wrong_body(client: TestClient) -> None:
    reply = client.post("/api/v1/login/login", json={"username": "admin", "password": "x"})
    assert (reply.status_code, reply.json()["code"]) == (401, 10009)
    reply = client.post("/api/v1/login/login", json={"username": "admin"})
    assert (reply.status_code, reply.json()["data"]["field"]) == (400, "password")
    reply = client.post("/api/v1/login/login", content=b"x" * (1024 * 1024 + 1))
    assert (reply.status_code, reply.json()["data"]["field"]) == (413, "body")


def test_switches_of_the_cloud(client: TestClient) -> None:
    reply = client.get("/api/v1/dict?key=CDCF", headers={"X-Token": token(client)})
    assert reply.json() == {
        "code": 0,
        "msg": "",
        "data": {"ot": 0, "rl": 0, "ss": 0, "rg": 0, "announced": 0},
    }


@pytest.mark.parametrize(
    ("failure", "status"), [(RuntimeError("surprise"), 500), (ConnectionRefusedError("gone"), 503)]
)
def test_failure_inside_is_answered_in_form(
    app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int
) -> None:
    headers = {"X-Token": token(client)}

    async def fail(*words: object) -> None:
        raise failure

    monkeypatch.setattr(app.state.services[DeviceService], "page", fail)
    reply = client.get("/api/v1/device", headers=headers)
    assert (reply.status_code, reply.json()["code"]) == (status, 20000)
    assert reply.json()["data"]["request_id"] == reply.headers["X-Request-Id"] != ""
    assert str(failure) not in reply.text
    assert "Content-Security-Policy" in reply.headers


def test_where_a_gateway_finds_the_broker(app: FastAPI, client: TestClient) -> None:
    headers = {"X-Token": token(client)}
    port = app.state.services[Link].port
    own = {"url": f"mqtt://127.0.0.1:{port}", "is_local": True, "is_set": False}
    assert client.get("/api/v1/device/broker", headers=headers).json()["data"] == own
    assert client.get("/api/v1/device/broker").status_code == 401


def test_the_brokers_address_is_a_setting(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, gateway_url="mqtts://cloud.example.org:8883")
    services = create_app(settings).state.services
    answer = services[SystemService].gateway_broker().model_dump()
    assert answer == {"url": settings.gateway_url, "is_local": False, "is_set": True}
    for wrong in ("http://cloud.example.org", "mqtts://user:pass@cloud.example.org", "mqtts://a/b"):
        with pytest.raises(ValidationError, match="gateway_url"):
            Settings(data_dir=tmp_path, gateway_url=wrong)


def test_request_from_another_site_is_refused(client: TestClient) -> None:
    headers = {"X-Token": token(client), "Sec-Fetch-Site": "cross-site"}
    assert client.get("/api/v1/device", headers=headers).status_code == 403


def test_health_and_metrics(client: TestClient) -> None:
    deadline = time.monotonic() + 10
    while (reply := client.get("/healthz")).status_code != 200:
        assert time.monotonic() < deadline, reply.json()
        time.sleep(0.1)
    assert reply.json()["checks"] == {"database": True, "timeseries": True, "broker": True}
    assert client.get("/metrics").status_code == 403  # the test client is not on loopback
