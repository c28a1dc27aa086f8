"""Modbus TCP: several units behind one port of loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from firmware_sim.devices.delivery import Delivery, Station
from firmware_sim.devices.modbus_codec import LONGEST_PDU, MBAP, mbap
from firmware_sim.devices.modbus_slave import ModbusSlave
from firmware_sim.errors import StartError
from firmware_sim.ledger import Ledger

MOST_CONNECTIONS = 64
HOST = "127.0.0.1"

Units = Mapping[int, tuple[Station, ModbusSlave]]


class Connection(asyncio.Protocol):
    """One master. Answers of units without fault and turnaround leave in one write, in order."""

    def __init__(self, server: ModbusTcp) -> None:
        self._server = server
        self._units = server.units
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
        held = self._held + data if self._held else data
        at, size = 0, len(held)
        out: list[bytes] = []
        while size - at >= MBAP:
            length = held[at + 4] << 8 | held[at + 5]
            if held[at + 2 : at + 4] != b"\0\0" or not 2 <= length <= LONGEST_PDU + 1:
                self._server.bad_frames += 1
                self.close()
                return
            end = at + 6 + length
            if end > size:
                break
            self._answer(held[at:end], out)
            at = end
        self._held = held[at:]
        if out:
            self._write(b"".join(out))

    def _answer(self, frame: bytes, out: list[bytes]) -> None:
        """Append what may leave at once to out; hand the rest to the delivery."""
        unit = frame[6]
        found = self._units.get(unit)
        if found is None:
            return
        station, slave = found
        answer = mbap(frame[:2], unit, slave.answer(frame[MBAP:]))
        if station.direct and not slave.served:
            station.last = answer
            out.append(answer)
        else:
            self._delivery.send(station, frame, answer, slave.served)

    def _write(self, data: bytes) -> bool:
        if self._transport is None or self._transport.is_closing():
            return False
        self._transport.write(data)
        return True


class ModbusTcp:
    """The listener. units: station and slave by unit; a request to another unit stays unanswered."""

    def __init__(self, port: int, units: Units, ledger: Ledger | None) -> None:
        self.units = units
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
            raise StartError(f"Modbus port {self.port}: {error.strerror}") from None
        self.port = self._server.sockets[0].getsockname()[1]

    def disconnect(self) -> None:
        """Let every master go, as a restart does."""
        for connection in list(self.connections):
            connection.close()

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self.disconnect()
