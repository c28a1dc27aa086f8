"""The WebSocket of the whole application."""

from __future__ import annotations

import asyncio

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from cloud.main import SOCKET

from ..application import token


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
