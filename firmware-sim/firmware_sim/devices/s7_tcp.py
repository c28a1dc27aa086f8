"""ISO-on-TCP: PLCs behind one port of loopback, told apart by the TSAP that is called."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from edge_agent.errors import BadFrame
from edge_agent.protocols.s7 import iso
from firmware_sim.devices.delivery import Delivery, Station
from firmware_sim.devices.s7_plc import S7Plc, S7Session
from firmware_sim.errors import StartError
from firmware_sim.ledger import Ledger

HOST = "127.0.0.1"
MOST_CONNECTIONS = 32

Plcs = Mapping[int, tuple[Station, S7Plc]]


class Connection(asyncio.Protocol):
    """One master. Who calls a TSAP that nobody has is let go, as PLCs do."""

    def __init__(self, server: S7Tcp) -> None:
        self._server = server
        self._decoder = iso.Decoder()
        self._transport: asyncio.Transport | None = None
        self._delivery = Delivery(self._write, server.ledger)
        self._called: tuple[Station, S7Session] | None = None

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
        try:
            packets = self._decoder.feed(data)
        except BadFrame:
            self._server.bad_frames += 1
            self.close()
            return
        for packet in packets:
            if isinstance(packet, iso.Connect):
                self._connect(packet)
            elif self._called is not None:
                self._serve(packet, *self._called)

    def _connect(self, request: iso.Connect) -> None:
        found = None if request.called is None else self._server.plcs.get(request.called)
        if request.code != iso.REQUEST or found is None:
            self.close()
            return
        station, plc = found
        self._called = station, plc.session()
        confirm = iso.Connect(iso.CONFIRM, request.calling, request.called)
        answer = iso.encode_connect(confirm, destination=1, source=2)
        self._delivery.send(station, iso.encode_connect(request), answer)

    def _serve(self, pdu: bytes, station: Station, session: S7Session) -> None:
        answer = session.answer(pdu)
        if answer is not None:
            self._delivery.send(station, iso.encode_data(pdu), iso.encode_data(answer))

    def _write(self, data: bytes) -> bool:
        if self._transport is None or self._transport.is_closing():
            return False
        self._transport.write(data)
        return True


class S7Tcp:
    """The listener. plcs: station and PLC by the TSAP that reaches it."""

    def __init__(self, port: int, plcs: Plcs, ledger: Ledger | None) -> None:
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
            raise StartError(f"S7 port {self.port}: {error.strerror}") from None
        self.port = self._server.sockets[0].getsockname()[1]

    def disconnect(self) -> None:
        """Let every master go, as a restart does."""
        for connection in list(self.connections):
            connection.close()

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self.disconnect()
