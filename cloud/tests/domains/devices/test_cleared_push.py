"""Offline clear data over the WebSocket of the whole application (C-065)."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.core.clock import now_ms
from cloud.domains.devices.catalog import CatalogService
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.devices.service import DeviceService
from cloud.domains.telemetry.service import TelemetryService
from cloud.timeseries.base import SeriesColumn
from edge_contract.payloads import State

from ...application import app, client, token
from ...conftest import BOOT, SYSTEM, catalog, hello

FIXTURES = (app, client)
GATEWAY = "gw-cleared"


@pytest.mark.clause("C-065")
def test_browsers_are_told_that_values_are_unknown_and_known_again(app: FastAPI, client: TestClient) -> None:
    services, portal = app.state.services, client.portal
    assert portal is not None
    portal.call(services[ClaimService].claim, GATEWAY, "Cleared")
    greeting = hello(catalog("pressure").hash)
    portal.call(services[PresenceService].hello, GATEWAY, greeting)
    portal.call(services[CatalogService].apply, GATEWAY, catalog("pressure"))
    device = portal.call(services[DeviceService].id_of, GATEWAY)
    (source,) = portal.call(services[DeviceService].sources, SYSTEM, device)
    column = SeriesColumn(source.dsid, [now_ms()], [4.5], [0])
    with client.websocket_connect("/api/v1/ws") as socket:
        socket.send_json({"type": "identify", "token": token(client)})
        assert socket.receive_json()["type"] == "identified"
        socket.send_json({"type": "subscribe", "dsids": [source.dsid]})
        socket.send_json({"type": "heartbeat"})
        assert socket.receive_json()["type"] == "heartbeat"

        def values() -> list[Any]:
            while (message := socket.receive_json())["type"] != "dp":
                pass  # that the gateway went and came, told to who sees it
            return [row[2:] for row in message["rows"]]

        portal.call(services[TelemetryService].stored, GATEWAY, [column], False)
        assert values() == [[4.5, 0]]
        portal.call(services[PresenceService].state, GATEWAY, State(online=False, boot=BOOT, t_ms=1))
        assert values() == [[None, 5]]
        portal.call(services[PresenceService].hello, GATEWAY, greeting)
        assert values() == [[4.5, 0]]
