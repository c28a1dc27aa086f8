"""The cloud's MQTT 3.1.1 client; the only file that imports paho.

A connection is one paho client with a thread of its own. A new connection is a new client, so nothing that
was given to a broken one is sent later behind its caller's back.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import ssl
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from cloud.link.errors import LinkDown
from cloud.link.metrics import CONNECTED, DROPPED

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 10.0
"""From opening the connection to the answered subscription."""

PUBLISH_TIMEOUT_S = 10.0
"""A broker that has not acknowledged by then is stuck; a command must not look sent."""

KEEPALIVE_S = 30

BACKOFF_S = (0.5, 30.0)
"""First and longest pause between attempts; each is drawn from half to the whole."""

MAX_UNACKNOWLEDGED = 2000
MAX_UNACKNOWLEDGED_BYTES = 64 * 1024 * 1024
"""Messages taken and not yet acknowledged. What comes above is dropped, counted and acknowledged to the
broker; gateways repeat what was not acknowledged to them."""

MAX_OUTSTANDING = 1000
"""Publishes that wait for their PUBACK."""


@dataclass(frozen=True)
class BrokerAddress:
    """Where the broker is and who we are; the client id is the user name. ca_file: own authority for TLS."""

    host: str
    port: int
    username: str
    password: str
    tls: bool = False
    ca_file: Path | None = None


@dataclass(frozen=True)
class Incoming:
    """A message; acknowledge() tells the broker that it is done with. retained: an old one that it kept."""

    topic: str
    payload: bytes
    retained: bool
    acknowledge: Callable[[], None]


class MqttClient:
    """Keeps one connection up and hands messages to `deliver`, in the event loop."""

    def __init__(
        self,
        address: BrokerAddress,
        filters: Sequence[str],
        deliver: Callable[[Incoming], None],
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._address = address
        self._filters = tuple(filters)
        self._deliver = deliver
        self._sleep = sleep
        self._connection: _Connection | None = None
        self._task: asyncio.Task[None] | None = None
        self._up = asyncio.Event()
        self._held = _Held()
        self._posting: set[asyncio.Task[None]] = set()

    @property
    def connected(self) -> bool:
        """True while messages flow."""
        return self._up.is_set()

    async def start(self) -> None:
        """Begin to connect; returns at once."""
        self._task = asyncio.create_task(self._keep_connected(), name=f"mqtt-{self._address.username}")

    async def stop(self) -> None:
        """Disconnect."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        await asyncio.gather(*self._posting)

    async def wait_connected(self, timeout_s: float) -> None:
        """Return when connected; LinkDown when that takes too long."""
        try:
            await asyncio.wait_for(self._up.wait(), timeout_s)
        except TimeoutError:
            raise LinkDown(f"no connection to the broker within {timeout_s:g} s") from None

    async def publish(self, topic: str, payload: bytes, timeout_s: float = PUBLISH_TIMEOUT_S) -> None:
        """Publish at QoS 1, not retained; returns at the broker's PUBACK, LinkDown otherwise."""
        connection = self._connection
        if connection is None or not self._up.is_set():
            raise LinkDown("the broker is not connected")
        try:
            await asyncio.wait_for(connection.publish(topic, payload), timeout_s)
        except TimeoutError:
            raise LinkDown(f"the broker did not acknowledge within {timeout_s:g} s") from None

    def post(self, topic: str, payload: bytes) -> None:
        """Publish without waiting; a failure is counted. For what the other side asks for again."""
        if len(self._posting) >= MAX_OUTSTANDING:
            DROPPED.labels("outstanding").inc()
            return
        task = asyncio.create_task(self._post(topic, payload))
        self._posting.add(task)
        task.add_done_callback(self._posting.discard)

    async def _post(self, topic: str, payload: bytes) -> None:
        try:
            await self.publish(topic, payload)
        except LinkDown as error:
            DROPPED.labels("link_down").inc()
            log.debug("not sent to %s: %s", topic, error)

    async def _keep_connected(self) -> None:
        pause, longest = BACKOFF_S
        complained = False
        while True:
            connection = _Connection(self._address, self._filters, self._deliver, self._held)
            try:
                await connection.open()
                self._connection = connection
                self._up.set()
                CONNECTED.set(1)
                log.info("broker connected: %s:%d", self._address.host, self._address.port)
                complained, pause = False, BACKOFF_S[0]
                log.warning("broker connection lost: %s", await connection.closed)
            except LinkDown as error:
                if not complained:
                    log.warning("broker %s:%d: %s", self._address.host, self._address.port, error)
                complained = True
            finally:
                self._up.clear()
                CONNECTED.set(0)
                self._connection = None
                await connection.close()
            await self._sleep(random.uniform(pause / 2, pause))  # noqa: S311 - spreads reconnects
            pause = min(pause * 2, longest)


class _Connection:
    """One paho client from connect to disconnect. Its callbacks run in paho's thread and only hand over."""

    def __init__(
        self,
        address: BrokerAddress,
        filters: tuple[str, ...],
        deliver: Callable[[Incoming], None],
        held: _Held,
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
            client_id=address.username,
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
        await asyncio.shield(asyncio.to_thread(self._client.loop_stop))
        self._ready.cancel()
        self._lost("closed")

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
                waiting.set_exception(LinkDown(f"connection lost: {reason}"))
        self._pending.clear()


class _Held:
    """Messages taken and not yet acknowledged; used by two threads."""

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

    def give_back(self, size: int) -> None:
        with self._lock:
            self._messages -= 1
            self._bytes -= size
