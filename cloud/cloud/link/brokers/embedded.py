"""MQTT broker in this process: amqtt behind a door of our own.

amqtt changes the session of a client id before it has checked the password, lets a will pass unchecked, and
has no limit on packets or silence. So the listener is ours: it reads CONNECT, asks `authenticate`, ends an
older connection of the same identity, and hands the connection to amqtt, whose plugins below decide topics.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import ssl
from dataclasses import dataclass
from typing import Any

from amqtt.adapters import ReaderAdapter, StreamWriterAdapter
from amqtt.broker import Broker, BrokerContext
from amqtt.contexts import Action as AmqttAction
from amqtt.plugins.base import BaseAuthPlugin, BaseTopicPlugin
from amqtt.session import Session

from cloud.link.brokers.connect_packet import (
    MAX_CONNECT_BYTES,
    ConnectError,
    ConnectPacket,
    parse,
    with_clean_session,
)
from cloud.link.hooks import Authenticate
from edge_contract.access import Action, Principal, allowed, well_formed
from edge_contract.payloads import MAX_CONTROL_BYTES

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 10.0
"""From the open connection to its whole CONNECT packet; also the wait for an older connection to end."""

MAX_PACKET_BYTES = MAX_CONTROL_BYTES + 4096
"""Largest packet: the largest control message, its topic and header."""

MAX_CONNECTIONS = 500
"""This broker is for one small site; more gateways need mosquitto or EMQX."""

LISTENER = "default"

_REFUSED_LEVEL = b"\x20\x02\x00\x01"
_REFUSED_CREDENTIALS = b"\x20\x02\x00\x05"


@dataclass
class _Client:
    """A connection that passed the door."""

    principal: Principal
    writer: asyncio.StreamWriter
    served: asyncio.Event


class EmbeddedBroker:
    """One TCP listener on loopback. port 0 chooses a free one; `port` tells which."""

    def __init__(self, host: str, port: int, authenticate: Authenticate) -> None:
        if not _is_loopback(host):
            raise ValueError("broker_host: the embedded broker has no TLS, so it must be a loopback address")
        self._host = host
        self.port = port
        self._authenticate = authenticate
        self._server: asyncio.Server | None = None
        self._broker: _Broker | None = None
        self._clients: dict[str, _Client] = {}
        self._open = 0

    async def start(self) -> None:
        """Listen; OSError when the port is taken."""
        logging.getLogger("amqtt").setLevel(logging.ERROR)
        logging.getLogger("transitions").setLevel(logging.WARNING)
        config = {
            "listeners": {LISTENER: {"type": "external", "bind": "the door"}},
            "plugins": {f"{__name__}.{plugin.__name__}": {} for plugin in (DoorPlugin, TopicPlugin)},
        }
        self._broker = _Broker(config, self._clients)
        await self._broker.start()
        self._server = await asyncio.start_server(self._connected, self._host, self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        log.info("embedded broker listens on %s:%d", self._host, self.port)

    async def stop(self) -> None:
        """End every connection and stop listening."""
        if self._server is not None:
            self._server.close()
        for client_id in list(self._clients):
            await self.disconnect(client_id)
        if self._broker is not None:
            await self._broker.shutdown()
            self._broker = None

    async def disconnect(self, client_id: str) -> None:
        """End the connection of an identity, if there is one; its will is published."""
        client = self._clients.get(client_id)
        if client is None:
            return
        client.writer.transport.abort()
        try:
            await asyncio.wait_for(client.served.wait(), CONNECT_TIMEOUT_S)
        except TimeoutError:
            log.warning("the connection of %s does not end", client_id)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            if self._open <= MAX_CONNECTIONS:
                await self._serve(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass  # gone before it said who it is
        finally:
            self._open -= 1
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                body = await _read_connect(reader)
            packet = parse(body)
        except TimeoutError:
            return
        except ConnectError as error:
            log.info("connection refused: %s", error)
            if error.level:
                await _say(writer, _REFUSED_LEVEL)
            return
        principal = await self._admit(packet)
        if principal is None:
            await _say(writer, _REFUSED_CREDENTIALS)
            return
        await self.disconnect(principal.name)
        if self._broker is None or principal.name in self._clients:
            return
        client = self._clients[principal.name] = _Client(principal, writer, asyncio.Event())
        silence_s = packet.keepalive_s * 1.5 if packet.keepalive_s else None
        first = _framed(0x10, with_clean_session(body, packet))
        try:
            await self._broker.external_connected(
                _Reader(first, reader, silence_s), _Writer(writer), listener_name=LISTENER
            )
        finally:
            del self._clients[principal.name]
            client.served.set()

    async def _admit(self, packet: ConnectPacket) -> Principal | None:
        """The principal, when name, password and will are in order."""
        if packet.username is None or packet.password is None:
            return None
        if not well_formed(packet.username, packet.client_id):
            return None
        principal = await self._authenticate(packet.username, packet.password)
        if principal is None:
            log.info("%s: user name and password do not belong together", packet.username)
            return None
        if packet.will_topic is not None and not allowed(
            principal, Action.PUBLISH, packet.will_topic, retain=packet.will_retain
        ):
            log.info("%s: may not have a will on %s", principal.name, packet.will_topic)
            return None
        return principal


class _Broker(Broker):
    """amqtt with two gaps closed: retained messages obey the access rule, on the way in and out."""

    def __init__(self, config: dict[str, Any], clients: dict[str, _Client]) -> None:
        self.clients = clients
        self._offers: set[asyncio.Task[None]] = set()
        super().__init__(config)

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
    if session is None or not isinstance(broker, _Broker):
        return None
    client = broker.clients.get(session.client_id or "")
    return client.principal if client else None


class _Reader(ReaderAdapter):
    """CONNECT once more, then the connection; ends on silence and on a packet that is too large."""

    def __init__(self, first: bytes, reader: asyncio.StreamReader, silence_s: float | None) -> None:
        self._first = first
        self._reader = reader
        self._silence_s = silence_s
        self._heard = asyncio.get_running_loop().time()

    async def read(self, n: int = -1) -> bytes:
        """Exactly n bytes; IncompleteReadError when the connection ends, which amqtt takes as such."""
        if self._first:
            part, self._first = self._first[:n], self._first[n:]
            return part
        if n > MAX_PACKET_BYTES:
            raise asyncio.IncompleteReadError(b"", n)
        ends = None if self._silence_s is None else self._heard + self._silence_s
        try:
            async with asyncio.timeout_at(ends):  # amqtt gives up a read and begins another: the time goes on
                part = await self._reader.readexactly(n)
        except (TimeoutError, OSError):
            raise asyncio.IncompleteReadError(b"", n) from None
        self._heard = asyncio.get_running_loop().time()
        return part

    def feed_eof(self) -> None:
        """End the stream."""
        self._reader.feed_eof()


class _Writer(StreamWriterAdapter):
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


async def _read_connect(reader: asyncio.StreamReader) -> bytes:
    """Body of the first packet, which has to be CONNECT."""
    if (await reader.readexactly(1)) != b"\x10":
        raise ConnectError("first packet: must be CONNECT")
    size = 0
    for shift in (0, 7, 14, 21):
        (byte,) = await reader.readexactly(1)
        size |= (byte & 0x7F) << shift
        if not byte & 0x80:
            break
    if size > MAX_CONNECT_BYTES:
        raise ConnectError(f"first packet: at most {MAX_CONNECT_BYTES} bytes")
    return await reader.readexactly(size)


def _framed(kind: int, body: bytes) -> bytes:
    size, length = len(body), bytearray()
    while True:
        size, low = size >> 7, size & 0x7F
        length.append(low | (0x80 if size else 0))
        if not size:
            return bytes([kind]) + bytes(length) + body


async def _say(writer: asyncio.StreamWriter, answer: bytes) -> None:
    writer.write(answer)
    await writer.drain()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
