"""A controller in Python on the far end of a null modem, built on the codec's other role."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from edge_agent.config.model import Port, Slave
from edge_agent.protocols.fx.codec import ACK, ENQ, NAK, Decoder, Request, decode, digits_of, encode, framed
from edge_agent.protocols.fx.driver import FxDriver
from edge_agent.transports.memory import MemoryTransport, null_modem

ACKED, NAKED = bytes((ACK,)), bytes((NAK,))


@dataclass
class Controller:
    """memory: bytes by address; others are refused. spoil: changes the wire bytes of an answer, None keeps
    silent; request is None for ENQ. received: all that was understood."""

    line: MemoryTransport
    memory: dict[int, int] = field(default_factory=dict)
    echo: bool = False
    delay_s: float = 0.0
    spoil: Callable[[Request | None, bytes], bytes | None] = lambda request, wire: wire
    received: list[Request | None] = field(default_factory=list)

    def put(self, address: int, data: bytes) -> None:
        self.memory.update(enumerate(data, address))

    def get(self, address: int, count: int) -> bytes:
        return bytes(self.memory[at] for at in range(address, address + count))

    @property
    def requests(self) -> list[Request]:
        return [request for request in self.received if request is not None]

    async def run(self) -> None:
        await self.line.open()
        decoder = Decoder()
        while True:
            for token in decoder.feed(await self.line.read_some(1.0)):
                request = decode(token) if isinstance(token, bytes) else None
                if request is None and token != ENQ:
                    continue
                self.received.append(request)
                if self.echo:
                    await self.line.write(encode(request) if request else bytes((ENQ,)))
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                wire = self.spoil(request, ACKED if request is None else self.answer(request))
                if wire is not None:
                    await self.line.write(wire)

    def answer(self, request: Request) -> bytes:
        touched = range(request.address, request.address + max(request.count, len(request.data)))
        if request.operation in ("read", "write") and not all(at in self.memory for at in touched):
            return NAKED
        if request.operation == "read":
            return framed(digits_of(self.get(request.address, request.count)))
        if request.operation == "write":
            self.put(request.address, request.data)
        return ACKED


@pytest.fixture
async def line(connected: Any) -> AsyncIterator[tuple[FxDriver, Controller]]:
    """A driver and the controller that it talks to."""
    near, far = null_modem()
    port = Port(name="p", type="COM", device="memory", baud=115200, min_interval_ms=0)
    async with connected(FxDriver(port, near), Controller(far)) as pair:
        yield pair


@pytest.fixture
def slave() -> Slave:
    return Slave(
        name="s", port="p", protocol="fx", address="0", response_timeout_ms=80, options={"model": "FX1S"}
    )
