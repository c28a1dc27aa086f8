"""MQTT broker in this process: amqtt behind a door of our own.

amqtt changes the session of a client id before it has checked the password, lets a will pass unchecked, and
has no limit on packets or silence. So the listener is ours: it reads CONNECT, asks `authenticate`, ends an
older connection of the same identity, and hands the connection to amqtt, whose plugins decide topics.

The first malformed packet ends a connection (`packets.py`); 100 packets of one are handled at a time
(`handling.py`), and each gateway is read at up to 500 packets (50 of control) and 16 MB a second
(`pacing.py`): the rest waits in its socket, undropped. The cloud's own connection has no such bound.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import os
import time
import traceback
from collections.abc import Callable

from amqtt.mqtt.protocol.handler import ProtocolHandler

from cloud.core.unauthenticated import ClientConnection, UnauthenticatedClients
from cloud.link.brokers.amqtt_core import (
    PLUGINS,
    AmqttBroker,
    BrokerClient,
    ConnectionReader,
    ConnectionWriter,
)
from cloud.link.brokers.connect_packet import (
    MAX_CONNECT_BYTES,
    ConnectError,
    ConnectPacket,
    parse,
    with_clean_session,
)
from cloud.link.brokers.handling import Tasks
from cloud.link.brokers.pacing import ReadPacer, ReadRates
from cloud.link.errors import LinkError
from cloud.link.hooks import Authenticate
from cloud.link.metrics import DROPPED_UNIDENTIFIED
from edge_contract.access import Action, Principal, Role, allowed, well_formed

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 10.0
"""From the open connection to its whole CONNECT packet; also the wait for an older connection to end."""

MAX_CONNECTIONS = 500
"""Of gateways and the like; this broker is for one small site, more gateways need mosquitto or EMQX."""

MAX_UNIDENTIFIED = 200
MAX_UNIDENTIFIED_OF_ADDRESS = 100
"""Connections whose CONNECT has not come or is not checked yet; they take no place of the others. Behind a
proxy many gateways come from one address when the link returns."""

READ_RATES = ReadRates()
"""Of one gateway; the cloud's own connection has none."""

SAID_EVERY_S = 60.0
"""Between two lines about the same client that does not take what it subscribed to."""

LISTENER = "default"

_REFUSED_LEVEL = b"\x20\x02\x00\x01"
_REFUSED_CREDENTIALS = b"\x20\x02\x00\x05"
_REFUSED_BUSY = b"\x20\x02\x00\x03"


