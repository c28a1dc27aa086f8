"""One channel: connects, registers, keeps the connection with heartbeats, passes packets on both ways.

On a line that the gateway polls, the server's packets are requests: each has the line to itself until its
answer is over. A line that nobody polls belongs to the channel, and what it says by itself goes up too.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import NoReturn, Protocol, TypeVar

from edge_agent.bus.commands import Work
from edge_agent.channels.packets import packet_of, read_stream
from edge_agent.config.model import Channel, Port
from edge_agent.errors import AgentError
from edge_agent.forwarding.backoff import Backoff
from edge_agent.model import Seen
from edge_agent.system.clock import Clock
from edge_agent.transports.base import Transport
from edge_agent.transports.opening import transport_of
from edge_contract.parameters.packets import packet_bytes

log = logging.getLogger(__name__)

T = TypeVar("T")

CONNECT_TIMEOUT_S = 15.0
"""Three SYNs on a cellular link, and the name."""
SEND_TIMEOUT_S = 30.0
"""A server that takes no data for so long is gone."""
UNACKNOWLEDGED_MS = 60_000
"""So long sent data may stay unacknowledged before the connection counts as broken (TCP_USER_TIMEOUT)."""
ANSWER_S = 2.0
"""How long a polled line has for the first byte of an answer."""
HOLD_S = 10.0
"""How long opening, sending, answering and closing may take together."""
WAIT_S = 10.0
"""How long a packet waits for its turn on the line."""
OWN_S = 86_400.0
"""A line of its own is opened again after a day."""
READ_TURN_S = 5.0
"""How long one read of a silent line lasts; then it is read again."""
LINE_AGAIN_S = 5.0
"""Pause before a line that cannot be opened is tried again."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
"""Between two connections."""
MAX_WAITING = 16
"""Packets of the server that wait for the line; then no more is read from it."""

CONNECTING, UP, DOWN, OFF = "connecting", "up", "down", "off"


class LineLocker(Protocol):
    """The bus, as far as channels need it."""

    async def run_locked(
        self, port: str, work: Work[T], max_s: float, wait_s: float, who: str = "", *, is_brief: bool = False
    ) -> T:
        """Raises FieldbusError or BadValue, and what the work raises."""


@dataclass
class ChannelState:
    """condition: connecting, up, down or off; reason in words. failed: packets that the line did not take."""

    name: str
    condition: str = CONNECTING
    reason: str = ""
    since_ms: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    failed: int = 0


class ServerGone(AgentError):
    """The connection to the server ended or could not be made; its text says why."""


