"""What runs behind the embedded broker's door: amqtt with its gaps closed, and the two plugins it asks."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import ItemsView, Iterator
from dataclasses import dataclass
from typing import Any

from amqtt.adapters import ReaderAdapter, StreamWriterAdapter, WriterAdapter
from amqtt.broker import Broker, BrokerContext
from amqtt.contexts import Action as AmqttAction
from amqtt.mqtt.protocol.broker_handler import BrokerProtocolHandler
from amqtt.plugins.base import BaseAuthPlugin, BaseTopicPlugin
from amqtt.session import Session

from cloud.link.brokers.handling import BoundedHandler, Tasks
from cloud.link.brokers.pacing import ReadPacer
from cloud.link.brokers.packets import DISCONNECT, ProtocolViolationError, check_body, size_of
from edge_contract.access import Action, Principal, allowed

log = logging.getLogger(__name__)

MAX_HANDLING_S = 60.0
"""Without one packet of a connection handled, while as many wait as may be: it takes none of the answers."""


@dataclass
class BrokerClient:
    """A connection that passed the door."""

    principal: Principal
    writer: asyncio.StreamWriter
    served: asyncio.Event


class Subscriptions(dict[str, list[tuple[Session, int]]]):
    """Who gets what, by filter. amqtt waits while it goes through them, and clients come and go meanwhile: a
    round has those of its beginning. Otherwise the message that is given out just then is lost to the rest.
    """

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(super().__iter__()))

    def items(self) -> ItemsView[str, list[tuple[Session, int]]]:  # type: ignore[override]
        return {name: list(holders) for name, holders in super().items()}.items()


class AmqttBroker(Broker):
    """amqtt with gaps closed: retained messages obey the access rule, on the way in and out, and none is lost
    because a client comes or goes.
    """

    def __init__(self, config: dict[str, Any], clients: dict[str, BrokerClient]) -> None:
        self.clients = clients
        self._offers: set[asyncio.Task[None]] = set()
        super().__init__(config)
        self._subscriptions = Subscriptions()

    async def _initialize_client_session(
        self, reader: ReaderAdapter, writer: WriterAdapter, remote_address: str, remote_port: int
    ) -> tuple[BrokerProtocolHandler, Session]:
        _, session = await super()._initialize_client_session(reader, writer, remote_address, remote_port)
        tasks = reader.tasks if isinstance(reader, ConnectionReader) else Tasks(remote_address)
        return BoundedHandler(self.plugins_manager, tasks), session

    async def retain_message(
        self,
        source_session: Session | None,
        topic_name: str | None,
        data: bytes | bytearray | None,
        qos: int | None = None,
    ) -> None:
        """Keep it only where the sender may retain."""
        client = self.clients.get(source_session.client_id or "") if source_session else None
        if client is None or topic_name is None:
            return
        if allowed(client.principal, Action.PUBLISH, topic_name, retain=True):
            await super().retain_message(source_session, topic_name, data, qos)

    async def _publish_retained_messages_for_subscription(
        self, subscription: tuple[str, int], session: Session
    ) -> None:
        """To the subscriber only, and without keeping its other messages waiting for the answers.

        amqtt offers a returning client what matches the filters of everybody.
        """
        holders = self._subscriptions.get(subscription[0], [])
        if any(holder.client_id == session.client_id for holder, _ in holders):
            task = asyncio.create_task(self._offer(subscription, session))
            self._offers.add(task)
            task.add_done_callback(self._offers.discard)

    async def _offer(self, subscription: tuple[str, int], session: Session) -> None:
        handler = self._get_handler(session)
        if handler is None:
            return
        topic_filter, qos = subscription
        sending = [
            handler.mqtt_publish(kept.topic, kept.data, min(qos, kept.qos or 0), retain=True)
            for kept in list(self._retained_messages.values())
            if self._matches(kept.topic, topic_filter)
        ]
        results = await asyncio.gather(*sending, return_exceptions=True)
        failed = [result for result in results if isinstance(result, BaseException)]
        if failed:
            log.info("%s did not take %d retained messages: %r", session.client_id, len(failed), failed[0])


class DoorPlugin(BaseAuthPlugin):
    """Who has come here has passed the door."""

    async def authenticate(self, *, session: Session) -> bool | None:
        """True for the identity that the door let in."""
        return _principal(self.context, session) is not None


class TopicPlugin(BaseTopicPlugin):
    """Each publication and subscription by the one access rule."""

    async def topic_filtering(
        self, *, session: Session | None = None, topic: str | None = None, action: AmqttAction | None = None
    ) -> bool | None:
        """True when it is allowed. What a client receives was decided when it subscribed."""
        if action is AmqttAction.RECEIVE:
            return True
        principal = _principal(self.context, session)
        if principal is None or topic is None or action is None:
            return False
        return allowed(principal, Action(action.value), topic)


def _principal(context: Any, session: Session | None) -> Principal | None:
    broker = context._broker_instance if isinstance(context, BrokerContext) else None
    if session is None or not isinstance(broker, AmqttBroker):
        return None
    client = broker.clients.get(session.client_id or "")
    return client.principal if client else None


class ConnectionReader(ReaderAdapter):
    """CONNECT once more, then the connection, packet by packet; ends on silence and on a malformed packet.

    pace: how fast it is read; None for as fast as it comes.
    """

    def __init__(
        self,
        first: bytes,
        reader: asyncio.StreamReader,
        silence_s: float | None,
        tasks: Tasks,
        pace: ReadPacer | None = None,
    ) -> None:
        self._ready = first
        self._head = b""
        self._reader = reader
        self._silence_s = silence_s
        self.tasks = tasks
        self._pace = pace
        self._ended = False
        self._heard = asyncio.get_running_loop().time()

    async def read(self, n: int = -1) -> bytes:
        """At most n bytes of one packet; IncompleteReadError when the connection ends, as amqtt takes it."""
        if not self._ready and n:
            if self._ended:
                raise asyncio.IncompleteReadError(b"", n)
            try:
                self._ready = await self._packet()
            except (ProtocolViolationError, TimeoutError, OSError, asyncio.IncompleteReadError) as error:
                self._ended = True
                if isinstance(error, ProtocolViolationError):
                    log.info("%s: connection ended: %s", self.tasks.name, error)
                raise asyncio.IncompleteReadError(b"", n) from None
        part, self._ready = self._ready[:n], self._ready[n:]
        return part

    async def _packet(self) -> bytes:
        """The next whole packet. amqtt gives up a read and begins another: what came already is kept."""
        async with asyncio.timeout(MAX_HANDLING_S):
            await self.tasks.capacity()
        if self._pace is not None and (pause_s := self._pace.pause_s()):
            await asyncio.sleep(pause_s)
            self._heard = asyncio.get_running_loop().time()
        while not self._head or (size := size_of(self._head)) is None:
            self._head += await self._exactly(1)
        body = await self._exactly(size) if size else b""
        head, self._head = self._head, b""
        check_body(head[0], body)
        if self._pace is not None:
            self._pace.spend(head[0], body)
        if head[0] >> 4 != DISCONNECT:
            self.tasks.begin()
        return head + body

    async def _exactly(self, n: int) -> bytes:
        ends = None if self._silence_s is None else self._heard + self._silence_s
        async with asyncio.timeout_at(ends):  # the time goes on from one read to the next
            part = await self._reader.readexactly(n)
        self._heard = asyncio.get_running_loop().time()
        return part

    def feed_eof(self) -> None:
        """End the stream."""
        self._reader.feed_eof()


class ConnectionWriter(StreamWriterAdapter):
    """amqtt's own, that does not fail when the other side is gone already."""

    async def close(self) -> None:
        """Close what is still open."""
        try:
            await super().close()
        except OSError:
            log.debug("closed by the other side")

    def get_ssl_info(self) -> ssl.SSLObject | None:
        """No TLS here."""
        return None


PLUGINS: dict[str, dict[str, str]] = {
    f"{__name__}.{plugin.__name__}": {} for plugin in (DoorPlugin, TopicPlugin)
}
"""amqtt's configuration names its plugins by their path."""
