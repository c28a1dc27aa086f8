"""What a tunnel ends in at the gateway: a serial line, or a TCP connection (a NET port, the local page)."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from dataclasses import dataclass
from typing import Protocol

import msgspec

from edge_agent.config.model import LocalPage, Port
from edge_agent.errors import PortDown
from edge_agent.model import Seen
from edge_agent.transports import reach
from edge_contract.tunnel import Line

CONNECT_TIMEOUT_S = 3.0  # three SYNs on a cellular link
STALL_S = 30.0
"""A device or page that takes nothing for so long is as good as gone."""
READ_TURN_S = 5.0
"""How long one read of a silent line lasts; then it is read again."""
MAX_READ_BYTES = 16 * 1024


class TunnelEnd(Protocol):
    """A byte stream that loses nothing unnoticed. Every method raises PortDown when it broke."""

    @property
    def line(self) -> Line | None:
        """Serial settings in use; None where there are none."""

    async def open(self) -> None:
        """Raises PortDown when that is not possible."""

    async def read(self) -> bytes:
        """At least one byte; empty when the other end has finished."""

    async def write(self, data: bytes) -> None:
        """Return when it has been taken, at the pace of whatever is there."""

    async def set_line(self, line: Line) -> None:
        """Set a serial line; nothing else has one. Raises PortDown."""

    async def close(self) -> None:
        """Give the end back; never fails."""


class SerialEnd:
    """A COM port, opened for this tunnel alone."""

    def __init__(self, port: Port, seen: Seen) -> None:
        from edge_agent.transports.serial import (
            SerialTransport,
        )  # only gateways with a COM port load pyserial

        self._transport = SerialTransport(port)
        self._transport.watch(seen)

    @property
    def line(self) -> Line | None:
        port = self._transport.port
        return Line(baud=port.baud, parity=port.parity, data_bits=port.data_bits, stop_bits=port.stop_bits)

    async def open(self) -> None:
        await self._transport.open()

    async def read(self) -> bytes:
        """The next bytes of the line. Raises Overrun when they come faster than the tunnel carries them."""
        while True:
            data = await self._transport.read_some(READ_TURN_S)
            if self._transport.dropped_bytes:
                raise Overrun(f"{self._transport.where}: sends faster than the tunnel carries")
            if data:
                return data

    async def write(self, data: bytes) -> None:
        for at in range(0, len(data), 1024):
            await self._transport.write(data[at : at + 1024])
            await self._transport.drained(STALL_S)

    async def set_line(self, line: Line) -> None:
        await self._transport.set_line(with_line(self._transport.port, line), STALL_S)

    async def close(self) -> None:
        await self._transport.close()


class TcpEnd:
    """One connection to host:port of a device, as far as the gateway's list allows it.

    page: to this gateway's own page instead, with TLS where a context is given.
    """

    def __init__(
        self,
        host: str,
        port: int,
        seen: Seen | None = None,
        tls: ssl.SSLContext | None = None,
        *,
        page: bool = False,
    ) -> None:
        self._address = host, port
        self._seen = seen or (lambda direction, data: None)
        self._tls = tls
        self._page = page
        self._line: Line | None = None
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def open(self) -> None:
        """Connect within CONNECT_TIMEOUT_S. Raises PortDown when that is not possible."""
        host, port = self._address
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                if self._page:
                    own = await reach.own_address(host, port)
                    opened = await asyncio.open_connection(own, port, ssl=self._tls)
                else:
                    opened = await reach.open_stream(host, port)
                self._reader, self._writer = opened
        except TimeoutError:
            raise PortDown(f"{host}:{port}: no answer within {CONNECT_TIMEOUT_S:.0f} s") from None
        except OSError as error:
            raise PortDown(f"{host}:{port}: {error.strerror or error}") from None

    async def read(self) -> bytes:
        """The next bytes, none at the end of the stream. Raises PortDown when the connection broke."""
        assert self._reader is not None
        try:
            data = await self._reader.read(MAX_READ_BYTES)
        except OSError as error:
            raise PortDown(f"{self._address[0]}:{self._address[1]}: {error.strerror or error}") from None
        if data:
            self._seen("answer", data)
        return data

    async def write(self, data: bytes) -> None:
        """Raises PortDown when the other end takes no data for STALL_S, or the connection broke."""
        assert self._writer is not None
        self._seen("request", data)
        try:
            async with asyncio.timeout(STALL_S):
                self._writer.write(data)
                await self._writer.drain()
        except TimeoutError:
            raise PortDown(f"{self._address[0]}:{self._address[1]}: takes no data") from None
        except OSError as error:
            raise PortDown(f"{self._address[0]}:{self._address[1]}: {error.strerror or error}") from None

    @property
    def line(self) -> Line | None:
        """What was asked for: a connection has no serial settings, so any will do."""
        return self._line

    async def set_line(self, line: Line) -> None:
        self._line = line

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(CONNECT_TIMEOUT_S):
                    await self._writer.wait_closed()


class Overrun(PortDown):
    """Bytes were lost because they came faster than they were carried."""

    code = "lost"


@dataclass(frozen=True)
class PageDoor:
    """The way to the gateway's own page, over loopback where it listens there."""

    settings: LocalPage

    def end(self) -> TunnelEnd:
        """A new connection to the page, not yet open. PortDown: its certificate cannot be read."""
        page = self.settings
        host = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}.get(page.host, page.host)  # noqa: S104
        return TcpEnd(host, page.port, tls=self._tls(), page=True)

    def _tls(self) -> ssl.SSLContext | None:
        """Trusts the page's own certificate and nothing else, by whatever name it was made out."""
        if self.settings.cert_file is None:
            return None
        try:
            context = ssl.create_default_context(cafile=self.settings.cert_file)
        except (OSError, ssl.SSLError) as error:
            raise PortDown(f"local_page.cert_file: {error}") from None
        context.check_hostname = False
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        return context


def end_of(port: Port, seen: Seen) -> TunnelEnd:
    """The end of a port that is locked for a tunnel."""
    return SerialEnd(port, seen) if port.type == "COM" else TcpEnd(port.host, port.port, seen)


def with_line(port: Port, line: Line | None) -> Port:
    """The port with other serial settings; a NET port has none."""
    if line is None or port.type != "COM":
        return port
    return msgspec.structs.replace(
        port, baud=line.baud, parity=line.parity, data_bits=line.data_bits, stop_bits=line.stop_bits
    )
