"""Heartbeat, silence and repeated identification of a socket, without waiting for them."""

from __future__ import annotations

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from cloud.domains.devices.live_endpoints import SOCKET
from cloud.realtime import socket as realtime

from ..application import token


def test_constants() -> None:
    """Two heartbeats of 60 s may be missed."""
    assert (realtime.SILENT_S, realtime.IDENTIFY_TIMEOUT_S, realtime.RECHECK_S) == (150, 5, 30)


def test_identify_first_or_be_closed(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(realtime, "IDENTIFY_TIMEOUT_S", 0.05)
    with client.websocket_connect(SOCKET) as socket:
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert closed.value.code == 4401


def test_a_silent_browser_is_closed(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "identify", "token": token(client)})
        assert socket.receive_json()["type"] == "identified"
        for _ in range(2):
            socket.send_json({"type": "heartbeat"})
            assert socket.receive_json()["type"] == "heartbeat"
        monkeypatch.setattr(realtime, "SILENT_S", 0.3)
        socket.send_json({"type": "heartbeat"})  # ends a wait that began before
        assert socket.receive_json()["type"] == "heartbeat"
        with pytest.raises(WebSocketDisconnect) as closed:
            socket.receive_json()
        assert (closed.value.code, closed.value.reason) == (4409, "no heartbeat")


def test_every_heartbeat_is_answered_with_the_cloud_s_time(client: TestClient) -> None:
    with client.websocket_connect(SOCKET) as socket:
        socket.send_json({"type": "identify", "token": token(client)})
        first = socket.receive_json()
        socket.send_json({"type": "heartbeat"})
        assert socket.receive_json()["t_ms"] >= first["t_ms"] > 1_600_000_000_000


def test_unread_reaches_the_reader_s_own_sockets_only(app: FastAPI, client: TestClient) -> None:
    mine = token(client)
    with client.websocket_connect(SOCKET) as one, client.websocket_connect(SOCKET) as other:
        one.send_json({"type": "identify", "token": mine})
        other.send_json({"type": "identify", "token": token(client, "viewer")})
        for socket in (one, other):
            assert socket.receive_json()["type"] == "identified"
        reply = client.post("/api/v1/event/read", json={"kind": "alarm"}, headers={"X-Token": mine})
        assert reply.json()["data"]["alarm"] == 0
        assert one.receive_json()["type"] == "unread"
        other.send_json({"type": "heartbeat"})
        assert other.receive_json()["type"] == "heartbeat"
