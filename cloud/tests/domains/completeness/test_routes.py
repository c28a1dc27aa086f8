"""The calls of completeness, presence settings and the on-offline log over HTTP."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

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


def test_a_viewer_changes_nothing(client: TestClient) -> None:
    headers = {"X-Token": token(client, "viewer")}
    assert client.put("/api/v1/device/1", headers=headers, json={}).status_code == 403
    assert client.delete("/api/v1/device/onofflinelog/1", headers=headers).status_code == 403
    assert client.get("/api/v1/completeness?from_ms=0&to_ms=1", headers=headers).status_code == 200


def test_on_offline_log(client: TestClient, headers: dict[str, str]) -> None:
    reply = client.get("/api/v1/device/onofflinelog?device_id=1", headers=headers)
    assert reply.json()["data"] == {"rows": [], "total": 0}
    assert client.get("/api/v1/device/onofflinelog?device_id=9", headers=headers).status_code == 404
    assert client.delete("/api/v1/device/onofflinelog/9", headers=headers).status_code == 404
