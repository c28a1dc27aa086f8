"""The cloud's MQTT client: keeps one connection up.

A new connection is a new paho client, so nothing that was given to a broken one is sent later behind its
caller's back.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence

from cloud.link.broker_connection import BrokerAddress, BrokerConnection, Incoming, InFlight
from cloud.link.errors import LinkDown
from cloud.link.metrics import CONNECTED, DROPPED
from cloud.link.paho_connection import PahoConnection

log = logging.getLogger(__name__)

PUBLISH_TIMEOUT_S = 10.0
"""A broker that has not acknowledged by then is stuck; a command must not look sent."""

BACKOFF_S = (0.5, 30.0)
"""First and longest pause between attempts; each is drawn from half to the whole."""


class MqttClient:
    """Keeps one connection up and hands messages to `deliver`, in the event loop. connection: which kind."""

    def __init__(
        self,
        address: BrokerAddress,
        filters: Sequence[str],
        deliver: Callable[[Incoming], None],
        *,
        connection: type[BrokerConnection] = PahoConnection,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._address = address
        self._filters = tuple(filters)
        self._deliver = deliver
        self._sleep = sleep
        self._kind = connection
        self._connection: BrokerConnection | None = None
        self._task: asyncio.Task[None] | None = None
        self._up = asyncio.Event()
        self._in_flight = InFlight()

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
            words = f"the broker did not acknowledge within {timeout_s:g} s"
            raise LinkDown(words, may_have_sent=True) from None

    def post(self, topic: str, payload: bytes) -> None:
        """Publish without waiting; a failure is counted. For what the other side asks for again."""
        connection = self._connection
        if connection is None or not self._up.is_set():
            DROPPED.labels("link_down").inc()
        elif not connection.post(topic, payload):
            DROPPED.labels("outstanding").inc()

    async def _keep_connected(self) -> None:
        pause, longest = BACKOFF_S
        complained = False
        while True:
            connection = self._kind(self._address, self._filters, self._deliver, self._in_flight)
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
