"""The calls of completeness, presence settings and the on-offline log over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.domains.devices.service import DeviceService
from cloud.domains.inventory.models import OnOfflineLog
from cloud.link import Link
from cloud.link.ingest_buffer import Arrival
from edge_contract.batch import Header

from ...application import app, client, token

FIXTURES = (app, client)


@pytest.fixture
def headers(client: TestClient) -> dict[str, str]:
    return {"X-Token": token(client)}


def test_completeness_and_gaps(client: TestClient, headers: dict[str, str]) -> None:
    period = "from_ms=1790000000000&to_ms=1790003600000"
    found = client.get(f"/api/v1/device/1/completeness?{period}&bucket=hour", headers=headers).json()["data"]
    assert (found["device_id"], found["received"], found["percent"], found["reasons"]) == (1, 0, None, {})
    assert len(found["buckets"]) == 2
    assert client.get(f"/api/v1/device/1/gaps?{period}", headers=headers).json()["data"]["total"] == 0
    everybody = client.get(f"/api/v1/completeness?{period}", headers=headers).json()["data"]
    assert "gw-1" in [row["gateway_id"] for row in everybody["rows"]]
    for path, field in (
        (f"/api/v1/device/1/completeness?{period}&bucket=week", "bucket"),
        (f"/api/v1/device/1/completeness?{period}&offset_min=330", "offset_min"),
        (f"/api/v1/device/1/gaps?{period}&reason=bad", "reason"),
        ("/api/v1/completeness?to_ms=1", "from_ms"),
    ):
        reply = client.get(path, headers=headers)
        assert (reply.status_code, reply.json()["data"]["field"]) == (400, field)


def test_what_was_counted_of_a_deleted_gateway_is_gone_with_it(
    app: FastAPI, client: TestClient, headers: dict[str, str]
) -> None:
    """However its serial number comes back, and what came when it was nobody's too."""
    t_ms = 1_790_000_000_000
    services = app.state.services
    buffer = services[Link]._buffer

    async def erase_orphans() -> None:
        await services[Link].erase_orphans(services[DeviceService].is_claimed)

    def receive(seq: int) -> None:
        header = Header("a" * 16, seq, "c" * 16, t_ms, 10)
        client.portal.call(buffer.append, [Arrival("gw-again", "live", header, b"x", t_ms)])  # type: ignore[union-attr]

    def add() -> int:
        reply = client.post("/api/v1/device", headers=headers, json={"gateway_id": "gw-again"})
        return int(reply.json()["data"]["device"]["id"])

    def shown(number: int) -> tuple[object, ...]:
        period = f"from_ms={t_ms}&to_ms={t_ms + 1}"
        found = client.get(f"/api/v1/device/{number}/completeness?{period}", headers=headers).json()["data"]
        detail = client.get(f"/api/v1/device/{number}", headers=headers).json()["data"]
        return found["samples"], found["percent"], detail["received_batches"], detail["data_ms"]

    first = add()
    receive(1)
    assert shown(first) == (10, 100.0, 1, t_ms)
    assert client.delete(f"/api/v1/device/{first}", headers=headers).status_code == 200
    second = add()
    assert shown(second) == (0, None, 0, None)
    assert client.delete(f"/api/v1/device/{second}", headers=headers).status_code == 200
    receive(2)  # was still under way
    client.portal.call(erase_orphans)  # type: ignore[union-attr]
    third = add()
    receive(3)
    client.portal.call(erase_orphans)  # type: ignore[union-attr]
    assert shown(third) == (10, 100.0, 1, t_ms)
    assert client.delete(f"/api/v1/device/{third}", headers=headers).status_code == 200


def test_settings_are_refused_by_name(client: TestClient, headers: dict[str, str]) -> None:
    reply = client.put("/api/v1/device/1", headers=headers, json={"offline_notify": True})
    assert reply.json()["data"]["offline_notify"] is True
    for body, field in (
        ({"colour": 1}, "colour"),
        ({"offline_alarm_delay_s": 86_401}, "offline_alarm_delay_s"),
        ({"offline_alarm_delay_s": -1}, "offline_alarm_delay_s"),
        ({"device_title": ""}, "device_title"),
        ({"device_title": "a\u0000"}, "device_title"),
    ):
        reply = client.put("/api/v1/device/1", headers=headers, json=body)
        assert (reply.status_code, reply.json()["data"]["field"]) == (400, field)


@pytest.fixture
def entry(app: FastAPI, client: TestClient, headers: dict[str, str]) -> Iterator[int]:
    """Of an absence of gateway 1 that has ended."""

    async def add() -> int:
        async with app.state.services[DeviceService]._database.session() as session:
            row = OnOfflineLog(device_id=1, offline_ms=1, online_ms=2, reason="timeout")
            session.add(row)
            await session.commit()
            return row.id

    number: int = client.portal.call(add)  # type: ignore[union-attr]
    yield number
    assert client.delete(f"/api/v1/device/onofflinelog/{number}", headers=headers).status_code == 200


def test_a_viewer_changes_nothing(client: TestClient, entry: int) -> None:
    headers = {"X-Token": token(client, "viewer")}
    assert client.put("/api/v1/device/1", headers=headers, json={}).status_code == 403
    refused = client.delete(f"/api/v1/device/onofflinelog/{entry}", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (403, 10001)
    assert client.get("/api/v1/completeness?from_ms=0&to_ms=1", headers=headers).status_code == 200


def test_on_offline_log(client: TestClient, headers: dict[str, str]) -> None:
    reply = client.get("/api/v1/device/onofflinelog?device_id=1", headers=headers)
    assert reply.json()["data"] == {"rows": [], "total": 0}
    assert client.get("/api/v1/device/onofflinelog?device_id=9", headers=headers).status_code == 404
    assert client.delete("/api/v1/device/onofflinelog/9", headers=headers).status_code == 404
