"""One MQTT connection of a simulated gateway, as an asyncio protocol without tasks of its own."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import cast
from urllib.parse import urlsplit

from firmware_sim.errors import StartError
from firmware_sim.gateways import packets

CONNECT_TIMEOUT_S = 20.0
"""From the first byte to the granted subscription; a thousand gateways come at once."""

PACKET_IDS = 65_535

Deliver = Callable[[bytes, bytes], None]
"""Topic and payload of a message, at once; must not block."""


class Refused(Exception):
    """The broker does not take this gateway; the text says why."""


class Connection(asyncio.Protocol):
    """Connects, subscribes to one filter, publishes. PUBACKs are counted only: what matters is the cloud's
    acknowledgement, a message of its own."""

    def __init__(self, hello: bytes, topic_filter: str, deliver: Deliver) -> None:
        self._hello = hello
        self._filter = topic_filter
        self._deliver = deliver
        self._rest = b""
        self._out: list[bytes] = []
        self._packet_id = 0
        self._transport: asyncio.Transport | None = None
        loop = asyncio.get_running_loop()
        self._loop = loop
        self.ready: asyncio.Future[None] = loop.create_future()
        self.lost: asyncio.Future[str] = loop.create_future()
        self.unanswered = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's own do not derive from it
        self._transport.write(self._hello)

    def data_received(self, data: bytes) -> None:
        try:
            whole, self._rest = packets.split(self._rest + data)
            for first, body in whole:
                self._take(first, body)
        except packets.PacketError as error:
            self._end(f"broken packet: {error}")
            self.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._end(str(error) if error else "closed by the broker")

    def publish(self, topic: bytes, payload: bytes, *, retain: bool = False) -> None:
        """Send when the loop comes round, together with what else is published until then."""
        self._packet_id = self._packet_id % PACKET_IDS + 1
        self.unanswered += 1
        self._write(packets.publish(topic, self._packet_id, payload, retain=retain))

    def ping(self) -> None:
        self._write(packets.PINGREQ)

    def close(self) -> None:
        """Send what is left and disconnect."""
        if self._transport is not None and not self._transport.is_closing():
            self._flush()
            self._transport.write(packets.DISCONNECT)
            self._transport.close()

    def abort(self) -> None:
        """Break the connection as a power cut does."""
        if self._transport is not None:
            self._transport.abort()

    def _write(self, packet: bytes) -> None:
        if not self._out:
            self._loop.call_soon(self._flush)
        self._out.append(packet)

    def _flush(self) -> None:
        out, self._out = self._out, []
        if out and self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(out))

    def _take(self, first: int, body: bytes) -> None:
        kind = first >> 4
        if kind == packets.PUBLISH:
            topic, packet_id, payload = packets.message(first, body)
            if packet_id:
                self._write(packets.puback(packet_id))
            self._deliver(topic, payload)
        elif kind == packets.PUBACK:
            self.unanswered -= 1
        elif kind == packets.CONNACK:
            if body[1:2] == b"\x00":
                self._write(packets.subscribe(PACKET_IDS, self._filter))
            else:
                self._end(f"the broker refuses the connection: code {body[1:2].hex()}")
        elif kind == packets.SUBACK:
            if body[2:3] == b"\x80":
                self._end("the broker refuses the subscription")
            elif not self.ready.done():
                self.ready.set_result(None)

    def _end(self, reason: str) -> None:
        if not self.lost.done():
            self.lost.set_result(reason)
        if not self.ready.done():
            self.ready.set_exception(Refused(reason))
            self.ready.exception()  # taken, should nobody wait any more


class Broker:
    """Where the broker is: mqtt:// or mqtts://. Raises StartError on anything else."""

    def __init__(self, url: str, ca_file: str | None) -> None:
        parts = urlsplit(url)
        try:
            self.port = parts.port or (8883 if parts.scheme == "mqtts" else 1883)
        except ValueError:
            raise StartError(f"url: port must be from 1 to 65535, not {url}") from None
        if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname:
            raise StartError("url: must be mqtt://host:port or mqtts://host:port")
        self.host = parts.hostname
        try:
            self._tls = ssl.create_default_context(cafile=ca_file) if parts.scheme == "mqtts" else None
        except OSError as error:
            raise StartError(f"ca-file {ca_file}: {error}") from None

    async def connect(self, hello: bytes, topic_filter: str, deliver: Deliver) -> Connection:
        """A connection whose subscription is granted. Raises Refused, OSError or TimeoutError."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            _, made = await loop.create_connection(
                lambda: Connection(hello, topic_filter, deliver), self.host, self.port, ssl=self._tls
            )
            try:
                await made.ready
            except BaseException:
                made.abort()
                raise
            return made
