"""The whole application with two tenants in it."""

from __future__ import annotations

import asyncio
import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from cloud.core.xlsx import Column, Sheet, write_workbook

from ..application import make_app, token
from ..databases import migrated_settings
from .world import Tenant, build


class World:
    """A client with the sessions of everybody."""

    def __init__(self, app: FastAPI, client: TestClient, tenants: dict[str, Tenant]) -> None:
        self.app = app
        self.client = client
        self.alpha, self.beta = tenants["alpha"], tenants["beta"]
        self._tokens: dict[str, str] = {}

    def headers(self, name: str) -> dict[str, str]:
        if name not in self._tokens:
            self._tokens[name] = token(self.client, name)
        return {"X-Token": self._tokens[name]}

    def ask(self, name: str, request: dict[str, object]):  # type: ignore[no-untyped-def]
        """The reply to a request of that user."""
        return self.client.request(headers=self.headers(name), **request)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[World]:
    settings = migrated_settings(tmp_path_factory.mktemp("tenants"), sqlite_template)
    tenants = asyncio.run(build(settings.database))
    app = make_app(settings)
    with TestClient(app, base_url="http://testserver") as client:
        made = World(app, client, tenants)
        switches = {"key": "CDCF", "value": {"ot": 1}}
        assert (
            made.ask("admin", {"method": "PUT", "url": "/api/v1/dict", "json": switches}).status_code == 200
        )
        for tenant, grey in zip(tenants.values(), (10, 200), strict=True):
            picture = {"file": ("icon.png", png(grey), "image/png")}
            ask = {"method": "POST", "url": "/api/v1/file?kind=picture", "files": picture}
            tenant.ids["file_id"] = made.ask(tenant.plant, ask).json()["data"]["id"]
            sheet = {"file": ("points.xlsx", points(f"gw-{tenant.name}-none"))}
            ask = {"method": "POST", "url": "/api/v1/device/import?file_name=points.xlsx", "files": sheet}
            tenant.ids["import_id"] = made.ask(tenant.plant, ask).json()["data"]["id"]
        yield made


def points(gateway: str) -> bytes:
    """A workbook with one point of a gateway."""
    file = io.BytesIO()
    columns = [Column(name) for name in ("gateway_id", "slave", "ds_name")]
    write_workbook(file, [Sheet("points", columns, [[gateway, "plc", "t"]])])
    return file.getvalue()


def png(grey: int) -> bytes:
    """A picture of 8 by 8 points of one grey."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")

    header = struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + bytes([grey]) * 8) * 8)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
