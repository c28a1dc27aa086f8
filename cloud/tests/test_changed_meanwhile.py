"""What the database refuses because somebody else was faster is a conflict in words, and no failure."""

from __future__ import annotations

import httpx
import pytest
from fastapi import FastAPI

from cloud import web
from cloud.db import Database
from cloud.domains.inventory.models import Device, DeviceShare


def device(**fields: object) -> Device:
    return Device(**{"gateway_id": "gw-hidden", "title": "", "secret_hash": "", "created_ms": 0, **fields})


async def test_a_row_that_is_there_or_gone_is_a_conflict(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    database, app = Database(database_url), FastAPI()
    web.install(app)
    rows = {
        "/twice": device(),
        "/gone": DeviceShare(device_id=9, user_id=9, role="visitor", created_ms=0),
        "/wrong": device(gateway_id="gw-2", secret_hash=None),
    }

    async def put(name: str) -> None:
        async with database.session() as session:
            session.add(rows[f"/{name}"])
            await session.commit()

    app.get("/{name}")(put)
    async with database.session() as session:
        session.add(device())
        await session.commit()
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://cloud") as client:
        for path in ("/twice", "/gone"):
            reply = await client.get(path)
            assert (reply.status_code, reply.json()["data"]["reason"]) == (409, "changed_meanwhile")
            assert "hidden" not in reply.text + caplog.text
        assert (await client.get("/wrong")).status_code == 500
    await database.close()
