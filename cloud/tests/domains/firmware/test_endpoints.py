"""Firmware over HTTP: from the key to the file that a gateway loads in ranges."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from cloud.db import Database
from cloud.domains.devices.claims import ClaimService
from cloud.domains.devices.presence import PresenceService
from cloud.domains.firmware.models import GatewayUpgrade
from cloud.domains.firmware.reports import FirmwareReports
from cloud.domains.firmware.tickets import Tickets
from cloud.domains.identity.service import IdentityService
from edge_contract.upgrade import FirmwareReport, UpgradeStep

from ...application import PASSWORD, make_app, token
from ...conftest import hello
from ...databases import migrated_settings
from .conftest import KEY_ID, URL, Gateway, public, signed

TIMEOUT_S = 60.0
GATEWAY = Gateway(1, "gw-1")
PLAN: dict[str, Any] = {
    "name": 1,
    "range": "device",
    "device_ids": [1],
    "firmware_id": 1,
    "upgrade_type": 2,
}


class Site:
    """The application, its administrator's calls, and the folder of its data."""

    def __init__(self, app: FastAPI, client: TestClient, folder: Path) -> None:
        self.services = app.state.services
        self.client = client
        self.folder = folder
        self.key = Ed25519PrivateKey.generate()
        self._headers = {"X-Token": token(client)}

    def call(self, method: str, path: str, status: int = 200, **more: Any) -> Any:
        """The data of a reply with this status."""
        reply = self.client.request(method, f"/api/v1{path}", headers=self._headers, **more)
        assert reply.status_code == status, reply.text
        return reply.json()["data"]

    def run(self, work: Callable[..., Any], *given: Any) -> Any:
        return self.client.portal.call(work, *given)  # type: ignore[union-attr]

    def until(self, done: Callable[[], Any]) -> Any:
        end = time.monotonic() + TIMEOUT_S
        while not (answer := done()):
            assert time.monotonic() < end
            time.sleep(0.1)
        return answer


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("firmware")
    app = make_app(migrated_settings(folder, sqlite_template, firmware_url=URL))
    with TestClient(app, base_url="http://testserver") as client:
        services = app.state.services
        client.portal.call(services[IdentityService].add_user, "admin", PASSWORD, 0)  # type: ignore[union-attr]
        made = Site(app, client, folder)
        made.run(services[ClaimService].claim, GATEWAY.name, "Gateway 1")
        yield made


def test_without_the_switch_nobody_upgrades(site: Site) -> None:
    site.call("GET", "/firmware/plan", 403)
    site.call("PUT", "/dict", json={"key": "CDCF", "value": {"ot": 1}})
    site.until(lambda: site.client.get("/api/v1/firmware/plan", headers=site._headers).status_code == 200)


def test_a_file_needs_a_key_and_a_name_that_ends_with_bin(site: Site) -> None:
    content = signed(site.key)
    site.call("POST", "/firmware/file?file_name=a.txt", 400, content=content)
    refused = site.call("POST", "/firmware/file?file_name=a.bin", 409, content=content)
    assert (refused["reason"], refused["field"]) == ("firmware.no_key", "key")
    body = {"key_id": KEY_ID, "public_key": public(site.key)}
    assert site.call("POST", "/firmware/key", json=body)["is_platform"]
    wrong = site.call("POST", "/firmware/file?file_name=a.bin", 400, content=content[:-1] + b"x")
    assert (wrong["field"], wrong["reason"]) == ("file", "firmware.hash")
    row = site.call("POST", "/firmware/file?file_name=a.bin", content=content)
    assert (row["version"], row["size"], row["trusted"]) == (2, len(content), True)


def test_a_plan_says_which_of_its_fields_break_a_rule(site: Site) -> None:
    cases = [
        ({"name": 0}, "name"),
        ({"scope": 2}, ""),
        ({"scope": 3, "plan_control_count": 4}, ""),
        ({"device_ids": []}, ""),
        ({"range": "project"}, ""),
        ({"upgrade_type": 1}, "upgrade_type"),
        ({"rules": {"window": {"begin": "01:00", "end": "01:00"}}}, "rules.window"),
        ({"rules": {"window": {"begin": "01:00", "end": "02:00"}, "expires_s": 60}}, "rules"),
        ({"rules": {"error_share": 0.9}}, "rules.error_share"),
        ({"unknown": 1}, "unknown"),
    ]
    for changes, field in cases:
        refused = site.call("POST", "/firmware/plan", 400, json={**PLAN, **changes})
        assert refused["field"] == field or not field, (changes, refused)
        assert refused["rule"], changes


def test_from_the_plan_to_the_bytes_that_the_gateway_loads(site: Site) -> None:
    site.run(site.services[PresenceService].hello, GATEWAY.name, hello())
    reports = site.services[FirmwareReports]
    site.run(reports.connected, GATEWAY.name, GATEWAY.state)
    (gateway,) = site.call("GET", "/firmware/gateway?takes_firmware=true")["rows"]
    chosen = [site.call("GET", f"/firmware/gateway?device_id={at}")["total"] for at in (1, 999_999)]
    assert chosen == [1, 0]
    assert (gateway["version"], gateway["upgrade"]) == (1, None)
    number = site.call("POST", "/firmware/plan", json={**PLAN, "rules": {"watch_s": 0}})["id"]
    assert site.call("GET", f"/firmware/plan/{number}/preview")["waves"] == [1]
    started = site.call("POST", f"/firmware/plan/{number}/start")
    assert (started["state"], started["counts"]["total"]) == ("running", 1)
    site.call("DELETE", f"/firmware/plan/{number}", 409)
    history = "/firmware/upgrade?device_id=1"
    site.until(lambda: site.call("GET", history)["rows"][0]["state"] == "ordered")
    site.call("GET", "/device/upgrade/1", 409)
    order = site.run(newest_order, site.folder)
    tickets = Tickets(site.folder / "firmware" / "tickets.key", "http://testserver")
    content = signed(site.key)
    loaded = loads(site, tickets.url(order), {})
    assert (loaded.status_code, loaded.content) == (200, content)
    part = loads(site, tickets.url(order), {"Range": "bytes=100-"})
    assert (part.status_code, part.content) == (206, content[100:])
    assert part.headers["content-range"] == f"bytes 100-{len(content) - 1}/{len(content)}"
    beyond = loads(site, tickets.url(order), {"Range": f"bytes={len(content)}-"})
    assert beyond.status_code == 416
    assert loads(site, tickets.url(order)[:-64] + "0" * 64, {}).status_code == 404
    report = FirmwareReport(
        id=order, step=UpgradeStep.CONFIRMED, t_ms=1, firmware=Gateway(1, "gw-1", version=2).state
    )
    site.run(reports.reported, GATEWAY.name, report)
    site.until(lambda: site.call("GET", f"/firmware/plan/{number}")["state"] == "finished")
    (row,) = site.call("GET", f"/firmware/plan/{number}/upgrade?upgrade_state=succeeded")["rows"]
    assert (row["from_version"], row["version"], row["gateway_id"]) == (1, 2, GATEWAY.name)
    assert loads(site, tickets.url(order), {}).status_code == 404


def loads(site: Site, url: str, headers: dict[str, str]) -> httpx.Response:
    """As a gateway asks: without a session."""
    return site.client.get(url, headers=headers)


async def newest_order(folder: Path) -> str:
    database = Database(f"sqlite+aiosqlite:///{folder / 'cloud.db'}")
    async with database.reading() as session:
        order = await session.scalar(select(GatewayUpgrade.upgrade_id).order_by(GatewayUpgrade.id.desc()))
    await database.close()
    assert order is not None
    return order
