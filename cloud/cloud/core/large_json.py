"""Large JSON, read and written in a thread: the event loop is not held by it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel

LARGE_BYTES = 128 * 1024


class _Request(Request):
    async def json(self) -> Any:
        """As the one of Request."""
        if not hasattr(self, "_json"):
            body = await self.body()
            self._json = (
                json.loads(body) if len(body) <= LARGE_BYTES else await asyncio.to_thread(_loads, body)
            )
        return self._json


class LargeJsonRoute(APIRoute):
    """An operation whose body may carry a whole configuration."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """See APIRoute."""
        handle = super().get_route_handler()

        async def handle_large(request: Request) -> Response:
            return await handle(_Request(request.scope, request.receive))

        return handle_large


async def large_reply(data: BaseModel) -> Response:
    """The JSON of Envelope[...] with this; an operation that returns it names that as its response_model."""
    body = await asyncio.to_thread(data.model_dump_json)
    return Response(f'{{"code":0,"msg":"","data":{body}}}', media_type="application/json")


def _loads(body: bytes) -> Any:
    """msgspec needs half the time; what it refuses and the standard library takes stays as it was."""
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return json.loads(body)
