"""One MQTT connection for one asyncio program; the only file that knows paho.

MQTT 3.1.1. A client connects once; another connection needs another client.
paho runs in its own thread; everything it reports is handed to the loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from paho.mqtt.client import MQTT_ERR_SUCCESS, Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from edge_agent.errors import AgentError
from edge_contract.limits import KEEPALIVE_S
from edge_contract.topics import QOS

CONNECT_TIMEOUT_S = 15.0
"""From the first packet to CONNACK, over a bad cellular link."""
PUBACK_TIMEOUT_S = 20.0
"""A broker that is silent for this long is as good as gone."""
CLOSE_TIMEOUT_S = 3.0
QUIET_S = 0.05
"""After the end of a subscription: so long nothing comes any more."""
INCOMING = 256
"""Messages that wait to be handled; acknowledgements and commands repeat, so dropping one is harmless."""
OUTGOING = 64
REFUSED = {133, 134, 135}  # client id, user name or password, not authorised
DEFAULT_PORTS = {"mqtt": 1883, "mqtts": 8883}


class LinkDown(AgentError):
    """There is no connection to the broker, or it broke."""


class LinkRefused(LinkDown):
    """The broker does not accept this identity."""


def first_of(errors: BaseExceptionGroup[LinkDown]) -> str:
    """Words of the first error in nested groups."""
    first = errors.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else str(first)


@dataclass(frozen=True)
class Incoming:
    """A message as it arrived."""

    topic: str
    payload: bytes
    retain: bool


@dataclass(frozen=True)
class Endpoint:
    """Where the broker is and who asks. url: mqtt://host[:port] or mqtts://host[:port].

    username: None: the client id; empty: neither it nor a password is sent. ca_file: None: the system's
    authorities. section: of the configuration, for reasons. clean_session: section 3.1.2.4 of MQTT 3.1.1.
    """

    url: str
    client_id: str
    password: str | None
    ca_file: str | None = None
    username: str | None = None
    keep_alive_s: int = KEEPALIVE_S
    clean_session: bool = True
    section: str = "cloud"

    def address(self) -> tuple[str, int, bool]:
        """Host, port, and whether TLS is spoken. LinkDown for a url without a usable host or port."""
        parts = urlsplit(self.url)
        try:
            port = parts.port or DEFAULT_PORTS[parts.scheme]
        except (ValueError, KeyError) as error:
            raise LinkDown(f"{self.section}.url {self.url}: {error}") from None
        if not parts.hostname:
            raise LinkDown(f"{self.section}.url {self.url}: names no host")
        return parts.hostname, port, parts.scheme == "mqtts"


def tls_reason(error: ssl.SSLError) -> str:
    """Why TLS failed; a refused certificate says whether its maker, its name or its time is wrong."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"{error.reason}: {error.verify_message}"
    return error.reason or str(error)


