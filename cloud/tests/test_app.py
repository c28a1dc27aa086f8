"""The whole HTTP application on real parts: embedded broker, SQLite, embedded series."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute, APIWebSocketRoute
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from cloud import migrations
from cloud.main import SOCKET, create_app
from cloud.settings import Settings, SettingsError, load

PASSWORD = "correct horse 1"
PUBLIC = {
    "/api/v1/login/login",
    "/api/v1/login/refreshtoken",
    "/healthz",
    "/metrics",  # from loopback, or with a token of its own
    "/{path:path}",  # the portal's files
    "/internal/emqx/auth",  # with the broker's secret
}
SIGNED_IN_IS_ENOUGH = {
    "/api/v1/login/logout",
    "/api/v1/auth/user/info",
    "/api/v1/auth/user/authList",
    "/api/v1/dict",
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> FastAPI:
    folder = tmp_path_factory.mktemp("cloud")
    portal = folder / "portal"
    (portal / "assets").mkdir(parents=True)
    (portal / "index.html").write_text("<h1>portal</h1>")
    (portal / "assets" / "a-1.js").write_text("1")
    (portal / "assets" / "a-1.js.br").write_text("br")
    (portal / "assets" / "a-1.js.gz").write_text("gzip")
    settings = Settings(data_dir=folder, broker_port=0, portal_dir=portal)
    migrations.upgrade(settings.database)
    return create_app(settings)


@pytest.fixture(scope="module")
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url="http://testserver") as made:
        made.portal.call(app.state.services.identity.add_user, "admin", PASSWORD, 0)  # type: ignore[union-attr]
        made.portal.call(app.state.services.identity.add_user, "viewer", PASSWORD, 4)  # type: ignore[union-attr]
        made.portal.call(app.state.services.claims.claim, "gw-1", "Gateway 1")  # type: ignore[union-attr]
        yield made


def token(client: TestClient, name: str = "admin") -> str:
    reply = client.post("/api/v1/login/login", json={"username": name, "password": PASSWORD})
    return str(reply.json()["data"]["token"])


def routes_of(app: FastAPI) -> Iterator[tuple[str, APIRoute]]:
    """Every HTTP route with its whole path, also those that the OpenAPI document does not show."""
    for route in app.routes:
        if isinstance(route, APIRoute):
            yield route.path, route
        elif (router := getattr(route, "original_router", None)) is not None:
            prefix = route.include_context.prefix  # type: ignore[attr-defined]
            for inner in router.routes:
                assert isinstance(inner, APIRoute), inner
                yield prefix + inner.path, inner
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
    found = {(path.replace(":int", ""), verb) for path, route in routes_of(app) for verb in route.methods}
    document = {(path, verb.upper()) for path, verbs in app.openapi()["paths"].items() for verb in verbs}
    assert len(document) >= 16
    hidden = {("/healthz", "GET"), ("/metrics", "GET"), ("/{path:path}", "GET"), ("/{path:path}", "HEAD")}
    assert found == document | hidden


def test_every_route_denies_an_anonymous_caller(app: FastAPI, client: TestClient) -> None:
    for path, route in routes_of(app):
        for verb in route.methods if path not in PUBLIC else ():
            reply = client.request(verb, path.replace("{device_id:int}", "1"))
            assert (reply.status_code, reply.json()["code"]) == (401, 10010), (verb, path)


def test_every_route_that_needs_more_than_sign_in_states_its_permission(app: FastAPI) -> None:
    for path, route in routes_of(app):
        stated = permission_of(route)
        assert (stated is None) == (path in PUBLIC | SIGNED_IN_IS_ENOUGH), (path, stated)


def test_user_without_the_permission_is_refused(client: TestClient) -> None:
    headers = {"X-Token": token(client, "viewer")}
    assert client.get("/api/v1/device", headers=headers).status_code == 200
    reply = client.post("/api/v1/device/cmd", headers=headers, json={"dsid": 1, "action": "R"})
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
    assert reply.json() == {"code": 0, "msg": "", "data": {"ot": 0, "rl": 0, "ss": 0, "rg": 0}}


@pytest.mark.parametrize(
    ("failure", "status"), [(RuntimeError("surprise"), 500), (ConnectionRefusedError("gone"), 503)]
)
def test_failure_inside_is_answered_in_form(
    app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int
) -> None:
    headers = {"X-Token": token(client)}

    async def fail(*words: object) -> None:
        raise failure

    monkeypatch.setattr(app.state.services.devices, "page", fail)
    reply = client.get("/api/v1/device", headers=headers)
    assert (reply.status_code, reply.json()["code"]) == (status, 20000)
    assert reply.json()["data"]["request_id"] == reply.headers["X-Request-Id"] != ""
    assert str(failure) not in reply.text
    assert "Content-Security-Policy" in reply.headers


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


def test_portal_files(client: TestClient) -> None:
    assert "portal" in client.get("/monitor/device?x=1").text
    asset = client.get("/assets/a-1.js", headers={"Accept-Encoding": "identity"})
    assert "immutable" in asset.headers["Cache-Control"]
    assert "frame-ancestors 'none'" in asset.headers["Content-Security-Policy"]
    assert client.get("/assets/gone.js").status_code == 404
    assert client.head("/").status_code == 200
    assert client.get("/%00").status_code == client.get("/" + "x" * 300 + ".js").status_code == 404
    assert client.get("/..%2f..%2fcloud.db").status_code in (200, 404)
    assert "SQLite" not in client.get("/..%2fcloud.db").text


def test_socket_identify_subscribe_push(app: FastAPI, client: TestClient) -> None:
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "identify", "token": token(client)})
        assert socket.receive_json()["type"] == "identified"
        socket.send_json({"type": "subscribe", "devices": [1], "dsids": [5]})
        socket.send_json({"type": "heartbeat"})
        assert socket.receive_json()["type"] == "heartbeat"
        hub = app.state.services.hub
        client.portal.call(push, hub)  # type: ignore[union-attr]
        assert socket.receive_json() == {"type": "dp", "did": 1, "rows": [[5, 2, 7.5, 0]]}


def test_packed_files_are_sent_to_who_takes_them(client: TestClient) -> None:
    for accepted, coding in (("gzip, br", "br"), ("gzip", "gzip"), ("identity", None)):
        with client.stream("GET", "/assets/a-1.js", headers={"Accept-Encoding": accepted}) as reply:
            assert reply.headers.get("Content-Encoding") == coding
            assert b"".join(reply.iter_raw()) == (coding or "1").encode()


def test_socket_ends_with_the_session(client: TestClient) -> None:
    mine = token(client)
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "identify", "token": mine})
        assert socket.receive_json()["type"] == "identified"
        client.post("/api/v1/login/logout", headers={"X-Token": mine})
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == 4401


def test_full_hub_says_so(app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloud.realtime.hub.MOST_CLIENTS", 0)
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "identify", "token": token(client)})
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == 1013


async def push(hub) -> None:  # type: ignore[no-untyped-def]
    hub.push_values(1, [(5, 1, 7.0, 0), (6, 1, 1.0, 0)])
    hub.push_values(1, [(5, 2, 7.5, 0)])
    await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("first", "code"),
    [
        ({"type": "identify", "token": "wrong"}, 4401),
        ({"type": "subscribe", "devices": [1]}, 4401),
        ({"type": "shout"}, 4400),
    ],
)
def test_socket_refuses(client: TestClient, first: dict[str, object], code: int) -> None:
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json(first)
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == code


def test_socket_refuses_a_foreign_page(client: TestClient) -> None:
    with client.websocket_connect(SOCKET, headers={"Origin": "http://evil.example"}) as socket:
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == 4403


def test_settings_name_variable_and_rule(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value, text in (
        ("EDGE_PORT", "70000", "EDGE_PORT"),
        ("EDGE_BROKER", "rabbit", "EDGE_BROKER"),
        ("EDGE_BROKER", "mosquitto", "EDGE_BROKER_URL: needed with EDGE_BROKER=mosquitto"),
        ("EDGE_BROKER_URL", "http://x", "EDGE_BROKER_URL"),
        ("EDGE_TIMESERIES", "influx", "EDGE_INFLUX_URL: needed with EDGE_TIMESERIES=influx"),
        ("EDGE_DYNSEC_USERNAME", "admin", "EDGE_DYNSEC_PASSWORD_FILE: needed with EDGE_DYNSEC_USERNAME"),
        ("EDGE_METRICS_TOKEN_FILE", str(tmp_path / "none"), "EDGE_METRICS_TOKEN_FILE"),
    ):
        monkeypatch.setenv(name, value)
        with pytest.raises(SettingsError, match=text):
            load()
        monkeypatch.delenv(name)
