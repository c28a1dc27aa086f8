"""What a failed request leaves in the log."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI
from starlette.responses import StreamingResponse

from cloud import web

TICKET = "a-ticket-of-one-gateway"


async def test_a_ticket_in_an_address_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    app = FastAPI()
    web.install(app)

    async def broken(ticket: str) -> None:
        raise RuntimeError

    async def breaking_off(ticket: str) -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            yield b"x"
            raise ConnectionError

        return StreamingResponse(parts())

    app.get("/broken/{ticket}")(broken)
    app.get("/off/{ticket}")(breaking_off)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://cloud") as client:
        assert (await client.get(f"/broken/{TICKET}")).status_code == 500
        with pytest.raises(ConnectionError):
            await client.get(f"/off/{TICKET}")
    told = [record.getMessage() for record in caplog.records if record.name == web.log.name]
    assert told == ["unexpected error in GET /broken/***", "the reply to GET /off/*** broke off"]
