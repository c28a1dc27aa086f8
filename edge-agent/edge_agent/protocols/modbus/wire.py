"""What carries Modbus PDUs. pymodbus serves lines with RTU frames; Modbus TCP has its own small wire, because
pymodbus spends more time on an answer of 125 registers than everything else together."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol

from edge_agent.config.model import Port
from edge_agent.errors import BadFrame, ConnectionRefused, ForeignAnswer, NoAnswer, PortDown
from edge_agent.model import Seen
from edge_agent.protocols.modbus.frames import LONGEST, MBAP, SHORTEST, mbap
from edge_agent.transports import reach

HEADER_BYTES = MBAP.size
MAX_LATE = 64  # requests that timed out, whose answers may still come
CONNECT_TIMEOUT_S = 3.0  # three SYNs on a cellular link; a serial port opens at once


class Wire(Protocol):
    """One connection or line, one request at a time."""

    seen: Seen | None
    """Takes what is sent and received."""

    @property
    def connected(self) -> bool: ...

    @property
    def echo_known(self) -> bool:
        """Whether a request that comes back can be distinguished from the confirmation that equals it."""

    async def open(self) -> None:
        """PortDown when it cannot be opened."""

    async def ask(self, unit: int, pdu: bytes, timeout_s: float) -> bytes:
        """PDU of the unit's answer. NoAnswer, BadFrame, PortDown."""

    async def close(self) -> None: ...


class TcpWire(asyncio.Protocol):
    """Modbus TCP. An answer finds its request by its transaction number; a late one is dropped."""

    echo_known = True

    def __init__(self, host: str, port: int) -> None:
        self.seen: Seen | None = None
        self.strays = 0
        self._address = host, port
        self._where = f"{host}:{port}"
        self._stream: asyncio.Transport | None = None
        self._loop: asyncio.AbstractEventLoop
        self._number = 0
        self._unit = 0
        self._other: tuple[int, int] | None = None  # number and unit of an answer to another request
        self._late: deque[int] = deque(maxlen=MAX_LATE)  # numbers of requests whose time is over
        self._held = b""
        self._waiting: asyncio.Future[bytes] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._over_at = self._looks_at = self._timeout_s = 0.0

    @property
    def connected(self) -> bool:
        return self._stream is not None

    async def open(self) -> None:
        """Raises PortDown when the host cannot be reached, ConnectionRefused when it refuses."""
        self._loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await reach.connect(lambda: self, *self._address)
        except TimeoutError:
            raise PortDown(f"{self._where}: no answer within {CONNECT_TIMEOUT_S:.0f} s") from None
        except ConnectionRefusedError as error:
            raise ConnectionRefused(f"{self._where}: {error.strerror or error}") from None
        except OSError as error:
            raise PortDown(f"{self._where}: {error.strerror or error}") from None

    async def close(self) -> None:
        if self._stream is not None:
            self._stream.abort()
        self._stream = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def ask(self, unit: int, pdu: bytes, timeout_s: float) -> bytes:
        stream = self._stream
        if stream is None:
            error = PortDown(f"{self._where}: connection lost")
            error.may_have_acted = False
            raise error
        self._number = number = self._number + 1 & 0xFFFF
        self._unit = unit
        self._other = None
        waiting: asyncio.Future[bytes] = self._loop.create_future()
        self._waiting = waiting
        self._timeout_s = timeout_s
        self._over_at = self._loop.time() + timeout_s
        if self._timer is None or self._over_at < self._looks_at:
            self._look_at_the_time()
        frame = mbap(number, unit, pdu)
        if self.seen is not None:
            self.seen("request", frame)
        stream.write(frame)
        return await waiting

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._stream, self._held = transport, b""

    def connection_lost(self, exc: Exception | None) -> None:
        self._stream = None
        self._fail(PortDown(f"{self._where}: {exc or 'closed by the other end'}"))

    def data_received(self, data: bytes) -> None:
        if self.seen is not None:
            self.seen("answer", data)
        held = self._held + data if self._held else data
        at = 0
        while len(held) - at >= HEADER_BYTES:
            number, protocol, length, unit = MBAP.unpack_from(held, at)
            if protocol or not SHORTEST <= length <= LONGEST:
                # Nothing in the stream says where the next frame begins: only a new connection helps.
                self._held = b""
                self._fail(BadFrame(f"no Modbus TCP header: {held[at : at + 7].hex(' ')}"))
                if self._stream is not None:
                    self._stream.abort()
                return
            end = at + length + 6
            if len(held) < end:
                break
            self._take(number, unit, held[at + HEADER_BYTES : end])
            at = end
        self._held = held[at:]

    def _take(self, number: int, unit: int, pdu: bytes) -> None:
        waiting = self._waiting
        if waiting is None or waiting.done() or number != self._number or unit != self._unit:
            self.strays += 1
            if number in self._late:
                self._late.remove(number)
            else:
                self._other = number, unit
            return
        self._waiting = None
        waiting.set_result(pdu)

    def _look_at_the_time(self) -> None:
        """One timer for all requests: it is not put off by an answer, and looks what it finds."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting is None or self._waiting.done():
            return
        left_s = self._over_at - self._loop.time()
        if left_s > 0:
            self._looks_at = self._over_at
            self._timer = self._loop.call_later(left_s, self._look_at_the_time)
        else:
            self._time_is_over()

    def _time_is_over(self) -> None:
        words = f"no answer within {self._timeout_s * 1000:.0f} ms"
        if self._held:
            # The rest will not come any more; the next answer must not be taken for it.
            error: Exception = BadFrame(f"{words}, half a frame: {self._held[:16].hex(' ')}")
            self._held = b""
        elif self._other is not None and self._other[0] == self._number:
            error = ForeignAnswer(f"answer of unit {self._other[1]}, asked {self._unit}")
        else:
            error = NoAnswer(words)
            if self._other is not None:
                error.kind = ForeignAnswer.kind
        self._late.append(self._number)
        self._fail(error)

    def _fail(self, error: Exception) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)


def silence_s(port: Port) -> float:
    """t3.5 of the serial line specification: 3.5 characters of 11 bits, fixed above 19200 baud."""
    return 0.00175 if port.baud > 19200 else 3.5 * 11 / port.baud
