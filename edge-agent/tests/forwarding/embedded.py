"""The cloud's embedded broker in a thread of its own, with the doors of the tests' mosquitto."""

from __future__ import annotations

import asyncio
import threading

from cloud.link.brokers.embedded import EmbeddedBroker
from edge_contract.access import Principal, Role

from ..ports import free_port

START_TIMEOUT_S = 10.0


async def anyone(name: str, secret: str) -> Principal:
    """The cloud by its name, every other one as the gateway that it says it is."""
    return Principal(Role.SERVICE if name == "cloud" else Role.GATEWAY, name)


class Embedded:
    """port: the same after every start."""

    def __init__(self) -> None:
        self.port = free_port()
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(START_TIMEOUT_S)

    def kill(self) -> None:
        """End it with every connection, without a word to anybody."""
        if self._thread is not None:
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join(START_TIMEOUT_S)
            self._thread = None

    async def _serve(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        broker = EmbeddedBroker("127.0.0.1", self.port, anyone)
        await broker.start()
        self._ready.set()
        await self._over.wait()
        await broker.stop()
