"""The WebSocket of the whole application."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.live_endpoints import SOCKET
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.service import IdentityService
from cloud.realtime.hub import Hub

from ..application import token
from ..conftest import SYSTEM, catalog


def test_socket_identify_subscribe_push(app: FastAPI, client: TestClient) -> None:
    services = app.state.services
    client.portal.call(services[CatalogService].apply, "gw-1", catalog("pressure", "level"))  # type: ignore[union-attr]
    first, second = (row.dsid for row in client.portal.call(services[DeviceService].sources, SYSTEM, 1))  # type: ignore[union-attr]
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "identify", "token": token(client)})
        assert socket.receive_json()["type"] == "identified"
        socket.send_json({"type": "subscribe", "devices": [1, 99], "dsids": [first, 999_999]})
        socket.send_json({"type": "heartbeat"})
        assert socket.receive_json()["type"] == "heartbeat"
        client.portal.call(push, services[Hub], first, second)  # type: ignore[union-attr]
        assert socket.receive_json() == {"type": "dp", "did": 1, "rows": [[first, 2, 7.5, 0]]}


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
    monkeypatch.setattr("cloud.realtime.clients.MAX_CLIENTS", 0)
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "identify", "token": token(client)})
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == 1013


async def push(hub: Hub, first: int, second: int) -> None:
    hub.push_values(1, [(first, 1, 7.0, 0), (second, 1, 1.0, 0), (999_999, 1, 1.0, 0)])
    hub.push_values(1, [(first, 2, 7.5, 0)])
    await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("first", "code"),
    [
        ({"type": "identify", "token": "wrong"}, 4401),
        ({"type": "subscribe", "devices": [1]}, 4401),
        ({"type": "shout"}, 4400),
        ({"type": "subscribe", "dsids": [10**30]}, 4400),
        ({"type": "subscribe", "devices": [2**31]}, 4400),
        ({"type": "unsubscribe", "devices": [-1]}, 4400),
    ],
)
def test_socket_refuses(client: TestClient, first: dict[str, object], code: int) -> None:
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json(first)
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == code


def test_bytes_are_refused(client: TestClient) -> None:
    with client.websocket_connect(SOCKET) as socket:
        socket.send_bytes(b"\0")
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert (closed.value.code, closed.value.reason) == (4400, "text only")


def test_sockets_of_one_user_are_few(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloud.realtime.clients.MAX_CLIENTS_OF_USER", 1)
    mine, other = token(client), token(client, "viewer")
    with client.websocket_connect(SOCKET) as first:
        first.send_json({"type": "identify", "token": mine})
        assert first.receive_json()["type"] == "identified"
        with client.websocket_connect(SOCKET) as second:
            second.send_json({"type": "identify", "token": mine})
            with pytest.raises(WebSocketDisconnect) as closed:
                second.receive_json()
            assert (closed.value.code, closed.value.reason) == (1013, "too many clients of this user")
        with client.websocket_connect(SOCKET) as third:
            third.send_json({"type": "identify", "token": other})
            assert third.receive_json()["type"] == "identified"


def test_sockets_that_do_not_identify_are_few(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cloud.realtime.clients.MAX_ARRIVING", 1)
    with client.websocket_connect(SOCKET) as first:
        with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect(SOCKET):
            pass
        assert closed.value.code == 1013
        first.send_json({"type": "identify", "token": token(client)})
        assert first.receive_json()["type"] == "identified"
        with client.websocket_connect(SOCKET) as second:  # the first one has its place now
            second.send_json({"type": "heartbeat"})
            with pytest.raises(WebSocketDisconnect):
                second.receive_json()


def test_nothing_is_pushed_once_a_share_has_ended(app: FastAPI, client: TestClient) -> None:
    services, admin, portal = app.state.services, {"X-Token": token(client)}, client.portal
    portal.call(services[CatalogService].apply, "gw-1", catalog("pressure", "level"))  # type: ignore[union-attr]
    first, second = (row.dsid for row in portal.call(services[DeviceService].sources, SYSTEM, 1))  # type: ignore[union-attr]
    shares = client.get("/api/v1/device/1/share", headers=admin).json()["data"]["rows"]
    (viewer,) = (row["user_id"] for row in shares if row["user_name"] == "viewer")
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "identify", "token": token(client, "viewer")})
        socket.send_json({"type": "subscribe", "devices": [1], "dsids": [first, second]})
        socket.send_json({"type": "heartbeat"})
        assert [socket.receive_json()["type"] for _ in range(2)] == ["identified", "heartbeat"]
        portal.call(push, services[Hub], first, second)  # type: ignore[union-attr]
        assert socket.receive_json()["type"] == "dp"
        assert client.delete(f"/api/v1/device/1/share/{viewer}", headers=admin).status_code == 200
        portal.call(push, services[Hub], first, second)  # type: ignore[union-attr]
        client.put("/api/v1/device/1", headers=admin, json={"device_title": "Gateway 1"})
        portal.call(asyncio.sleep, 0.3)  # type: ignore[union-attr]
        portal.call(push, services[Hub], first, second)  # type: ignore[union-attr]
        socket.send_json({"type": "heartbeat"})
        assert socket.receive_json()["type"] == "heartbeat"
    client.post("/api/v1/device/1/share", headers=admin, json={"user_name": "viewer"})


def test_a_change_of_permissions_is_told_to_the_sockets(app: FastAPI, client: TestClient) -> None:
    services = app.state.services
    before = services[Hub].clients.invalidations
    client.portal.call(services[IdentityService].permissions.rules)  # type: ignore[union-attr]
    client.portal.call(told, services[IdentityService].permissions.forget)  # type: ignore[union-attr]
    assert services[Hub].clients.invalidations == before + 1
    assert services[IdentityService].permissions._rules is None


async def told(forget: Callable[[], None]) -> None:
    forget()


def test_socket_refuses_a_foreign_page(client: TestClient) -> None:
    with client.websocket_connect(SOCKET, headers={"Origin": "http://evil.example"}) as socket:
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == 4403
