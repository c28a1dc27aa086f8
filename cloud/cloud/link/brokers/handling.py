"""amqtt's handler of one connection, with bounded tasks whose failures are counted instead of logged each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from amqtt.broker import BrokerContext
from amqtt.mqtt.pingreq import PingReqPacket
from amqtt.mqtt.protocol.broker_handler import BrokerProtocolHandler
from amqtt.mqtt.puback import PubackPacket
from amqtt.mqtt.pubcomp import PubcompPacket
from amqtt.mqtt.publish import PublishPacket
from amqtt.mqtt.pubrec import PubrecPacket
from amqtt.mqtt.pubrel import PubrelPacket
from amqtt.mqtt.subscribe import SubscribePacket
from amqtt.mqtt.unsubscribe import UnsubscribePacket
from amqtt.plugins.manager import PluginManager

from cloud.link.metrics import BROKER_FAILURES

log = logging.getLogger(__name__)

MAX_TASKS = 100
"""Packets of one connection that are handled at the same time; the next is read when one of them is done."""


class Tasks:
    """What is being handled for one connection."""

    def __init__(self, name: str, max_tasks: int = MAX_TASKS) -> None:
        self.name = name
        self._max_tasks = max_tasks
        self._running = 0
        self._failed = False
        self._changed = asyncio.Event()

    async def capacity(self) -> None:
        """Until another packet may be taken up."""
        while self._running >= self._max_tasks:
            self._changed.clear()
            await self._changed.wait()

    def begin(self) -> None:
        """A packet is given to amqtt, which makes a task for it."""
        self._running += 1

    async def run(self, handling: Coroutine[Any, Any, None]) -> None:
        """Handle it; a failure is counted, and said once for the connection."""
        try:
            await handling
        except Exception as error:  # noqa: BLE001 - whatever amqtt raises
            BROKER_FAILURES.inc()
            if not self._failed:
                self._failed = True
                log.info("%s: a packet could not be handled: %r", self.name, error)
        finally:
            self._running -= 1
            self._changed.set()


class BoundedHandler(BrokerProtocolHandler):
    """tasks: of the connection; the reader counts up, each handled packet counts down."""

    def __init__(self, plugins: PluginManager[BrokerContext], tasks: Tasks) -> None:
        super().__init__(plugins)
        self.tasks = tasks

    async def handle_publish(self, publish_packet: PublishPacket) -> None:
        await self.tasks.run(super().handle_publish(publish_packet))

    async def handle_puback(self, puback: PubackPacket) -> None:
        await self.tasks.run(super().handle_puback(puback))

    async def handle_pubrec(self, pubrec: PubrecPacket) -> None:
        await self.tasks.run(super().handle_pubrec(pubrec))

    async def handle_pubrel(self, pubrel: PubrelPacket) -> None:
        await self.tasks.run(super().handle_pubrel(pubrel))

    async def handle_pubcomp(self, pubcomp: PubcompPacket) -> None:
        await self.tasks.run(super().handle_pubcomp(pubcomp))

    async def handle_subscribe(self, subscribe: SubscribePacket) -> None:
        await self.tasks.run(super().handle_subscribe(subscribe))

    async def handle_unsubscribe(self, unsubscribe: UnsubscribePacket) -> None:
        await self.tasks.run(super().handle_unsubscribe(unsubscribe))

    async def handle_pingreq(self, pingreq: PingReqPacket) -> None:
        await self.tasks.run(super().handle_pingreq(pingreq))