class MqttClient:
    """One connection. messages: what arrived; disconnected: set when it is over, why: in words.

    will_topic: empty for a connection without a last will.
    """

    def __init__(self, endpoint: Endpoint, will_topic: str = "", will: bytes = b"") -> None:
        self.messages: asyncio.Queue[Incoming] = asyncio.Queue(INCOMING)
        self.disconnected = asyncio.Event()
        self.why = ""
        self.dropped = 0
        self._heard = 0
        self._endpoint = endpoint
        self._loop = asyncio.get_running_loop()
        self._connected: asyncio.Future[None] = self._loop.create_future()
        self._subscribed: dict[int, asyncio.Future[bool]] = {}
        self._published: dict[int, asyncio.Future[bool]] = {}
        self._running = False
        self._subscription = ""
        self._paho = Client(
            CallbackAPIVersion.VERSION2,
            client_id=endpoint.client_id,
            clean_session=endpoint.clean_session,
            protocol=MQTTProtocolVersion.MQTTv311,
            reconnect_on_failure=False,
        )
        username = endpoint.client_id if endpoint.username is None else endpoint.username
        if username:
            self._paho.username_pw_set(username, endpoint.password)
        if will_topic:
            self._paho.will_set(will_topic, will, qos=QOS, retain=True)
        self._paho.connect_timeout = CONNECT_TIMEOUT_S
        self._paho.max_inflight_messages_set(OUTGOING)
        self._paho.max_queued_messages_set(OUTGOING)
        self._paho.on_socket_open = self._on_socket_open
        self._paho.on_connect = self._on_connect
        self._paho.on_disconnect = self._on_disconnect
        self._paho.on_message = self._on_message
        self._paho.on_publish = lambda client, data, mid, code, properties: self._hand(self._done, mid, True)
        self._paho.on_subscribe = self._on_subscribe
        self._paho.on_unsubscribe = lambda client, data, mid, codes, properties: self._hand(
            self._granted, mid, True
        )

    async def connect(self, subscription: str) -> None:
        """Connect and subscribe (empty: to nothing). LinkRefused when the identity is not accepted, LinkDown
        for all else.
        """
        host, port, tls = self._endpoint.address()
        try:
            if tls:
                self._trust(self._endpoint.ca_file)
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await asyncio.to_thread(self._paho.connect, host, port, self._endpoint.keep_alive_s)
                self._paho.loop_start()
                self._running = True
                await asyncio.shield(self._connected)
                if subscription:
                    await self._subscribe(subscription)
        except TimeoutError:
            raise LinkDown(f"no answer from {host}:{port} within {CONNECT_TIMEOUT_S:.0f} s") from None
        except ssl.SSLError as error:
            raise LinkDown(f"TLS with {host}:{port}: {tls_reason(error)}") from error
        except (OSError, ValueError) as error:
            raise LinkDown(f"{host}:{port}: {getattr(error, 'strerror', None) or error}") from error

    async def _subscribe(self, subscription: str) -> None:
        self._subscription = subscription
        code, mid = self._paho.subscribe(subscription, qos=QOS)
        if code != MQTT_ERR_SUCCESS or mid is None:
            raise LinkDown("the connection broke while subscribing")
        if not await self._expect(self._subscribed, mid):
            raise LinkRefused(f"the broker does not grant the subscription {subscription}")

    def _trust(self, ca_file: str | None) -> None:
        """LinkDown names a certificate file that cannot be read."""
        try:
            self._paho.tls_set(ca_certs=ca_file)
        except (OSError, ssl.SSLError) as error:
            where = f"{self._endpoint.section}.ca_file {ca_file}"
            raise LinkDown(f"{where}: {getattr(error, 'strerror', None) or error}") from error

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False, qos: int = QOS) -> None:
        """Return when the broker has confirmed the message (qos 1: PUBACK, 2: PUBCOMP); LinkDown when it does
        not.
        """
        if self.disconnected.is_set():
            raise LinkDown(self.why)
        try:
            info = self._paho.publish(topic, payload, qos=qos, retain=retain)
        except ValueError as error:
            raise LinkDown(f"{topic} cannot be published: {error}") from error
        if info.rc != MQTT_ERR_SUCCESS:
            raise LinkDown(f"{topic} cannot be published: {info.rc!r}")
        try:
            async with asyncio.timeout(PUBACK_TIMEOUT_S):
                await self._expect(self._published, info.mid)
        except TimeoutError:
            raise LinkDown(f"the broker did not confirm a message within {PUBACK_TIMEOUT_S:.0f} s") from None

    async def close(self) -> None:
        """Disconnect; never raises. After it the will is not sent."""
        if self._running:
            try:
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await self._silence()
                    self._paho.disconnect()
                    await self.disconnected.wait()
            except TimeoutError:
                self._paho.disconnect()
                self._over("closed without an answer")
            self._running = False
            await asyncio.to_thread(self._end_thread)

    def _end_thread(self) -> None:
        # When the thread ends by itself paho forgets it between its own look and its join.
        with contextlib.suppress(AttributeError):
            self._paho.loop_stop()

    async def _silence(self) -> None:
        """Unsubscribe, so that nothing is on its way to us when the socket is closed.

        Closing over unread data resets the connection: the broker may miss the DISCONNECT and send the will.
        A session that stays keeps its subscription.
        """
        if self._subscription and self._endpoint.clean_session and not self.disconnected.is_set():
            code, mid = self._paho.unsubscribe(self._subscription)
            if code == MQTT_ERR_SUCCESS and mid is not None:
                with contextlib.suppress(LinkDown):
                    await self._expect(self._subscribed, mid)
            heard = -1  # what the broker had queued before comes after its answer too
            while heard != self._heard and not self.disconnected.is_set():
                heard = self._heard
                await asyncio.sleep(QUIET_S)

    async def _expect(self, waiting: dict[int, asyncio.Future[bool]], mid: int) -> bool:
        """The broker's answer to one packet. The loop is not left between sending it and this line."""
        answer = waiting[mid] = self._loop.create_future()
        try:
            granted: bool = await answer
            return granted
        finally:
            waiting.pop(mid, None)

    def _hand(self, what: Callable[..., None], *arguments: Any) -> None:
        """From paho's thread to the loop."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(what, *arguments)

    def _on_socket_open(self, client: Client, data: Any, sock: Any) -> None:
        """Small packets leave at once: waiting for the peer's delayed confirmation costs 40 ms each time."""
        with contextlib.suppress(OSError, AttributeError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _on_connect(
        self, client: Client, data: Any, flags: ConnectFlags, code: ReasonCode, properties: Properties | None
    ) -> None:
        self._hand(self._answered, code.value, str(code))

    def _on_disconnect(
        self,
        client: Client,
        data: Any,
        flags: DisconnectFlags,
        code: ReasonCode,
        properties: Properties | None,
    ) -> None:
        self._hand(self._over, str(code))

    def _on_message(self, client: Client, data: Any, message: MQTTMessage) -> None:
        self._hand(self._take, Incoming(message.topic, bytes(message.payload), message.retain))

    def _on_subscribe(
        self, client: Client, data: Any, mid: int, codes: list[ReasonCode], properties: Properties | None
    ) -> None:
        self._hand(self._granted, mid, not any(code.is_failure for code in codes))

    def _answered(self, code: int, words: str) -> None:
        if self._connected.done():
            return
        if code == 0:
            self._connected.set_result(None)
        else:
            kind = LinkRefused if code in REFUSED else LinkDown
            self._connected.set_exception(kind(f"the broker refuses the connection: {words}"))

    def _granted(self, mid: int, granted: bool) -> None:
        answer = self._subscribed.get(mid)
        if answer is not None and not answer.done():
            answer.set_result(granted)

    def _done(self, mid: int, done: bool) -> None:
        answer = self._published.get(mid)
        if answer is not None and not answer.done():
            answer.set_result(done)

    def _take(self, message: Incoming) -> None:
        self._heard += 1
        try:
            self.messages.put_nowait(message)
        except asyncio.QueueFull:
            self.dropped += 1

    def _over(self, why: str) -> None:
        """The connection is over: everybody who waits for the broker gets the error."""
        if self.disconnected.is_set():
            return
        self.why = f"the connection to the broker is over: {why}"
        self.disconnected.set()
        if not self._connected.done():
            self._connected.set_exception(LinkDown(self.why))
        for answer in (*self._subscribed.values(), *self._published.values()):
            if not answer.done():
                answer.set_exception(LinkDown(self.why))
