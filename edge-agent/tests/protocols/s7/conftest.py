"""A PLC in Python on the far end of a null modem, built on the codecs' PLC role."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from edge_agent.config.model import Port, Slave
from edge_agent.protocols.s7 import codec, iso, ppi
from edge_agent.protocols.s7.codec import Item, Message, Value
from edge_agent.protocols.s7.driver import S7Driver
from edge_agent.protocols.s7.ppi_driver import PpiDriver
from edge_agent.transports.memory import MemoryTransport, null_modem

STATION, MASTER = 2, 0
Spoil = Callable[[bytes], bytes | None]


@dataclass
class Memory:
    """Bytes by area code and DB number. sick: return code by area code; header: error of every answer."""

    areas: dict[tuple[int, int], bytearray] = field(default_factory=dict)
    sick: dict[int, int] = field(default_factory=dict)
    header: int = 0
    pdu: int = 240
    jobs: list[Message] = field(default_factory=list)

    def answer(self, job: Message) -> Message:
        self.jobs.append(job)
        function = job.parameter[0]
        if function == codec.SETUP:
            return codec.setup_answer(job.reference, min(self.pdu, codec.setup_size(job)))
        if self.header:
            return Message(codec.ACK, job.reference, error=self.header)
        items = codec.job_items(job)
        if function == codec.READ:
            return codec.read_answer(job.reference, [self.read(item) for item in items])
        values = codec.job_values(job)
        return codec.write_answer(
            job.reference, [self.write(item, value) for item, value in zip(items, values, strict=True)]
        )

    @property
    def reads(self) -> list[tuple[Item, ...]]:
        return [codec.job_items(job) for job in self.jobs if job.parameter[0] == codec.READ]

    def place(self, item: Item) -> tuple[bytearray, int] | int:
        """Cells and first byte, or a return code."""
        cells = self.areas.get((item.area, item.db))
        if item.area in self.sick or cells is None:
            return self.sick.get(item.area, 0x0A)
        element = codec.ELEMENT_BYTES[item.transport]
        numbered = item.transport in (codec.TIMER, codec.COUNTER, codec.TIMER_200, codec.COUNTER_200)
        start = item.address * element if numbered else item.address >> 3
        return (cells, start) if start + item.size <= len(cells) else 0x05

    def read(self, item: Item) -> Value:
        place = self.place(item)
        if isinstance(place, int):
            return Value(place)
        cells, start = place
        if item.transport == codec.BIT:
            return Value(codec.OK, codec.DATA_BIT, bytes((cells[start] >> (item.address & 7) & 1,)))
        return Value(codec.OK, codec.DATA_WORD, bytes(cells[start : start + item.size]))

    def write(self, item: Item, value: Value) -> int:
        place = self.place(item)
        if isinstance(place, int):
            return place
        cells, start = place
        if item.transport == codec.BIT:
            bit = 1 << (item.address & 7)
            cells[start] = cells[start] | bit if value.data[0] else cells[start] & ~bit
        else:
            assert len(value.data) == item.size
            cells[start : start + item.size] = value.data
        return codec.OK


@dataclass
class TcpPlc:
    """spoil: changes the bytes of an answer; None in place of them keeps silent."""

    memory: Memory = field(default_factory=Memory)
    delay_s: float = 0.0
    spoil: Spoil = lambda wire: wire
    connects: list[iso.Connect] = field(default_factory=list)
    confirm: int = iso.CONFIRM
    line: MemoryTransport = field(default_factory=lambda: null_modem()[1])
    """Of the newest connection."""

    async def run(self, line: MemoryTransport) -> None:
        """One connection."""
        await line.open()
        decoder = iso.Decoder()
        while True:
            for packet in decoder.feed(await line.read_some(1.0)):
                answer = self.answer(packet)
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                if answer is not None:
                    await line.write(answer)

    def answer(self, packet: bytes | iso.Connect) -> bytes | None:
        if isinstance(packet, iso.Connect):
            self.connects.append(packet)
            return iso.encode_connect(iso.Connect(self.confirm, packet.calling, packet.called))
        job = codec.decode(packet)
        if job.kind == codec.USERDATA:
            return None
        answer = iso.encode_data(codec.encode(self.memory.answer(job)))
        return answer if job.parameter[0] == codec.SETUP else self.spoil(answer)


@dataclass
class PpiPlc:
    """busy: polls answered with E5 before the answer. mute: also the acknowledgement stays away."""

    line: MemoryTransport
    memory: Memory = field(default_factory=Memory)
    busy: int = 0
    mute: bool = False
    echo: bool = False
    delay_s: float = 0.0
    spoil: Spoil = lambda wire: wire
    heard: list[ppi.Telegram] = field(default_factory=list)
    ready: bytes | None = None

    async def run(self) -> None:
        await self.line.open()
        decoder = ppi.Decoder()
        while True:
            for telegram in decoder.feed(await self.line.read_some(1.0)):
                self.heard.append(telegram)
                if self.echo:
                    await self.line.write(ppi.encode(telegram))
                if telegram.to == STATION and not self.mute:
                    await self.take(telegram)

    async def take(self, telegram: ppi.Telegram) -> None:
        if telegram.pdu:
            answer = codec.encode(self.memory.answer(codec.decode(telegram.pdu)))
            self.ready = ppi.encode(ppi.Telegram(telegram.by, STATION, ppi.ANSWER, answer))
            await self.line.write(b"\xe5")
        elif self.busy:
            self.busy -= 1
            await self.line.write(b"\xe5")
        elif self.ready is not None:
            wire, self.ready = self.spoil(self.ready), None
            await asyncio.sleep(self.delay_s)
            if wire is not None:
                await self.line.write(wire)


@pytest.fixture
async def s7() -> AsyncIterator[tuple[S7Driver, TcpPlc]]:
    """A driver and the PLC that it talks to, over as many connections as it makes."""
    ends: list[asyncio.Task[None]] = []
    plc = TcpPlc()

    def connection() -> MemoryTransport:
        near, far = null_modem()
        plc.line = far
        ends.append(asyncio.create_task(plc.run(far)))
        return near

    port = Port(name="p", type="NET", host="memory", port=102, min_interval_ms=0)
    driver = S7Driver(port, connection)
    await driver.connect()
    yield driver, plc
    await driver.close()
    await _ended(ends)


@pytest.fixture
async def line() -> AsyncIterator[tuple[PpiDriver, PpiPlc]]:
    near, far = null_modem()
    port = Port(name="p", type="COM", device="memory", baud=187500, parity="E", min_interval_ms=0)
    driver, plc = PpiDriver(port, near), PpiPlc(far)
    task = asyncio.create_task(plc.run())
    await asyncio.sleep(0)
    await driver.connect()
    yield driver, plc
    await driver.close()
    await _ended([task])


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await task


@pytest.fixture
def slave() -> Slave:
    return Slave(
        name="plc", port="p", protocol="s7", address="1", response_timeout_ms=80,
        options={"model": "1500", "pdu": 240},
    )  # fmt: skip


@pytest.fixture
def station() -> Slave:
    return Slave(name="plc", port="p", protocol="ppi", address=str(STATION), response_timeout_ms=80)


@pytest.fixture
def here() -> Path:
    return Path(__file__).parent
