"""MC protocol over TCP: PLCs behind one port of loopback, told apart by the route of a request."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from edge_agent.errors import BadFrame
from edge_agent.protocols.mc.codec import Frame, Route
from firmware_sim.devices.delivery import Delivery, Station
from firmware_sim.devices.mc_plc import McPlc
from firmware_sim.errors import StartError
from firmware_sim.ledger import Ledger

HOST = "127.0.0.1"
MOST_CONNECTIONS = 16

Plcs = Mapping[Route, tuple[Station, McPlc]]


class Connection(asyncio.Protocol):
    """One master. Who sends what is no frame is let go; a route that leads nowhere stays unanswered."""

    def __init__(self, server: McTcp) -> None:
        self._server = server
        self._held = b""
        self._transport: asyncio.Transport | None = None
        self._delivery = Delivery(self._write, server.ledger)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if len(self._server.connections) >= MOST_CONNECTIONS:
            self._server.refused += 1
            transport.abort()
            return
        self._server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self._delivery.close()
        self._server.connections.discard(self)

    def pause_writing(self) -> None:
        """The master does not take its answers: take no more requests."""
        if self._transport is not None:
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        held, frame = self._held + data, self._server.frame
        try:
            while (size := frame.request_size(held)) is not None and len(held) >= size:
                wire, held = held[:size], held[size:]
                self._answer(wire)
        except BadFrame:
            self._server.bad_frames += 1
            self._held = b""
            self.close()
            return
        self._held = held

    def _answer(self, wire: bytes) -> None:
        frame = self._server.frame
        request = frame.decode_request(wire)
        found = self._server.plcs.get(request.route)
        if found is None:
            return
        station, plc = found
        self._delivery.send(station, wire, frame.encode_answer(request, plc.answer(request)), plc.served)

    def _write(self, data: bytes) -> bool:
        if self._transport is None or self._transport.is_closing():
            return False
        self._transport.write(data)
        return True


class McTcp:
    """The listener, of one frame type and data code. plcs: station and PLC by the route that leads to it."""

    def __init__(self, port: int, frame: Frame, plcs: Plcs, ledger: Ledger | None) -> None:
        self.frame = frame
        self.plcs = plcs
        self.ledger = ledger
        self.connections: set[Connection] = set()
        self.bad_frames = 0
        self.refused = 0
        self.port = port
        self._server: asyncio.Server | None = None

    async def open(self) -> None:
        """StartError when the port is taken. port is afterwards the one that was bound."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(lambda: Connection(self), HOST, self.port)
        except OSError as error:
            raise StartError(f"MC port {self.port}: {error.strerror}") from None
        self.port = self._server.sockets[0].getsockname()[1]

    def disconnect(self) -> None:
        """Let every master go, as a restart does."""
        for connection in list(self.connections):
            connection.close()

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self.disconnect()
