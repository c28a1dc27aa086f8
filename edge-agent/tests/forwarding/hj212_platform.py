"""A platform of HJ 212 over TCP, written for these tests without the agent's codec."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

PACKET = re.compile(rb"##(\d{4})")


def crc(data: bytes, *, is_modbus: bool = False) -> int:
    """Annex A of HJ 212-2017, bit by bit."""
    register = 0xFFFF
    for byte in data:
        register = register ^ byte if is_modbus else (register >> 8) ^ byte
        for _ in range(8):
            register = (register >> 1) ^ 0xA001 if register & 1 else register >> 1
    return register


def framed(segment: str, *, is_modbus: bool = False) -> bytes:
    data = segment.encode()
    return b"##%04d%b%04X\r\n" % (len(data), data, crc(data, is_modbus=is_modbus))


@dataclass(frozen=True)
class Arrived:
    """header: fields before CP; groups: items of the area, as they are joined."""

    header: dict[str, str]
    groups: list[dict[str, str]]

    @property
    def cn(self) -> str:
        return self.header["CN"]

    @property
    def values(self) -> dict[str, str]:
        return {name: value for group in self.groups for name, value in group.items()}

    @property
    def key(self) -> tuple[str, str]:
        return self.cn, self.values.get("DataTime", "")


def parsed(segment: str) -> Arrived:
    head, _, area = segment.partition("CP=&&")
    header = dict(item.split("=", 1) for item in head.split(";") if item)
    groups = [
        dict(item.split("=", 1) for item in group.split(","))
        for group in area.removesuffix("&&").split(";")
        if group
    ]
    return Arrived(header, groups)


@dataclass
class Platform:
    """acks: acknowledge uploads; refusal: QnRtn in place of that; hangs_up: close on the first upload.
    flag_behind: Flag stands behind CP, as a library in Java writes it.

    taken: acknowledged parts by (CN, DataTime, PNO), as often as each was; answers: of the field to requests.
    """

    port: int
    acks: bool = True
    refusal: int | None = None
    hangs_up: bool = False
    is_modbus: bool = False
    flag_behind: bool = False
    drops: Callable[[Arrived], bool] = lambda arrived: False
    taken: dict[tuple[str, str, str], list[Arrived]] = field(default_factory=dict)
    arrived: list[Arrived] = field(default_factory=list)
    answers: list[Arrived] = field(default_factory=list)
    last: tuple[str, str, str] | None = None
    connections: int = 0

    async def start(self) -> None:
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    async def stop(self) -> None:
        """With every connection, without a word."""
        self._server.close()
        for writer in list(self._writers):
            writer.transport.abort()
        await asyncio.gather(*self._tasks)

    @property
    def is_connected(self) -> bool:
        return bool(self._writers)

    def say(self, segment: str, *, is_modbus: bool = False) -> None:
        self.say_bytes(framed(segment, is_modbus=is_modbus or self.is_modbus))

    def say_bytes(self, data: bytes) -> None:
        for writer in self._writers:
            writer.write(data)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.add(writer)
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        held = b""
        try:
            while chunk := await reader.read(4096):
                held += chunk
                while (match := PACKET.search(held)) and len(held) >= match.end() + int(match[1]) + 6:
                    end = match.end() + int(match[1])
                    segment, digits, tail = (
                        held[match.end() : end],
                        held[end : end + 4],
                        held[end + 4 : end + 6],
                    )
                    assert tail == b"\r\n"
                    held = held[end + 6 :]
                    assert int(digits, 16) == crc(segment, is_modbus=self.is_modbus), segment
                    self._take(parsed(segment.decode()), writer)
        except ConnectionError:
            pass
        finally:
            writer.transport.abort()
            self._writers.discard(writer)

    def _take(self, arrived: Arrived, writer: asyncio.StreamWriter) -> None:
        self.arrived.append(arrived)
        if arrived.header["ST"] == "91" or not arrived.values.get("DataTime"):
            self.answers.append(arrived)
            return
        if not int(arrived.header.get("Flag", "0")) & 1:
            self._remember(arrived)
            return
        if self.hangs_up or self.drops(arrived):
            writer.transport.abort()
        elif self.refusal is not None:
            self._answer(arrived, "9011", f"QnRtn={self.refusal}")
        elif self.acks:
            self._remember(arrived)
            self._answer(arrived, "9014", "")

    def _remember(self, arrived: Arrived) -> None:
        self.last = *arrived.key, arrived.header.get("PNO", "")
        self.taken.setdefault(self.last, []).append(arrived)

    def _answer(self, arrived: Arrived, cn: str, area: str) -> None:
        header = arrived.header
        flag = int(header["Flag"]) & ~3
        head = f"QN={header['QN']};ST=91;CN={cn};PW={header['PW']};MN={header['MN']}"
        rest = (f"CP=&&{area}&&", f"Flag={flag}") if self.flag_behind else (f"Flag={flag}", f"CP=&&{area}&&")
        self.say(";".join((head, *rest)))

    def of(self, cn: str) -> dict[str, dict[str, str]]:
        """Values of acknowledged records by DataTime, their parts joined; each must be there once."""
        records: dict[str, dict[str, str]] = {}
        for (kind, time, _), parts in sorted(self.taken.items()):
            if kind == cn:
                records.setdefault(time, {}).update(parts[-1].values)
        return records


def uploads(platform: Platform, cn: str = "2051") -> list[Arrived]:
    """What came of one command, acknowledged or not."""
    return [one for one in platform.arrived if one.cn == cn]
