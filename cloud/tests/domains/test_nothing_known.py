"""Absence is never counted as good: every share of the API, asked of a gateway that never connected."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from openpyxl import load_workbook

from ..application import token

SHARES = re.compile(r"^(percent|available|availability|share|rate|completeness)$|_(percent|share|rate)$")
"""Names of fields that tell a share. What somebody sets, and is told back, is none."""
SET_BY_SOMEBODY = {"healthy_share", "error_share", "success_share"}

NOW_MS = int(time.time() * 1000)
START_MS, END_MS = NOW_MS - 3_600_000, NOW_MS + 3_600_000
"""The gateway is added within it."""
PERIOD = f"from_ms={START_MS}&to_ms={END_MS}"
REPORT = f"starttime={START_MS}&endtime={END_MS}"
ASKED = {
    "getCompleteness": f"/device/1/completeness?{PERIOD}",
    "listCompleteness": f"/completeness?{PERIOD}",
    "getCollection": f"/device/1/collection?{PERIOD}",
    "getStatisticalReport": f"/device/eventStatReport?{REPORT}",
    "getOverview": "/overview",
    "exportStatisticalReport": f"/device/exportStatReport?{REPORT}",
}
"""Every operation that answers with a share."""
COUNTED_S = 10
"""The overview counts beside its requests."""
IN_A_FILE = {"exportStatisticalReport"}


def told(schema: Any, known: dict[str, Any], seen: set[str]) -> Iterator[str]:
    """Names of the shares within a schema."""
    if isinstance(schema, list):
        for one in schema:
            yield from told(one, known, seen)
    elif isinstance(schema, dict):
        name = str(schema.get("$ref", "")).rpartition("/")[2]
        if name and name not in seen:
            yield from told(known[name], known, seen | {name})
        for field, one in schema.get("properties", {}).items():
            if SHARES.search(field) and field not in SET_BY_SOMEBODY:
                yield field
            yield from told(one, known, seen)
        for key in ("items", "anyOf", "allOf", "oneOf", "additionalProperties"):
            yield from told(schema.get(key), known, seen)


def shares(answer: Any) -> Iterator[tuple[str, Any]]:
    """Name and value of every share in an answer."""
    if isinstance(answer, list):
        for one in answer:
            yield from shares(one)
    elif isinstance(answer, dict):
        for field, value in answer.items():
            if SHARES.search(field) and field not in SET_BY_SOMEBODY and not isinstance(value, dict):
                yield field, value
            yield from shares(value)


def test_every_operation_with_a_share_is_asked(app: FastAPI) -> None:
    document = app.openapi()
    known = document["components"]["schemas"]
    found = {
        operation["operationId"]
        for path in document["paths"].values()
        for operation in path.values()
        for answer in operation["responses"].values()
        for part in answer.get("content", {}).values()
        if any(told(part.get("schema"), known, set()))
    }
    assert found == ASKED.keys() - IN_A_FILE


@pytest.mark.parametrize("operation", sorted(ASKED.keys() - IN_A_FILE))
def test_no_share_of_what_never_was(client: TestClient, operation: str) -> None:
    headers = {"X-Token": token(client)}
    reply = client.get(f"/api/v1{ASKED[operation]}", headers=headers)
    deadline = time.monotonic() + COUNTED_S
    while reply.json()["data"].get("counting") and time.monotonic() < deadline:
        time.sleep(0.1)
        reply = client.get(f"/api/v1{ASKED[operation]}", headers=headers)
    assert reply.status_code == 200, reply.text
    found = list(shares(reply.json()["data"]))
    assert found, "the answer has shares"
    assert [(name, value) for name, value in found if value is not None] == []


def test_the_mean_says_who_is_left_out(client: TestClient) -> None:
    reply = client.get(f"/api/v1{ASKED['getStatisticalReport']}", headers={"X-Token": token(client)})
    totals = reply.json()["data"]["totals"]
    assert (totals["available_of"], totals["never_connected"]) == (0, 1)


def test_the_workbook_has_no_share_of_what_never_was(client: TestClient) -> None:
    where = f"/api/v1{ASKED['exportStatisticalReport']}&language=en"
    reply = client.get(where, headers={"X-Token": token(client)})
    rows = list(load_workbook(io.BytesIO(reply.content))["Devices"].iter_rows(values_only=True))
    assert dict(zip(rows[0], rows[1], strict=True))["Availability (%)"] == "Never connected"