class EmbeddedBroker:
    """One TCP listener on loopback. port 0 chooses a free one; `port` tells which.

    connect_timeout_s: from the open connection to the answer to its CONNECT.
    """

    def __init__(
        self,
        host: str,
        port: int,
        authenticate: Authenticate,
        *,
        connect_timeout_s: float = CONNECT_TIMEOUT_S,
        max_connections: int = MAX_CONNECTIONS,
        max_unidentified: int = MAX_UNIDENTIFIED,
        max_unidentified_of_address: int = MAX_UNIDENTIFIED_OF_ADDRESS,
        rates: ReadRates = READ_RATES,
    ) -> None:
        if not _is_loopback(host):
            raise ValueError("broker_host: the embedded broker has no TLS, so it must be a loopback address")
        self._host = host
        self.port = port
        self._authenticate = authenticate
        self._server: asyncio.Server | None = None
        self._broker: AmqttBroker | None = None
        self._clients: dict[str, BrokerClient] = {}
        self._undelivered = Undelivered()
        self._rates = rates
        self._connect_timeout_s = connect_timeout_s
        self._unauthenticated = UnauthenticatedClients(
            max_unidentified, max_unidentified_of_address, max_connections
        )

    async def start(self) -> None:
        """Listen; LinkError that names the setting when the port cannot be had, and nothing was started."""
        try:
            self._server = await asyncio.start_server(
                self._connected, self._host, self.port, start_serving=False
            )
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            text = f"EDGE_BROKER_PORT: {self._host}:{self.port} cannot be listened on: {reason}"
            raise LinkError(text) from error
        logging.getLogger("amqtt").setLevel(logging.ERROR)
        logging.getLogger("amqtt.broker").addFilter(self._undelivered)
        logging.getLogger("transitions").setLevel(logging.WARNING)
        config = {
            "listeners": {LISTENER: {"type": "external", "bind": "the door"}},
            "plugins": PLUGINS,
        }
        self._broker = AmqttBroker(config, self._clients)
        await self._broker.start()
        await self._server.start_serving()
        self.port = self._server.sockets[0].getsockname()[1]
        log.info("embedded broker listens on %s:%d", self._host, self.port)

    async def stop(self) -> None:
        """End every connection and stop listening."""
        if self._server is not None:
            self._server.close()
        self._unauthenticated.end_waiting()
        for client_id in list(self._clients):
            await self.disconnect(client_id)
        if self._broker is not None:
            await self._broker.shutdown()
            self._broker = None
        logging.getLogger("amqtt.broker").removeFilter(self._undelivered)

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
        peer = writer.get_extra_info("peername")
        connection = ClientConnection(str(peer[0]) if peer else "", writer.transport.abort)
        if not self._unauthenticated.come(connection):
            DROPPED_UNIDENTIFIED.inc()
        try:
            await self._serve(reader, writer, connection)
        except (OSError, asyncio.IncompleteReadError):
            pass  # gone before it said who it is
        finally:
            self._unauthenticated.leave(connection)
            writer.close()

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: ClientConnection
    ) -> None:
        try:
            async with asyncio.timeout(self._connect_timeout_s):
                body = await _read_connect(reader)
                packet = parse(body)
                principal = await self._admit(packet)
                if principal is None:
                    await _say(writer, _REFUSED_CREDENTIALS)
                    return
        except TimeoutError:
            return
        except ConnectError as error:
            log.info("connection refused: %s", error)
            if error.level:
                await _say(writer, _REFUSED_LEVEL)
            return
        await self.disconnect(principal.name)
        if not self._unauthenticated.identified(connection):
            log.warning("%s: refused, as many are connected as may be", principal.name)
            await _say(writer, _REFUSED_BUSY)
            return
        if self._broker is None or principal.name in self._clients:
            return
        client = self._clients[principal.name] = BrokerClient(principal, writer, asyncio.Event())
        silence_s = packet.keepalive_s * 1.5 if packet.keepalive_s else None
        first = _framed(0x10, with_clean_session(body, packet))
        own = principal.role is Role.SERVICE
        pace = None if own else ReadPacer(self._rates, time.monotonic)
        packets = ConnectionReader(first, reader, silence_s, Tasks(principal.name), pace)
        try:
            await self._broker.external_connected(packets, ConnectionWriter(writer), listener_name=LISTENER)
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


class Undelivered(logging.Filter):
    """amqtt logs a traceback for each message that its receiver did not take: a line for each client instead.

    Whoever floods the broker and answers nothing gets thousands of them, one for each acknowledgement.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._said: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """False for what is not to be logged."""
        error = record.exc_info[1] if record.exc_info else None
        receiver = _receiver(error) if error else None
        if receiver is None:
            return True
        now = self._monotonic()
        said_s, unsaid = self._said.pop(receiver, (now - SAID_EVERY_S, 0))
        if now - said_s < SAID_EVERY_S:
            self._said[receiver] = said_s, unsaid + 1
            return False
        while len(self._said) >= MAX_CONNECTIONS:
            del self._said[next(iter(self._said))]
        self._said[receiver] = now, 0
        record.msg = "%s did not take a message: %s; %d more since the last such line"
        record.args = (receiver, error, unsaid)
        record.exc_info = None
        record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        return True


def _receiver(error: BaseException) -> str | None:
    """Client to which a message was being sent; amqtt says it nowhere but in the frames."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        handler = frame.f_locals.get("self")
        if isinstance(handler, ProtocolHandler) and handler.session is not None:
            return handler.session.client_id
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
