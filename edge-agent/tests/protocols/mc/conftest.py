"""A PLC on a port of loopback, built on the frames' PLC role, that can be made to misbehave."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

import pytest

from edge_agent.config.model import Port, Slave
from edge_agent.errors import BadFrame
from edge_agent.protocols.mc.codec import Answer, Frame, Request
from edge_agent.protocols.mc.config import FRAMES
from edge_agent.protocols.mc.driver import McDriver
from edge_agent.transports.tcp import TcpTransport

Sent = Sequence[tuple[float, bytes]]


@dataclass
class Plc:
    """words, bits: by device code and number. refusal: end code of every answer. spoil: what is really sent
    for an answer, as pieces with the pause before each; an empty one keeps silent."""

    frame: Frame
    words: dict[tuple[int, int], int] = field(default_factory=dict)
    bits: dict[tuple[int, int], int] = field(default_factory=dict)
    refusal: int = 0
    spoil: Callable[[bytes], Sent] = lambda wire: [(0.0, wire)]
    received: list[Request] = field(default_factory=list)
    connections: int = 0
    sent: int = 0
    port: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        held = b""
        while data := await reader.read(4096):
            held += data
            while (size := self.size(held)) is not None and len(held) >= size:
                request = self.frame.decode_request(held[:size])
                held = held[size:]
                self.received.append(request)
                for pause_s, piece in self.spoil(self.frame.encode_answer(request, self.answer(request))):
                    await asyncio.sleep(pause_s)
                    writer.write(piece)
                    self.sent += 1
        writer.close()

    def size(self, held: bytes) -> int | None:
        try:
            return self.frame.request_size(held)
        except BadFrame:
            return None

    def answer(self, request: Request) -> Answer:
        if self.refusal:
            return Answer(self.refusal)
        if request.command == "model":
            name = b"FX5U-32MR/ES".ljust(16) + b"\x21\x4a"
            return Answer(data=b"\xf3\x00" if self.frame.name == "1e" else name)
        memory = self.bits if request.bits else self.words
        size = 1 if request.bits else 2
        places = [(request.device, request.start + n) for n in range(request.count)]
        if request.command == "write":
            for n, place in enumerate(places):
                memory[place] = int.from_bytes(request.data[n * size : (n + 1) * size], "little")
            return Answer()
        return Answer(data=b"".join(memory.get(place, 0).to_bytes(size, "little") for place in places))


@pytest.fixture(params=FRAMES, ids="-".join)
async def line(request: pytest.FixtureRequest) -> AsyncIterator[tuple[McDriver, Plc, Slave]]:
    """A driver, the PLC that it talks to, and the slave as configured; of each frame and code."""
    name, code = request.param
    plc = Plc(FRAMES[name, code])
    server = await asyncio.start_server(plc.serve, "127.0.0.1", 0)
    plc.port = server.sockets[0].getsockname()[1]
    port = Port(name="p", type="NET", host="127.0.0.1", port=plc.port, min_interval_ms=0)
    options = {"code": code} if name == "1e" else {"code": code, "series": "FX5"}
    slave = Slave(
        name="s", port="p", protocol=f"mc_{name}", address="0", response_timeout_ms=200, options=options
    )
    driver = McDriver(port, TcpTransport("127.0.0.1", plc.port))
    await driver.connect()
    yield driver, plc, slave
    await driver.close()
    server.close()
