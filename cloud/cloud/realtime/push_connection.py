"""The fan-out's own connection to the broker, so that pushes never wait behind samples or hold them up."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable

from prometheus_client import Counter

from cloud.link.broker_connection import BrokerAddress, Incoming, InFlight
from cloud.link.brokers.mosquitto import DynSec
from cloud.link.direct_connection import DirectConnection
from cloud.link.errors import LinkDown, LinkError
from cloud.link.link import SERVICE_NAME, LinkSettings, address
from cloud.link.mqtt_client import BACKOFF_S
from cloud.realtime.clients import ClientRegistry
from cloud.realtime.fanout import FanOut
from edge_contract.push import PUSH_TOPIC

log = logging.getLogger(__name__)

DROPPED = Counter("edge_push_dropped", "Messages for other processes that the broker did not take")

ENSURE_AGAIN_S = 10.0
"""After mosquitto did not take the push connection's client."""


def push_username(service: str | None) -> str:
    """User name and client id of a process' push connection, beside that of its link."""
    return f"{service or SERVICE_NAME}-push"


def push_connection(settings: LinkSettings, clients: ClientRegistry) -> PushConnection | None:
    """To the other processes; None with the embedded broker, which has one process only."""
    if settings.broker == "embedded":
        return None
    password = settings.broker_password_file
    name = push_username(settings.broker_username)
    return PushConnection(address(settings, name, password.read_text().strip() if password else ""), clients)


class PushConnection:
    """One connection, subscribed to the one topic; what comes goes to this process' clients."""

    def __init__(
        self,
        broker: BrokerAddress,
        clients: ClientRegistry,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._address = broker
        self._sleep = sleep
        self.fanout = FanOut(clients, self._post)
        self._connection: DirectConnection | None = None
        self._in_flight = InFlight()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def connected(self) -> bool:
        return self._connection is not None

    async def start(self, dynsec: DynSec | None = None) -> None:
        """Begin to connect; returns at once. dynsec: of a mosquitto that keeps a list of clients."""
        for work in (self._keep(dynsec), self.fanout.notify_for_ever()):
            self._tasks.append(asyncio.create_task(work))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()

    def _post(self, payload: bytes) -> None:
        """What the broker does not take now is lost: browsers fetch what they have missed (C-113)."""
        if self._connection is None or not self._connection.post(PUSH_TOPIC, payload):
            DROPPED.inc()

    async def _keep(self, dynsec: DynSec | None) -> None:
        complained = False
        while not await self._ensure(dynsec, complained):
            complained = True
            await self._sleep(ENSURE_AGAIN_S)
        pause, longest = BACKOFF_S
        while True:
            connection = DirectConnection(self._address, (PUSH_TOPIC,), self._deliver, self._in_flight)
            try:
                await connection.open()
                self._connection = connection
                complained, pause = False, BACKOFF_S[0]
                log.info("push connection up as %s", self._address.username)
                self.fanout.connected()
                log.warning("push connection lost: %s", await connection.closed)
            except LinkDown as error:
                if not complained:
                    log.warning("push connection of %s: %s", self._address.username, error)
                complained = True
            finally:
                self._connection = None
                await connection.close()
            await self._sleep(random.uniform(pause / 2, pause))  # noqa: S311 - spreads reconnects
            pause = min(pause * 2, longest)

    async def _ensure(self, dynsec: DynSec | None, complained: bool) -> bool:
        """Make its client before it connects: mosquitto ends the connection of one that changes."""
        if dynsec is None:
            return True
        try:
            await dynsec.ensure_service(self._address.username, self._address.password)
        except LinkError as error:
            if not complained:
                log.warning("mosquitto's list of clients lacks %s: %s", self._address.username, error)
            return False
        return True

    def _deliver(self, incoming: Incoming) -> None:
        incoming.acknowledge()
        if not incoming.retained:
            self.fanout.take(incoming.payload)
