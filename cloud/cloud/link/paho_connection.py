"""One connection to a broker, MQTT 3.1.1; the only file that imports paho."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from cloud.link.errors import LinkDown
from cloud.link.metrics import DROPPED

CONNECT_TIMEOUT_S = 10.0
"""From opening the connection to the answered subscription."""

KEEPALIVE_S = 30

MAX_UNACKNOWLEDGED = 8000
MAX_UNACKNOWLEDGED_BYTES = 64 * 1024 * 1024
"""Messages taken and not yet acknowledged. What comes above waits (direct.py) or is dropped, counted and
acknowledged to the broker; gateways repeat what was not acknowledged to them."""

MAX_OUTSTANDING = 1000
"""Publishes that wait for their PUBACK."""


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


class Connection:
    """One paho client with its thread, from connect to disconnect. Its callbacks only hand over."""

    def __init__(
        self,
        address: BrokerAddress,
        filters: tuple[str, ...],
        deliver: Callable[[Incoming], None],
        held: Held,
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._address = address
        self._filters = filters
        self._deliver = deliver
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self.closed: asyncio.Future[str] = self._loop.create_future()
        self._pending: dict[int, asyncio.Future[None]] = {}
        self._held = held
        self._client = self._make()

    def _make(self) -> Client:
        address = self._address
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=address.client_id or address.username,
            clean_session=True,
            reconnect_on_failure=False,
            manual_ack=True,
        )
        client.username_pw_set(address.username, address.password)
        if address.tls:
            client.tls_set_context(ssl.create_default_context(cafile=address.ca_file))
        client.connect_timeout = CONNECT_TIMEOUT_S
        client.max_queued_messages_set(MAX_OUTSTANDING)
        client.on_connect = self._on_connect
        client.on_subscribe = self._on_subscribe
        client.on_disconnect = self._on_disconnect
        client.on_publish = self._on_publish
        client.on_message = self._on_message
        return client

    async def open(self) -> None:
        """Connect and subscribe, or LinkDown."""
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await asyncio.to_thread(
                    self._client.connect, self._address.host, self._address.port, KEEPALIVE_S
                )
                self._client.loop_start()
                await self._ready
        except TimeoutError:
            raise LinkDown(f"not connected within {CONNECT_TIMEOUT_S:g} s") from None
        except (OSError, ValueError) as error:
            raise LinkDown(str(error)) from error

    async def close(self) -> None:
        """Disconnect and end paho's thread. Safe to call in any state."""
        self._client.disconnect()
        await asyncio.shield(asyncio.to_thread(self._end_thread))
        self._ready.cancel()
        self._lost("closed")

    def _end_thread(self) -> None:
        # When the thread ends by itself paho forgets it between its own look and its join.
        with contextlib.suppress(AttributeError):
            self._client.loop_stop()

    async def publish(self, topic: str, payload: bytes) -> None:
        """Return at the PUBACK."""
        info = self._client.publish(topic, payload, qos=1)
        if info.rc != MQTTErrorCode.MQTT_ERR_SUCCESS or self.closed.done():
            raise LinkDown(f"cannot publish: {MQTTErrorCode(info.rc).name}")
        acknowledged: asyncio.Future[None] = self._loop.create_future()
        self._pending[info.mid] = acknowledged  # the callback is queued behind this call, never before it
        try:
            await acknowledged
        finally:
            self._pending.pop(info.mid, None)

    def post(self, topic: str, payload: bytes) -> bool:
        """Publish without waiting; False when paho does not take it."""
        return self._client.publish(topic, payload, qos=1).rc == MQTTErrorCode.MQTT_ERR_SUCCESS

    def _hand_over(self, call: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has been closed
            self._loop.call_soon_threadsafe(call, *arguments)

    def _on_connect(self, client: Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            self._hand_over(self._lost, f"refused: {reason}")
        elif self._filters:
            client.subscribe([(item, 1) for item in self._filters])
        else:
            self._hand_over(self._opened)

    def _on_subscribe(
        self, _client: Client, _data: Any, _mid: int, reasons: list[Any], _properties: Any
    ) -> None:
        if any(reason.is_failure for reason in reasons):
            self._hand_over(self._lost, f"subscription refused: {self._filters}")
        else:
            self._hand_over(self._opened)

    def _on_disconnect(self, _client: Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        self._hand_over(self._lost, str(reason))

    def _on_publish(self, _client: Client, _data: Any, mid: int, _reason: Any, _properties: Any) -> None:
        self._hand_over(self._acknowledged, mid)

    def _on_message(self, client: Client, _data: Any, message: MQTTMessage) -> None:
        size = len(message.payload)
        if not self._held.take(size):
            DROPPED.labels("overflow").inc()
            client.ack(message.mid, message.qos)
            return

        def acknowledge() -> None:
            self._held.give_back(size)
            client.ack(message.mid, message.qos)

        incoming = Incoming(message.topic, bytes(message.payload), message.retain, acknowledge)
        self._hand_over(self._deliver, incoming)

    def _opened(self) -> None:
        if not self._ready.done():
            self._ready.set_result(None)

    def _acknowledged(self, mid: int) -> None:
        waiting = self._pending.pop(mid, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    def _lost(self, reason: str) -> None:
        if not self.closed.done():
            self.closed.set_result(reason)
        if not self._ready.done():
            self._ready.set_exception(LinkDown(reason))
        for waiting in self._pending.values():
            if not waiting.done():
                waiting.set_exception(LinkDown(f"connection lost: {reason}", may_have_sent=True))
        self._pending.clear()


class Held:
    """Counts messages taken and not yet acknowledged, over all connections; used by two threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._messages = 0
        self._bytes = 0

    def take(self, size: int) -> bool:
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
        with self._lock:
            self._messages -= 1
            self._bytes -= size
