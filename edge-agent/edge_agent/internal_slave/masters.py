"""Masters over Modbus TCP: who may connect, how many at once, and how long one may be silent.

Frames: MODBUS Messaging on TCP/IP Implementation Guide V1.0b, section 3.1.3; which connection gives way to
a new one: section 4.2.1.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from dataclasses import dataclass

from edge_agent.config.model import InternalSlave
from edge_agent.config.reach import literal, networks_of, plain
from edge_agent.internal_slave.answers import MasterAnswers
from edge_agent.internal_slave.requests import NO_SUCH_TARGET, exception_answer
from edge_agent.protocols.modbus.frames import LONGEST, MBAP, SHORTEST, mbap
from edge_agent.system.clock import Clock

log = logging.getLogger(__name__)

ANY_UNIT = frozenset({0, 255})
"""Unit numbers that mean whoever is behind the address (the guide, section 4.4.1.2)."""
FRAME_TIMEOUT_S = 5.0
"""From the first byte of a request to its last one."""
STALL_S = 5.0
"""A master that takes no answer for so long is as good as gone."""
YIELDS_AFTER_S = 10.0
"""A connection that was silent for so long gives way to a new master when there are max_clients."""
BIND_AGAIN_S = 10.0
MAX_HELD_BYTES = 1024
"""Of one connection: requests beyond stay with the network."""


@dataclass(eq=False)
class Master:
    """One connection. heard_s: monotonic, of its last whole request, or of the connection."""

    peer: str
    writer: asyncio.StreamWriter
    since_ms: int
    heard_s: float
    requests: int = 0
    is_busy: bool = False


class MasterListener:
    """run() until cancelled; a taken port stops nothing else, it is tried again.

    refused: connections of others than allow, and beyond max_clients; bad_frames: that ended a connection.
    """

    def __init__(self, settings: InternalSlave, answers: MasterAnswers, clock: Clock) -> None:
        self.masters: list[Master] = []
        self.refused = self.bad_frames = 0
        self.fault = ""
        self.address: tuple[str, int] | None = None
        self._settings = settings
        self._allow = networks_of(settings.allow)
        self._answers = answers
        self._clock = clock

    async def run(self) -> None:
        """Listen."""
        place = self._settings.host, self._settings.port
        while True:
            try:
                server = await asyncio.start_server(self._serve, *place, limit=MAX_HELD_BYTES)
            except OSError as error:
                words = f"cannot listen on port {place[1]}: {error.strerror or error}"
                if words != self.fault:
                    log.error("internal slave: %s", words)
                self.fault = words
                await self._clock.sleep(BIND_AGAIN_S)
                continue
            self.fault = ""
            host, port = server.sockets[0].getsockname()[:2]
            self.address = (host, port)
            log.info("internal slave %d listens on %s port %d", self._settings.id, host, port)
            try:
                await asyncio.Event().wait()
            finally:
                server.close()
                for master in self.masters:
                    master.writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = (writer.get_extra_info("peername") or ("", 0))[:2]
        if not self._is_allowed(host) or not self._has_place():
            self.refused += 1
            writer.transport.abort()
            return
        master = Master(f"{host}:{port}", writer, self._clock.now_ms(), self._clock.monotonic())
        self.masters.append(master)
        try:
            while await self._exchange(reader, master):
                pass
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass  # it went away, or is too slow
        except Exception:  # supervisor: one master's connection may end neither the slave nor the agent
            log.exception("internal slave: connection of %s", master.peer)
        finally:
            self._forget(master)

    def _is_allowed(self, host: str) -> bool:
        address = literal(host.partition("%")[0])
        if address is None:
            return False
        address = plain(address)
        if not self._allow:
            return address.is_loopback
        return any(address.version == each.version and address in each for each in self._allow)

    def _has_place(self) -> bool:
        """Whether one more may connect; the connection that was silent for longest gives way."""
        if len(self.masters) < self._settings.max_clients:
            return True
        idle = [one for one in self.masters if not one.is_busy]
        longest = min(idle, key=lambda one: one.heard_s, default=None)
        if longest is None or self._clock.monotonic() - longest.heard_s < YIELDS_AFTER_S:
            return False
        self._forget(longest)
        return True

    def _forget(self, master: Master) -> None:
        if master in self.masters:
            self.masters.remove(master)
        master.writer.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, master: Master) -> bool:
        """One request and its answer. False when the stream cannot be followed any more."""
        async with asyncio.timeout(self._settings.idle_timeout_s):
            first = await reader.readexactly(1)
        async with asyncio.timeout(FRAME_TIMEOUT_S):
            head = first + await reader.readexactly(MBAP.size - 1)
            transaction, protocol, length, unit = MBAP.unpack(head)
            if protocol or not SHORTEST <= length <= LONGEST:
                self.bad_frames += 1
                return False
            pdu = await reader.readexactly(length - 1)
        master.heard_s = self._clock.monotonic()
        master.requests += 1
        if unit == self._settings.id or unit in ANY_UNIT:
            master.is_busy = True
            try:
                answer = await self._answers.answer(pdu, master.peer)
            finally:
                master.is_busy = False
        else:
            answer = exception_answer(pdu, NO_SUCH_TARGET)
        async with asyncio.timeout(STALL_S):
            master.writer.write(mbap(transaction, unit, answer))
            with contextlib.suppress(ConnectionResetError):
                await master.writer.drain()
        return True
