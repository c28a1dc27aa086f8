"""Drivers on a null modem live in simulated time: waits cost nothing, and a busy machine makes none late."""

from __future__ import annotations

import asyncio
import contextlib
import selectors
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

STEP_S = 50e-6
"""What one turn of the loop takes."""
DELIVERED_S = 0.01
"""What a busy machine may take to hand a socket's bytes over."""
REAL_TIME = {"modbus", "test_native_plc.py", "test_peer.py", "test_statutes.py"}
"""Packages and files whose other end is a program or a socket."""


class IdleSelector(selectors.DefaultSelector):
    """Does not wait; what it would have waited has passed."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(None if timeout is None else 0)
        if timeout and not events and len(self.get_map()) > 1:  # sockets, beside the loop's own
            events = super().select(DELIVERED_S)
        self.now_s += STEP_S if events or timeout is None else max(timeout, STEP_S)
        return events


class SimulatedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._idle = IdleSelector()
        super().__init__(self._idle)

    def time(self) -> float:
        return self._idle.now_s


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> dict[str, Callable[[], asyncio.AbstractEventLoop]]:
    real = REAL_TIME & {item.path.name, item.path.parent.name}
    return {"real": asyncio.new_event_loop} if real else {"simulated": SimulatedLoop}


@pytest.fixture
def connected() -> Callable[[Any, Any], AbstractAsyncContextManager[tuple[Any, Any]]]:
    """connected(driver, device): both, the driver connected and the device running meanwhile."""

    @contextlib.asynccontextmanager
    async def opened(driver: Any, device: Any) -> AsyncIterator[tuple[Any, Any]]:
        task = asyncio.create_task(device.run())
        await asyncio.sleep(0)
        await driver.connect()
        yield driver, device
        await driver.close()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    return opened
