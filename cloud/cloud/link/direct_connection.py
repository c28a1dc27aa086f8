"""The cloud's own reading of the broker's stream, for the connection that all samples come through.

README.md says why and what was measured.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from functools import partial
from typing import cast

from cloud.link import packets
from cloud.link.broker_connection import KEEPALIVE_S, BrokerAddress, BrokerConnection, Incoming, InFlight
from cloud.link.errors import LinkDown
from cloud.link.metrics import DROPPED

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
"""Above the contract's largest. What is longer is passed over without being held."""

MAX_OUTSTANDING = 20_000
"""Publishes that wait for their PUBACK: an acknowledgement to each of some thousand gateways at once."""

MAX_UNSENT_BYTES = 4 * 1024 * 1024
"""Bytes that the broker does not take; above it nothing more is posted."""

LOOK_AGAIN_S = 0.02
"""A reader that waits for room looks again, should the room be made by another connection's messages."""

PING_S = KEEPALIVE_S / 2
"""Between two pings; a broker that said nothing for as long after one is gone."""

_SUBSCRIBE_ID = 65_535


class DirectConnection(BrokerConnection, asyncio.Protocol):
    """One connection, from connect to disconnect; everything happens in the event loop.

    When in_flight is full nothing more is read: the broker keeps it, and is pinged all the same.
    """

    def __init__(
        self,
        address: BrokerAddress,
        filters: tuple[str, ...],
        deliver: Callable[[Incoming], None],
        in_flight: InFlight,
    ) -> None:
        super().__init__(address, filters, deliver, in_flight)
        self._transport: asyncio.Transport | None = None
        self._buffer = bytearray()
        self._skip = 0
        self._paused = False
        self._choked = False
        self._out: list[bytes] = []
        self._packet_id = 0
        self._heard = True
        self._timer: asyncio.TimerHandle | None = None

    async def _connect(self) -> None:
        address = self._address
        tls = ssl.create_default_context(cafile=address.ca_file) if address.tls else None
        await self._loop.create_connection(lambda: self, address.host, address.port, ssl=tls)

    async def close(self) -> None:
        """Send what is left and disconnect. Safe to call in any state."""
        if self._transport is not None and not self._transport.is_closing():
            self._write(packets.DISCONNECT)
            self._flush()
            self._transport.close()
        self._ready.cancel()
        self._lost("closed")

    async def publish(self, topic: str, payload: bytes) -> None:
        """Hand a message to the broker. Raises LinkDown when it does not take it."""
        acknowledged: asyncio.Future[None] = self._loop.create_future()
        if not self._send(topic, payload, acknowledged):
            raise LinkDown("too much waits for the broker" if not self.closed.done() else "not connected")
        await acknowledged

    def post(self, topic: str, payload: bytes) -> bool:
        return self._send(topic, payload, None)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)  # uvloop's own do not derive from it
        self._transport.set_write_buffer_limits(high=MAX_UNSENT_BYTES)
        address = self._address
        self._write(
            packets.connect(
                address.client_id or address.username, address.username, address.password, KEEPALIVE_S
            )
        )
        self._timer = self._loop.call_later(PING_S, self._keep_alive)

    def data_received(self, data: bytes) -> None:
        self._heard = True
        self._buffer += data
        if not self._paused:
            self._read()

    def connection_lost(self, error: Exception | None) -> None:
        self._lost(str(error) if error else "closed by the broker")

    def pause_writing(self) -> None:
        self._choked = True

    def resume_writing(self) -> None:
        self._choked = False

    def _send(self, topic: str, payload: bytes, waiting: asyncio.Future[None] | None) -> bool:
        if self.closed.done() or self._choked or len(self._pending) >= MAX_OUTSTANDING:
            return False
        while True:
            self._packet_id = self._packet_id % (_SUBSCRIBE_ID - 1) + 1
            if self._packet_id not in self._pending:
                break
        self._pending[self._packet_id] = waiting
        self._write(packets.publish(topic, self._packet_id, payload))
        return True

    def _read(self) -> None:
        """Take whole packets from the buffer, as long as there is room for messages."""
        data, at, end = self._buffer, 0, len(self._buffer)
        try:
            while end - at >= 2:
                if self._skip:
                    step = min(self._skip, end - at)
                    self._skip -= step
                    at += step
                    continue
                start, size = packets.header(data, at, end)
                if not start:
                    break
                if size > MAX_MESSAGE_BYTES:
                    if not self._pass_over(data, at, start, end):
                        break
                    self._skip = start - at + size
                    continue
                if start + size > end:
                    break
                if data[at] >> 4 != packets.PUBLISH:
                    self._take(data[at] >> 4, bytes(data[start : start + size]))
                elif not self._message(data[at], data, start, start + size):
                    self._pause()
                    break
                at = start + size
        except packets.PacketError as error:
            self._lost(f"broken packet: {error}")
            self._abort()
        del data[:at]

    def _message(self, first: int, data: bytearray, start: int, end: int) -> bool:
        """Hand a message over; False when there is no room for it."""
        body = start + 2 + (data[start] << 8 | data[start + 1])
        packet_id = 0
        if first & packets.QOS:
            if body + 2 > end:
                raise packets.PacketError("packet id: missing")
            packet_id = data[body] << 8 | data[body + 1]
            body += 2
        if body > end:
            raise packets.PacketError("topic: longer than its packet")
        size = end - body
        if not self._in_flight.take(size):
            return False
        topic = data[start + 2 : body - 2 if packet_id else body].decode(errors="replace")
        acknowledge = partial(self._done, packet_id, size)
        self._deliver(Incoming(topic, bytes(data[body:end]), bool(first & packets.RETAIN), acknowledge))
        return True

    def _done(self, packet_id: int, size: int) -> None:
        self._in_flight.give_back(size)
        if packet_id:
            self._write(packets.puback(packet_id))

    def _pass_over(self, data: bytearray, at: int, start: int, end: int) -> bool:
        """Answer a message that is too long; False while its packet id has not come."""
        if data[at] >> 4 != packets.PUBLISH:
            raise packets.PacketError("remaining length: too long for its kind")
        body = start + 2 + (data[start] << 8 | data[start + 1]) if end - start >= 2 else end
        if body + 2 > end:
            return False
        DROPPED.labels("size").inc()
        if data[at] & packets.QOS:
            self._write(packets.puback(data[body] << 8 | data[body + 1]))
        return True

    def _take(self, kind: int, body: bytes) -> None:
        if kind == packets.PUBACK:
            self._acknowledged(int.from_bytes(body[:2], "big"))
        elif kind == packets.CONNACK:
            code = body[1] if len(body) == 2 else 255
            if code:
                self._lost(f"refused: {packets.REFUSALS.get(code, f'code {code}')}")
                self._abort()
            elif self._filters:
                self._write(packets.subscribe(_SUBSCRIBE_ID, self._filters))
            else:
                self._opened()
        elif kind == packets.SUBACK:
            if any(code > packets.GRANTED for code in body[2:]):
                self._lost(f"subscription refused: {self._filters}")
            else:
                self._opened()

    def _pause(self) -> None:
        self._paused = True
        if self._transport is not None:
            self._transport.pause_reading()
        self._loop.call_later(LOOK_AGAIN_S, self._resume)

    def _resume(self) -> None:
        """Go on reading when half of the room is free again, so that reading does not stutter."""
        if not self._paused or self._transport is None or self._transport.is_closing():
            return
        if not self._in_flight.roomy:
            self._loop.call_later(LOOK_AGAIN_S, self._resume)
            return
        self._paused = False
        self._read()
        if not self._paused:
            self._transport.resume_reading()

    def _write(self, packet: bytes) -> None:
        """Send when the loop comes round, together with everything else until then."""
        if not self._out:
            self._loop.call_soon(self._flush)
        self._out.append(packet)

    def _flush(self) -> None:
        out, self._out = self._out, []
        if out and self._transport is not None and not self._transport.is_closing():
            self._transport.write(b"".join(out))

    def _keep_alive(self) -> None:
        if not (self._heard or self._paused):
            self._lost(f"silent for {PING_S:g} s")
            self._abort()
            return
        self._heard = False
        self._write(packets.PINGREQ)
        self._timer = self._loop.call_later(PING_S, self._keep_alive)

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _lost(self, reason: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super()._lost(reason)