class NetworkChannel:
    """run() until cancelled. registration: sent first. is_polled: slaves of the gateway are on the line."""

    def __init__(
        self,
        channel: Channel,
        port: Port,
        registration: bytes,
        locker: LineLocker,
        clock: Clock,
        *,
        is_polled: bool,
    ) -> None:
        self.state = ChannelState(channel.name)
        self._channel = channel
        self._port = port
        self._registration = registration
        self._locker = locker
        self._clock = clock
        self._is_polled = is_polled
        self._heartbeat = packet_bytes(channel.heartbeat, channel.heartbeat_format)
        self._who = f"channel {channel.name}"
        self._sent_at = 0.0
        self._line_fault = ""

    async def run(self) -> NoReturn:
        """Connect again and again."""
        backoff = Backoff(FIRST_PAUSE_S, LONGEST_PAUSE_S)
        while True:
            try:
                reader, writer = await self._connect()
                backoff.reset()
                await self._serve(reader, writer)
            except ServerGone as error:
                self._down(str(error))
            await self._clock.sleep(backoff.next_s())

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        channel = self._channel
        where = f"{channel.server}:{channel.server_port}"
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                reader, writer = await asyncio.open_connection(channel.server, channel.server_port)
        except TimeoutError:
            raise ServerGone(f"{where}: no answer within {CONNECT_TIMEOUT_S:.0f} s") from None
        except (OSError, UnicodeError) as error:
            raise ServerGone(f"{where}: {error}") from None
        made: socket.socket = writer.get_extra_info("socket")
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)
        return reader, writer

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Until the connection ends; always raises ServerGone."""
        packets: asyncio.Queue[bytes] = asyncio.Queue(MAX_WAITING)
        line = self._requests(writer, packets) if self._is_polled else self._own(writer, packets)
        try:
            async with together() as group:
                group.create_task(line)
                group.create_task(self._receive(reader, packets))
                group.create_task(self._beat(writer))
        finally:
            writer.transport.abort()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _receive(self, reader: asyncio.StreamReader, packets: asyncio.Queue[bytes]) -> NoReturn:
        async def read_some(timeout_s: float) -> bytes:
            return await read_stream(reader, timeout_s)

        while True:
            try:
                packet = await packet_of(read_some, READ_TURN_S, self._channel.read_timeout_ms / 1000)
            except EOFError:
                raise ServerGone("closed by the server") from None
            except OSError as error:
                raise ServerGone(f"broken: {error}") from None
            if packet:
                self.state.received_bytes += len(packet)
                await packets.put(packet)

    async def _beat(self, writer: asyncio.StreamWriter) -> None:
        """Register, then a heartbeat whenever nothing was sent for the interval."""
        if self._registration:
            await self._send(writer, self._registration)
        self._up()
        self._sent_at = self._clock.monotonic()
        interval_s = self._channel.heartbeat_interval_s
        while interval_s:
            left_s = self._sent_at + interval_s - self._clock.monotonic()
            if left_s <= 0:
                await self._send(writer, self._heartbeat)
            else:
                await self._clock.sleep(left_s)

    async def _send(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        """Raises ServerGone."""
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                writer.write(data)
                await writer.drain()
        except TimeoutError:
            raise ServerGone(f"takes no data for {SEND_TIMEOUT_S:.0f} s") from None
        except OSError as error:
            raise ServerGone(f"broken: {error}") from None
        self._sent_at = self._clock.monotonic()
        self.state.sent_bytes += len(data)

    async def _requests(self, writer: asyncio.StreamWriter, packets: asyncio.Queue[bytes]) -> NoReturn:
        """One packet after the other, each with its answer, between the gateway's own requests."""
        while True:
            packet = await packets.get()

            async def ask(port: Port, seen: Seen, packet: bytes = packet) -> bytes:
                return await exchanged(transport_of(port, seen), packet, port.read_timeout_ms / 1000)

            try:
                answer = await self._locker.run_locked(
                    self._port.name, ask, HOLD_S, WAIT_S, self._who, is_brief=True
                )
            except AgentError as error:
                self._line_down(error)
                continue
            self._line_up()
            if answer:
                await self._send(writer, answer)

    async def _own(self, writer: asyncio.StreamWriter, packets: asyncio.Queue[bytes]) -> NoReturn:
        """The line is the channel's as long as the connection holds. Raises ServerGone."""

        async def carry(port: Port, seen: Seen) -> None:
            transport = transport_of(port, seen)
            try:
                await transport.open()
                self._line_up()
                async with together() as group:
                    group.create_task(self._to_line(transport, packets))
                    group.create_task(self._from_line(transport, port.read_timeout_ms / 1000, writer))
            finally:
                await transport.close()

        while True:
            try:
                await self._locker.run_locked(self._port.name, carry, OWN_S, WAIT_S, self._who)
            except ServerGone:
                raise
            except AgentError as error:
                self._line_down(error)
                await self._clock.sleep(LINE_AGAIN_S)

    async def _to_line(self, transport: Transport, packets: asyncio.Queue[bytes]) -> NoReturn:
        while True:
            await transport.write(await packets.get())
            await transport.drained(SEND_TIMEOUT_S)

    async def _from_line(
        self, transport: Transport, quiet_s: float, writer: asyncio.StreamWriter
    ) -> NoReturn:
        while True:
            packet = await packet_of(transport.read_some, READ_TURN_S, quiet_s)
            if packet:
                await self._send(writer, packet)

    def _up(self) -> None:
        log.info("%s: connected to %s:%d", self._who, self._channel.server, self._channel.server_port)
        self._become(UP, "")

    def _down(self, reason: str) -> None:
        if self.state.condition != DOWN:
            log.warning("%s: %s", self._who, reason)
        self._become(DOWN, reason)

    def _become(self, condition: str, reason: str) -> None:
        if self.state.condition != condition:
            self.state.since_ms = self._clock.now_ms()
        self.state.condition, self.state.reason = condition, reason

    def _line_down(self, error: AgentError) -> None:
        """Noted once, until the line takes something again."""
        self.state.failed += 1
        if not self._line_fault:
            log.warning("%s: port %s: %s", self._who, self._port.name, error)
        self._line_fault = self.state.reason = str(error)

    def _line_up(self) -> None:
        if self._line_fault:
            log.info("%s: port %s takes packets again", self._who, self._port.name)
            self._line_fault = self.state.reason = ""


async def exchanged(transport: Transport, packet: bytes, quiet_s: float) -> bytes:
    """The answer of a line to a packet; empty when none comes. PortDown. The line is closed afterwards."""
    try:
        await transport.open()
        await transport.write(packet)
        await transport.drained(HOLD_S)
        return await packet_of(transport.read_some, ANSWER_S, quiet_s)
    finally:
        await transport.close()


@contextlib.asynccontextmanager
async def together() -> AsyncIterator[asyncio.TaskGroup]:
    """Tasks that end with the first that fails; its error is raised alone."""
    failed: AgentError | None = None
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except* AgentError as errors:
        failed = next(error for error in errors.exceptions if isinstance(error, AgentError))
    if failed is not None:
        raise failed
