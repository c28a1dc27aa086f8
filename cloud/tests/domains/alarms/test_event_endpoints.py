"""The endpoints of events over HTTP."""

from __future__ import annotations

import io
from datetime import datetime

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from openpyxl import load_workbook

from cloud.domains.alarms.endpoints import XLSX
from cloud.domains.alarms.models import AlarmEvent
from cloud.domains.alarms.service import AlarmService

from ...application import token


async def add(app: FastAPI) -> int:
    async with app.state.services[AlarmService]._database.session() as session:
        row = AlarmEvent(at_ms=1000, noted_ms=1000, alarm_type=4, device_id=1, cause="link_lost")
        session.add(row)
        await session.commit()
    return row.id


def test_one_alarm_through_its_life(app: FastAPI, client: TestClient) -> None:
    number = client.portal.call(add, app)  # type: ignore[union-attr]
    headers = {"X-Token": token(client)}
    url = f"/api/v1/event/alarmlog/{number}"
    listed = client.get("/api/v1/event/alarmlog?starttime=1000&endtime=1001&level=warning", headers=headers)
    (row,) = listed.json()["data"]["rows"]
    assert (row["id"], row["at"], row["shown"], row["gateway_id"]) == (number, 1000, "warning", "gw-1")
    assert client.put(url, headers=headers, json={"status": 2}).json()["data"]["status"] == 2
    refused = client.put(url, headers=headers, json={"status": 0})
    assert (refused.status_code, refused.json()["data"]["field"]) == (400, "note")
    assert refused.json()["data"]["reason"] == "alarm.note_needed"
    assert client.put(url, headers=headers, json={"status": 1}).status_code == 409
    assert client.put(url, headers=headers, json={"status": 3}).status_code == 400
    assert client.put(url, headers=headers, json={"status": 0, "note": "again"}).status_code == 200
    assert client.delete(url, headers=headers).json()["code"] == 0
    for reply in (client.delete(url, headers=headers), client.put(url, headers=headers, json={"status": 1})):
        assert reply.status_code == 404


def test_export_is_a_file(app: FastAPI, client: TestClient) -> None:
    number = client.portal.call(add, app)  # type: ignore[union-attr]
    headers = {"X-Token": token(client)}
    reply = client.get(
        "/api/v1/event/alarmlog/export?language=en&offset_min=60&endtime=2000", headers=headers
    )
    assert reply.headers["content-type"] == XLSX
    assert reply.headers["content-disposition"] == 'attachment; filename="alarms.xlsx"'
    head, row = load_workbook(io.BytesIO(reply.content)).active.values  # type: ignore[union-attr]
    assert (head[1], row[1]) == ("Type", "Online/offline alarm")
    assert row[0] == datetime(1970, 1, 1, 1, 0, 1)  # noqa: DTZ001
    client.delete(f"/api/v1/event/alarmlog/{number}", headers=headers)


def test_read_and_unread(client: TestClient) -> None:
    headers = {"X-Token": token(client)}
    assert set(client.get("/api/v1/event/unread", headers=headers).json()["data"]) == {"alarm", "onoffline"}
    for kind in ("alarm", "onoffline"):
        reply = client.post("/api/v1/event/read", headers=headers, json={"kind": kind})
        assert reply.json()["data"][kind] == 0
    assert client.post("/api/v1/event/read", headers=headers, json={"kind": "all"}).status_code == 400


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("alarmlog?limit=101", "limit"),
        ("alarmlog?status=3", "status"),
        ("alarmlog?level=loud", "level"),
        ("alarmlog?level=-1", "level"),
        ("alarmlog?type=-1", "type"),
        ("alarmlog?starttime=2&endtime=2", "endtime"),
        ("alarmlog?search=%00", "search"),
        ("alarmlog/export?offset_min=900", "offset_min"),
        ("alarmlog/export?language=de", "language"),
        ("onoffline?status=2", "status"),
        ("onoffline?starttime=2&endtime=1", "endtime"),
        ("onoffline?device_id=0", "device_id"),
    ],
)
def test_wrong_questions_name_the_field(client: TestClient, query: str, field: str) -> None:
    reply = client.get(f"/api/v1/event/{query}", headers={"X-Token": token(client)})
    assert (reply.status_code, reply.json()["data"]["field"]) == (400, field)


def test_a_page_has_20_rows_unless_asked_otherwise(app: FastAPI) -> None:
    for path in ("/api/v1/event/alarmlog", "/api/v1/event/onoffline"):
        parameters = {
            each["name"]: each["schema"] for each in app.openapi()["paths"][path]["get"]["parameters"]
        }
        assert (parameters["limit"]["default"], parameters["limit"]["maximum"]) == (20, 100)
