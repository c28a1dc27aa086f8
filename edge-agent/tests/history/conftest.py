"""A clock that moves only when told, a plant of two slaves, and every place that a history can lie at."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from history_gateway import NOW, HandClock

from edge_agent.history.place import Disk, HistoryPlace, Memory

MEGABYTE = 1024 * 1024


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture(params=["disk", "memory"])
def make_place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., HistoryPlace]:
    """make_place(max_bytes): the same file, or the same memory, each time."""
    memory: list[Memory] = []

    def make(max_bytes: int = MEGABYTE) -> HistoryPlace:
        if request.param == "memory":
            memory[:] = memory or [Memory(max_bytes)]
            return memory[0]
        return Disk(tmp_path / "history.sqlite", max_bytes, lambda _: True, lambda: NOW)

    return make
