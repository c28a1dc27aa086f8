"""Lets the tests import what they have in common; running platforms."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from data_logger import RunningPlatform


@pytest.fixture
async def platform(tmp_path: Path) -> AsyncIterator[Callable[..., Any]]:
    """platform(yaml) opens one; it can be closed and opened again on the same folder."""
    async with AsyncExitStack() as stack:

        async def start(text: str) -> RunningPlatform:
            return await stack.enter_async_context(RunningPlatform(text, tmp_path / "state"))

        yield start
