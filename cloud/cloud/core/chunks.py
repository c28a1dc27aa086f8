"""Long lists in chunks, so that nothing holds the event loop for longer than a moment.

500 rows at a time, so that no request holds the event loop for longer than 50 ms (C-138;
`tests/test_loop_held.py` measures every operation with a gateway of 20,000 points).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from typing import TypeVar

from fastapi import Response
from pydantic import BaseModel, TypeAdapter

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

CHUNK_ROWS = 500
"""Rows between two chances for others."""


async def chunked(rows: Sequence[T], size: int = CHUNK_ROWS) -> AsyncIterator[Sequence[T]]:
    """The rows in their order; after each chunk others have their turn."""
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
        await asyncio.sleep(0)


async def rows_reply(kind: type[M], rows: AsyncIterable[Sequence[M]]) -> Response:
    """The JSON of Envelope[Rows[kind]]; an operation that returns it names that as its response_model.

    Only the bytes of a chunk are kept: many objects at a time also make a collection of garbage long.
    """
    adapter = TypeAdapter(list[kind])  # type: ignore[valid-type]
    parts = [adapter.dump_json(list(some))[1:-1] async for some in rows if some]
    body = b'{"code":0,"msg":"","data":{"rows":[' + b",".join(parts) + b"]}}"
    return Response(body, media_type="application/json")
