"""A meter in Python on the far end of a null modem, built on the codec's meter role."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest

from edge_agent.config.model import Port, Slave
from edge_agent.protocols.dlt645.codec import BROADCAST, Decoder, Frame, encode, int_to_bcd
from edge_agent.protocols.dlt645.driver import Dlt645Driver
from edge_agent.protocols.dlt645.statutes import STATUTES
from edge_agent.transports.memory import MemoryTransport, null_modem

DAY, TIME, WORD3 = "04000101", "04000102", "04000503"


@dataclass
class Meter:
    """data: value bytes by printed identifier, what was written included. frame_bytes: cuts longer answers
    into follow-up frames. heard: chunks as they came. spoil: changes the wire bytes of an answer; None in
    place of bytes keeps silent.
    """

    line: MemoryTransport
    address: str = "202311150042"
    statute: str = "2007"
    data: dict[str, bytes] = field(default_factory=dict)
    password: bytes = bytes.fromhex("02563412")
    frame_bytes: int = 200
    echo: bool = False
    delay_s: float = 0.0
    relay_delay_s: float = 0.0
    spoil: Callable[[Frame, bytes], bytes | None] = lambda request, wire: wire
    received: list[Frame] = field(default_factory=list)
    heard: list[bytes] = field(default_factory=list)
    followed: int = 0

    def set_clock(self, moment: datetime) -> None:
        """WW DD MM YY, 0 is Sunday; ss mm hh."""
        day = (moment.isoweekday() % 7, moment.day, moment.month, moment.year % 100)
        self.data[DAY] = b"".join(int_to_bcd(number, 1) for number in day)
        self.data[TIME] = b"".join(int_to_bcd(n, 1) for n in (moment.second, moment.minute, moment.hour))

    async def run(self) -> None:
        await self.line.open()
        decoder = Decoder()
        while True:
            self.heard.append(await self.line.read_some(1.0))
            for request in decoder.feed(self.heard[-1]):
                self.received.append(request)
                if self.echo:
                    await self.line.write(encode(request))
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                answer = self.answer(request)
                wire = None if answer is None else self.spoil(request, encode(answer, 2))
                if wire is not None:
                    await self.line.write(wire)

    def answer(self, request: Frame) -> Frame | None:
        known, codes = STATUTES[self.statute], STATUTES[self.statute].codes
        if request.address == BROADCAST and self.statute == "1997":
            return self.read(request, 2)
        if any(asked not in ("A", own) for asked, own in zip(request.address, self.address, strict=True)):
            return None
        if request.control in (codes["read"], codes["read_more"]):
            return self.read(request, known.di_bytes)
        if request.control == codes.get("read_address"):
            return Frame(self.address, 0x93, bytes.fromhex(self.address)[::-1])
        if request.control == codes["write"]:
            return self.take(request, known.di_bytes, 8 if known.operator else 4)
        if request.control == codes.get("relay"):
            return self.relay(request)
        return None

    def read(self, request: Frame, size: int) -> Frame:
        di = request.data[:size]
        data = self.data.get(di[::-1].hex().upper())
        if data is None:
            return Frame(self.address, request.control | 0xC0, b"\x02")
        counter = request.data[size:]
        more = request.function in (0x02, 0x12)
        self.followed = (counter[0] if counter else self.followed + 1) if more else 0
        start = self.followed * self.frame_bytes
        follows = 0x20 if start + self.frame_bytes < len(data) else 0
        part = data[start : start + self.frame_bytes] + counter
        return Frame(self.address, request.control | 0x80 | follows, di + part)

    def take(self, request: Frame, size: int, identity: int) -> Frame:
        if request.data[size : size + 4] != self.password:
            return Frame(self.address, request.control | 0xC0, b"\x04")
        self.data[request.data[:size][::-1].hex().upper()] = request.data[size + identity :]
        return Frame(self.address, request.control | 0x80)

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
async def line(connected: Any) -> AsyncIterator[tuple[Dlt645Driver, Meter]]:
    """A driver and the meter that it talks to."""
    near, far = null_modem()
    port = Port(name="p", type="COM", device="memory", baud=9600, min_interval_ms=0)
    async with connected(Dlt645Driver(port, near), Meter(far)) as pair:
        yield pair


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
