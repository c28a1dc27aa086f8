"""What carries Modbus PDUs. pymodbus carries RTU frames, over a serial line or TCP; Modbus TCP has its own
small wire, because pymodbus spends more time on an answer of 125 registers than everything else together.

A PDU is the function code and its data, without unit, transaction number and checksum.
"""

from __future__ import annotations

import asyncio
import struct
from typing import Protocol

from edge_agent.errors import BadFrame, NoAnswer, PortDown

CONNECT_TIMEOUT_S = 3.0  # three SYNs on a cellular link; a serial port opens at once
HEAD = struct.Struct(">HHHB")  # transaction, protocol, length of what follows it, unit
SHORTEST, LONGEST = 2, 254  # the length field: unit and a PDU of 1 to 253 bytes


class Wire(Protocol):
    """One connection or line, one request at a time."""

    @property
    def connected(self) -> bool: ...

    async def open(self) -> None:
        """PortDown when it cannot be opened."""

    async def ask(self, unit: int, pdu: bytes, timeout_s: float) -> bytes:
        """PDU of the unit's answer. NoAnswer, BadFrame, PortDown."""

    async def close(self) -> None: ...


class TcpWire(asyncio.Protocol):
    """Modbus TCP. An answer finds its request by its transaction number; a late one is dropped."""

    def __init__(self, host: str, port: int) -> None:
        self.strays = 0
        self._address = host, port
        self._where = f"{host}:{port}"
        self._stream: asyncio.Transport | None = None
        self._loop: asyncio.AbstractEventLoop
        self._number = 0
        self._unit = 0
        self._held = b""
        self._waiting: asyncio.Future[bytes] | None = None

    @property
    def connected(self) -> bool:
        return self._stream is not None

    async def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await self._loop.create_connection(lambda: self, *self._address)
        except TimeoutError:
            raise PortDown(f"{self._where}: no answer within {CONNECT_TIMEOUT_S:.0f} s") from None
        except OSError as error:
            raise PortDown(f"{self._where}: {error.strerror or error}") from None

    async def close(self) -> None:
        if self._stream is not None:
            self._stream.abort()
        self._stream = None

    async def ask(self, unit: int, pdu: bytes, timeout_s: float) -> bytes:
        if self._stream is None:
            raise PortDown(f"{self._where}: connection lost")
        self._number = self._number + 1 & 0xFFFF
        self._unit = unit
        waiting: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting = waiting
        timer = self._loop.call_later(
            timeout_s, self._fail, NoAnswer(f"no answer within {timeout_s * 1000:.0f} ms")
        )
        self._stream.write(HEAD.pack(self._number, 0, len(pdu) + 1, unit) + pdu)
        try:
            return await waiting
        finally:
            timer.cancel()
            self._waiting = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._stream, self._held = transport, b""

    def connection_lost(self, exc: Exception | None) -> None:
        self._stream = None
        self._fail(PortDown(f"{self._where}: {exc or 'closed by the other end'}"))

    def data_received(self, data: bytes) -> None:
        held = self._held + data if self._held else data
        while len(held) >= HEAD.size:
            number, protocol, length, unit = HEAD.unpack_from(held)
            if protocol or not SHORTEST <= length <= LONGEST:
                # Nothing in the stream says where the next frame begins: only a new connection helps.
                self._held = b""
                self._fail(BadFrame(f"no Modbus TCP header: {held[:7].hex(' ')}"))
                if self._stream is not None:
                    self._stream.abort()
                return
            end = length + 6
            if len(held) < end:
                break
            self._take(number, unit, held[7:end])
            held = held[end:]
        self._held = held

    def _take(self, number: int, unit: int, pdu: bytes) -> None:
        waiting = self._waiting
        if waiting is None or waiting.done() or number != self._number or unit != self._unit:
            self.strays += 1
            return
        waiting.set_result(pdu)

    def _fail(self, error: Exception) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(error)
