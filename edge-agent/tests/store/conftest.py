"""Both stores for one suite."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from edge_agent.store.base import Store
from edge_agent.store.memory import open_memory
from edge_agent.store.sqlite import open_sqlite

SMALL = 1024 * 1024


def now_ms() -> int:
    return time.time_ns() // 1_000_000


@pytest.fixture(params=["sqlite", "memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """A store of one megabyte."""
    if request.param == "memory":
        yield open_memory(SMALL)
        return
    async with open_sqlite(tmp_path, SMALL, now_ms, time.monotonic) as opened:
        yield opened
