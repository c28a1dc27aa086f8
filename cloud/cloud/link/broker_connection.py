"""What both connections to a broker have in common: address, messages, what is held, and how they open."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from cloud.link.errors import LinkDown

CONNECT_TIMEOUT_S = 10.0
"""From opening the connection to the answered subscription."""

KEEPALIVE_S = 30

MAX_UNACKNOWLEDGED = 8000
MAX_UNACKNOWLEDGED_BYTES = 64 * 1024 * 1024
"""Messages taken and not yet acknowledged. What comes above waits (direct_connection.py) or is dropped,
counted and acknowledged to the broker; gateways repeat what was not acknowledged to them."""


@dataclass(frozen=True)
class BrokerAddress:
    """Where the broker is and who we are. ca_file: own authority for TLS. client_id: "" for the user name."""

    host: str
    port: int
    username: str
    password: str
    tls: bool = False
    ca_file: Path | None = None
    client_id: str = ""


class Incoming(NamedTuple):
    """A message; acknowledge() tells the broker that it is done with. retained: an old one that it kept."""

    topic: str
    payload: bytes
    retained: bool
    acknowledge: Callable[[], None]


class InFlight:
    """Counts messages taken and not yet acknowledged, over all connections; used by two threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._messages = 0
        self._bytes = 0

    def take(self, size: int) -> bool:
        """Count a message of so many bytes; False when too much is held already."""
        with self._lock:
            if self._messages >= MAX_UNACKNOWLEDGED or self._bytes + size > MAX_UNACKNOWLEDGED_BYTES:
                return False
            self._messages += 1
            self._bytes += size
            return True

    @property
    def roomy(self) -> bool:
        """At least half of what may be held is free."""
        return self._messages * 2 <= MAX_UNACKNOWLEDGED and self._bytes * 2 <= MAX_UNACKNOWLEDGED_BYTES

    def give_back(self, size: int) -> None:
        """A message of so many bytes is acknowledged."""
        with self._lock:
            self._messages -= 1
            self._bytes -= size


class BrokerConnection(ABC):
    """One connection, from open to close; another is a new object. MQTT 3.1.1, QoS 1, a clean session.

    filters: subscribed to while it opens; none of them for one that only sends. deliver: called in the event
    loop. in_flight: shared by all connections of a client. closed: its result is why the connection ended.
    """

    def __init__(
        self,
        address: BrokerAddress,
        filters: tuple[str, ...],
        deliver: Callable[[Incoming], None],
        in_flight: InFlight,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._address = address
        self._filters = filters
        self._deliver = deliver
        self._in_flight = in_flight
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self.closed: asyncio.Future[str] = self._loop.create_future()
        self._pending: dict[int, asyncio.Future[None] | None] = {}

    async def open(self) -> None:
        """Connect and subscribe; LinkDown when that fails or takes longer than CONNECT_TIMEOUT_S."""
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await self._connect()
                await self._ready
        except TimeoutError:
            raise LinkDown(f"not connected within {CONNECT_TIMEOUT_S:g} s") from None
        except (OSError, ValueError) as error:
            raise LinkDown(str(error)) from error

    @abstractmethod
    async def _connect(self) -> None:
        """Begin; _opened() or _lost() follows. OSError or ValueError when it cannot."""

    @abstractmethod
    async def close(self) -> None:
        """Disconnect. Safe to call in any state."""

    @abstractmethod
    async def publish(self, topic: str, payload: bytes) -> None:
        """Return at the PUBACK; LinkDown when it cannot be sent or the connection ends before."""

    @abstractmethod
    def post(self, topic: str, payload: bytes) -> bool:
        """Publish without waiting; False when too much waits already."""

    def _opened(self) -> None:
        if not self._ready.done():
            self._ready.set_result(None)

    def _acknowledged(self, packet_id: int) -> None:
        waiting = self._pending.pop(packet_id, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def _lost(self, reason: str) -> None:
        """The connection has ended: everybody who waits learns why. Only the first reason counts."""
        if not self.closed.done():
            self.closed.set_result(reason)
        if not self._ready.done():
            self._ready.set_exception(LinkDown(reason))
        for waiting in self._pending.values():
            if waiting is not None and not waiting.done():
                waiting.set_exception(LinkDown(f"connection lost: {reason}", may_have_sent=True))
        self._pending.clear()
