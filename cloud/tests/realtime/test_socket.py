"""The WebSocket of the whole application."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from cloud.main import SOCKET
from cloud.realtime.hub import Hub

from ..application import token
from ..conftest import SYSTEM, catalog


def test_socket_identify_subscribe_push(app: FastAPI, client: TestClient) -> None:
    services = app.state.services
    client.portal.call(services.catalogs.apply, "gw-1", catalog("pressure", "level"))  # type: ignore[union-attr]
    first, second = (row.dsid for row in client.portal.call(services.devices.sources, SYSTEM, 1))  # type: ignore[union-attr]
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "identify", "token": token(client)})
        assert socket.receive_json()["type"] == "identified"
        socket.send_json({"type": "subscribe", "devices": [1, 99], "dsids": [first, 999_999]})
        socket.send_json({"type": "heartbeat"})
        assert socket.receive_json()["type"] == "heartbeat"
        client.portal.call(push, services.hub, first, second)  # type: ignore[union-attr]
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
    monkeypatch.setattr("cloud.realtime.hub.MOST_CLIENTS", 0)
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
