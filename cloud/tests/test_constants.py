"""Constants of the specification that the cloud keeps, and its error catalogue, as they go over the wire.

The list of all of them with their tests is web/test/constants.test.ts (section 9); the texts of the catalogue
are in web/test/catalogue.test.ts (section 8). Constants of sign-in are in domains/identity/test_constants.py,
those of uploads in domains/files.
"""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.domains.devices.service import DeviceService
from cloud.domains.options.schemas import CloudConfig, Notifications, Preferences
from cloud.errors import (
    Busy,
    CloudError,
    Code,
    Conflict,
    NoPermission,
    NotFound,
    ParameterError,
    SessionExpired,
    Unavailable,
    WrongCredentials,
)
from cloud.realtime.socket import SILENT_S

from .application import token

HEARTBEAT_S = 60.0
EVENT_LISTS = ("/api/v1/event/alarmlog", "/api/v1/event/onoffline")

CATALOGUE = {10001, 10002, 10009, 10010, 20000}
"""Codes of the catalogue that this cloud gives. None of its replies wants nothing shown (10000, 10011)."""

OF_ITS_OWN = {0, 20001}
"""Success, and what is refused because there is too much of it."""

ERRORS = [
    (NoPermission("Monitor"), 403, 10001),
    (ParameterError("limit", "at most 100"), 400, 10002),
    (WrongCredentials(), 401, 10009),
    (SessionExpired(), 401, 10010),
    (CloudError("a sentence"), 400, 20000),
    (NotFound("device"), 404, 20000),
    (Conflict("it is there already", reason="there"), 409, 20000),
    (Unavailable("the broker is away", reason="away"), 503, 20000),
    (Busy("too much"), 429, 20001),
]


def test_codes_are_those_of_the_catalogue() -> None:
    assert {int(code) for code in Code} == CATALOGUE | OF_ITS_OWN
    assert {code for _, _, code in ERRORS} == {int(code) for code in Code} - {0}


def below(kind: type[CloudError]) -> set[type[CloudError]]:
    return {kind}.union(*(below(each) for each in kind.__subclasses__()))


def test_every_error_has_a_code_of_the_catalogue() -> None:
    assert {int(kind.code) for kind in below(CloudError)} <= CATALOGUE | OF_ITS_OWN


@pytest.mark.parametrize(("error", "status", "code"), ERRORS, ids=[type(one[0]).__name__ for one in ERRORS])
def test_code_over_the_wire(
    app: FastAPI,
    client: TestClient,
    monkeypatch: pytest.MonkeyPatch,
    error: CloudError,
    status: int,
    code: int,
) -> None:
    headers = {"X-Token": token(client)}

    async def fail(*words: object) -> None:
        raise error

    monkeypatch.setattr(app.state.services[DeviceService], "page", fail)
    reply = client.get("/api/v1/device", headers=headers)
    body: dict[str, Any] = reply.json()
    assert (reply.status_code, body["code"], body["msg"]) == (status, code, error.message)
    assert (body["data"]["message"], body["data"]["field"], body["data"]["rule"]) == (
        error.message, error.field, error.rule
    )  # fmt: skip


def test_pages_of_events_have_twenty_rows(app: FastAPI) -> None:
    paths = app.openapi()["paths"]
    for path in EVENT_LISTS:
        limits = [one["schema"] for one in paths[path]["get"]["parameters"] if one["name"] == "limit"]
        assert [(one["default"], one["minimum"], one["maximum"]) for one in limits] == [(20, 1, 100)], path


def test_defaults_of_a_user() -> None:
    assert Notifications() == Notifications(alarm=False, onoff=False, alarmTone=True, onoffTone=False)
    sizes = Preferences.model_json_schema()["properties"]["size"]["anyOf"][0]["enum"]
    assert {"medium", "mini"} <= set(sizes)
    assert Preferences().size is None  # the portal's own, which is medium


def test_switches_of_the_cloud_are_off() -> None:
    assert CloudConfig().model_dump() == {"ot": 0, "rl": 0, "ss": 0, "rg": 0, "announced": 0}


def test_a_browser_may_miss_one_heartbeat() -> None:
    assert 2 * HEARTBEAT_S < SILENT_S < 3 * HEARTBEAT_S
