"""A meter in Python on the far end of a null modem, built on the codec's meter role."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime

import pytest

from edge_agent.config.model import Port, Slave
from edge_agent.protocols.dlt645.codec import Decoder, Frame, encode
from edge_agent.protocols.dlt645.driver import Dlt645Driver, clock_bytes
from edge_agent.transports.memory import MemoryTransport, null_modem

DAY, TIME, WORD3 = "04000101", "04000102", "04000503"


@dataclass
class Meter:
    """data: value bytes by printed identifier. frame_bytes: cuts longer answers into follow-up frames.
    spoil: changes the wire bytes of an answer; None in place of bytes keeps silent."""

    line: MemoryTransport
    address: str = "202311150042"
    data: dict[str, bytes] = field(default_factory=dict)
    password: bytes = bytes.fromhex("02563412")
    frame_bytes: int = 200
    echo: bool = False
    delay_s: float = 0.0
    relay_delay_s: float = 0.0
    spoil: Callable[[Frame, bytes], bytes | None] = lambda request, wire: wire
    asked: list[Frame] = field(default_factory=list)

    def set_clock(self, moment: datetime) -> None:
        self.data[DAY], self.data[TIME] = clock_bytes(moment)

    async def run(self) -> None:
        await self.line.open()
        decoder = Decoder()
        while True:
            for request in decoder.feed(await self.line.read_some(1.0)):
                self.asked.append(request)
                if self.echo:
                    await self.line.write(encode(request))
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                answer = self.answer(request)
                wire = None if answer is None else self.spoil(request, encode(answer, 2))
                if wire is not None:
                    await self.line.write(wire)

    def answer(self, request: Frame) -> Frame | None:
        if any(asked not in ("A", own) for asked, own in zip(request.address, self.address, strict=True)):
            return None
        if request.control in (0x11, 0x12):
            return self.read(request)
        if request.control == 0x1C:
            return self.relay(request)
        return None

    def read(self, request: Frame) -> Frame:
        di = request.data[:4]
        data = self.data.get(di[::-1].hex().upper())
        if data is None:
            return Frame(self.address, 0xD1, b"\x02")
        number = request.data[4] if request.control == 0x12 else 0
        start = number * self.frame_bytes
        more = 0x20 if start + self.frame_bytes < len(data) else 0
        part = data[start : start + self.frame_bytes] + (bytes((number,)) if number else b"")
        return Frame(self.address, (0x92 if number else 0x91) | more, di + part)

    def relay(self, request: Frame) -> Frame:
        valid_until = bytes(reversed(request.data[10:16]))
        now = bytes(reversed(self.data[TIME] + self.data[DAY][1:]))
        if request.data[:4] != self.password:
            return Frame(self.address, 0xDC, b"\x04")
        if valid_until < now:
            return Frame(self.address, 0xDC, b"\x01")
        state = b"\x00\x00" if request.data[8] == 0x1C else b"\x10\x00"
        asyncio.get_running_loop().call_later(self.relay_delay_s, self.data.__setitem__, WORD3, state)
        return Frame(self.address, 0x9C)


@pytest.fixture
async def line() -> AsyncIterator[tuple[Dlt645Driver, Meter]]:
    """A driver and the meter that it talks to."""
    near, far = null_modem()
    port = Port(name="p", type="COM", device="memory", baud=9600, min_interval_ms=0)
    driver, meter = Dlt645Driver(port, near), Meter(far)
    task = asyncio.create_task(meter.run())
    await asyncio.sleep(0)
    await driver.connect()
    yield driver, meter
    await driver.close()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


@pytest.fixture
def slave() -> Slave:
    return Slave(
        name="m",
        port="p",
        protocol="dlt645_2007",
        address="202311150042",
        response_timeout_ms=80,
        options={"password": "123456", "operator": "00004321"},
    )
