"""A version that was left may have changed the store: the one before it must start all the same."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from edge_agent.errors import StoreError
from edge_agent.store.sqlite import FILE, open_sqlite, set_newer_aside


async def stream_of(folder: Path) -> str:
    async with open_sqlite(folder, 1 << 22, lambda: 1, lambda: 1.0) as store:
        return store.outbox.state().stream


@pytest.mark.clause("C-208")
async def test_a_newer_store_is_set_aside_and_another_one_is_not(tmp_path: Path) -> None:
    set_newer_aside(tmp_path, 5)
    stream = await stream_of(tmp_path)
    set_newer_aside(tmp_path, 5)
    assert await stream_of(tmp_path) == stream
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(StoreError, match="schema 999"):
        await stream_of(tmp_path)
    set_newer_aside(tmp_path, 5)
    assert await stream_of(tmp_path) != stream
    assert (tmp_path / f"{FILE}.bad-5").exists()
