"""A data logger that shares no code with codec and platform, golden packets, and a running platform."""

from __future__ import annotations

import asyncio
import csv
import re
from pathlib import Path
from typing import Any, Self

from firmware_sim.hj212_platform import report
from firmware_sim.hj212_platform.description import RequestEntry
from firmware_sim.hj212_platform.load import read
from firmware_sim.hj212_platform.platform import Hj212Platform
from firmware_sim.hj212_platform.request_exchange import RequestRecord
from firmware_sim.hj212_platform.store import ReceivedReader

WAIT_S = 60.0
CODEC_TESTS = Path(__file__).resolve().parents[3] / "edge-agent" / "tests" / "forwarding" / "hj212"
MN, OLD_MN = "010000A8900016F000169DC0", "88888880000001"
STATIONS = f"""
over_time_s: 30
stations:
  - {{name: outlet, version: "2017", mn: {MN}, st: "32", pw: "123456"}}
  - {{name: stack, version: "2025", mn: A{MN[1:]}, st: "31", pw: abcdef, minute_interval: 1, also_st: ["44"]}}
  - {{name: ditch, version: "2005", mn: "{OLD_MN}", st: "32", pw: "123456"}}
"""


def golden_rows() -> list[dict[str, str]]:
    """Packets of the fact sheets."""
    with (CODEC_TESTS / "packets.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def wire(text: str) -> bytes:
    """Bytes of a packet that is written without its CR LF; <hex:0D0A> stands for bytes."""
    parts = re.split("(<hex:[0-9A-F]*>)", text)
    return b"".join(bytes.fromhex(p[5:-1]) if p.startswith("<hex:") else p.encode() for p in parts) + b"\r\n"


def golden(name: str) -> bytes:
    return next(wire(row["packet"]) for row in golden_rows() if row["id"] == name)


def digits(segment: bytes) -> int:
    """Annex A, bit by bit."""
    register = 0xFFFF
    for byte in segment:
        register = (register >> 8) ^ byte
        for _ in range(8):
            register = (register >> 1) ^ 0xA001 if register & 1 else register >> 1
    return register


def packet(segment: str) -> bytes:
    data = segment.encode()
    return b"##%04d%b%04X\r\n" % (len(data), data, digits(data))


def upload(
    qn: int,
    area: str = "DataTime=20260101000000;w01018-Rtd=1.0,w01018-Flag=N",
    *,
    cn: str = "2011",
    **fields: str,
) -> bytes:
    """Of station outlet, with an answer wanted. fields: other values of the header."""
    values = {"ST": "32", "PW": "123456", "MN": MN, "Flag": "5", **fields}
    head = f"QN={qn:017};ST={values.pop('ST')};CN={cn};"
    return packet(head + "".join(f"{name}={value};" for name, value in values.items()) + f"CP=&&{area}&&")


class DataLogger:
    """One connection to a platform."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def connected(cls, port: int) -> Self:
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    def send(self, *packets: bytes) -> None:
        self._writer.write(b"".join(packets))

    async def received(self) -> str:
        """The segment of the next packet, which must be sound."""
        async with asyncio.timeout(WAIT_S):
            head = await self._reader.readexactly(6)
            assert head[:2] == b"##"
            body = await self._reader.readexactly(int(head[2:]) + 6)
        segment = body[:-6]
        assert body[-6:] == b"%04X\r\n" % digits(segment)
        return segment.decode()

    def send_segment(self, segment: str) -> None:
        self.send(packet(segment))

    async def received_anything(self) -> str:
        """The segment of the next packet, sound or not; what is cut off before it is passed over."""
        async with asyncio.timeout(WAIT_S):
            line = await self._reader.readuntil(b"\r\n")
        return line[line.rindex(b"##") + 6 : -6].decode()

    async def bytes_until(self, end: bytes) -> bytes:
        async with asyncio.timeout(WAIT_S):
            return await self._reader.readuntil(end)

    async def rest(self) -> bytes:
        """Until the platform ends the connection."""
        async with asyncio.timeout(WAIT_S):
            try:
                return await self._reader.read()
            except ConnectionResetError:
                return b""

    def carry_out(self, request: str, *data: bytes) -> None:
        """Accept a request, send its data, and say that it is done."""
        self.answer(request, "9011", "QnRtn=1")
        self.send(*data)
        self.answer(request, "9012", "ExeRtn=1")

    def answer(self, request: str, cn: str, *items: str) -> None:
        """9011, 9012 or 9013 to a request."""
        fields = dict(part.split("=") for part in request.partition(";CP=")[0].split(";"))
        head = f"QN={fields['QN']};ST=91;CN={cn};PW={fields['PW']};MN={fields['MN']};"
        self.send(packet(f"{head}Flag={int(fields['Flag']) & 0xFC};CP=&&{';'.join(items)}&&"))

    def close(self) -> None:
        self._writer.close()


class RunningPlatform:
    """A platform with its store on a folder."""

    def __init__(self, text: str, state: Path) -> None:
        self.state = state
        self.port = 0
        self._text = text
        self._loggers: list[DataLogger] = []

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    async def open(self) -> None:
        self.platform = Hj212Platform(read(self._text), self.state, port=self.port)
        ready = await self.platform.open()
        port = ready["port"]
        assert isinstance(port, int)
        self.port = port

    def close(self) -> None:
        for logger in self._loggers:
            logger.close()
        self.platform.close()

    async def logger(self) -> DataLogger:
        self._loggers.append(await DataLogger.connected(self.port))
        return self._loggers[-1]

    async def logger_once_it_listens(self) -> DataLogger:
        async with asyncio.timeout(WAIT_S):
            while True:
                try:
                    return await self.logger()
                except ConnectionRefusedError:
                    await asyncio.sleep(0.05)

    def report(self, **bounds: str) -> Any:
        reader = ReceivedReader(self.state)
        tables = reader.requests(), reader.counters(), reader.minute_intervals()
        return report.report(reader.packets(), *tables, **bounds)

    def request(self, station: str, cn: str, items: str = "") -> int:
        return self.platform.request(station, RequestEntry(cn, items))

    async def stored(self, count: int) -> None:
        """Wait for so many packets."""
        async with asyncio.timeout(WAIT_S):
            while True:
                if len(list(ReceivedReader(self.state).packets())) >= count:
                    return
                await asyncio.sleep(0.02)

    async def outcome(self, number: int) -> RequestRecord:
        """Of a request, once it has one."""
        async with asyncio.timeout(WAIT_S):
            while True:
                record = ReceivedReader(self.state).requests()[number]
                if record.outcome != "waiting":
                    return record
                await asyncio.sleep(0.02)
