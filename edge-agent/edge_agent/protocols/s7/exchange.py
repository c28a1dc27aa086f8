"""Reads and writes of points as S7 jobs, whatever carries them, and the checks on every answer."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadValue, DeviceRefused, ForeignAnswer
from edge_agent.protocols.base import Raw
from edge_agent.protocols.s7.cells import Cell, cell, write_of
from edge_agent.protocols.s7.codec import (
    BYTE,
    OK,
    Item,
    Message,
    Value,
    read_job,
    read_values,
    write_codes,
    write_job,
)
from edge_agent.protocols.s7.config import habits_of
from edge_agent.protocols.s7.planner import ItemsRefused, S7Block
from edge_agent.protocols.s7.tables import header_meaning, item_meaning

MAX_REFERENCE = 0xFFFF


class ItemDriver(ABC):
    """One request at a time. A subclass carries a job to the PLC and brings the answer of its reference."""

    def __init__(self, port: Port) -> None:
        self.gap_s = port.min_interval_ms / 1000
        self.strays = 0
        """Answers to other requests than the one under way, dropped."""
        self._reference = 0
        self._quiet_from = 0.0

    @abstractmethod
    async def _pdu_size(self, slave: Slave) -> int:
        """Longest PDU that the PLC takes."""

    @abstractmethod
    async def _carry(self, slave: Slave, job: Message) -> Message:
        """The answer to a job. NoAnswer, BadFrame, PortDown."""

    async def read(self, slave: Slave, block: S7Block) -> Sequence[Raw]:
        """Raises ItemsRefused when the PLC refuses some of the items; the other errors of Driver.read."""
        pdu = await self._pdu_size(slave)
        if block.fits(pdu):
            values = await self._read(slave, block.items)
            refused = {number: value.code for number, value in enumerate(values) if value.code != OK}
            if refused:
                raise ItemsRefused(refused)
            return block.decode(b"".join([value.data for value in values]))
        return await self._read_in_parts(slave, block, block.fitted(pdu))

    async def write(self, slave: Slave, point: Point, raw: Raw) -> None:
        """Raises DeviceRefused with the item's code; BadValue when the cell cannot hold the value."""
        place = cell(habits_of(slave), 0, point)
        item, value = write_of(place, raw)
        await self._pdu_size(slave)
        if place.field.header == 2:
            await self._check_capacity(slave, place, len(value.data) - 1)
        answer = await self._ask(slave, write_job(self._next(), [item], [value]))
        (code,) = write_codes(answer, 1)
        if code != OK:
            raise DeviceRefused(code, item_meaning(code))

    @abstractmethod
    async def identify(self, slave: Slave) -> str:
        """What the CPU says that it is; empty when it refuses to answer. NoAnswer, BadFrame, PortDown."""

    async def _check_capacity(self, slave: Slave, place: Cell, length: int) -> None:
        """The PLC says in a string's first byte how many characters it holds; behind them lies other data."""
        (value,) = await self._read(slave, [Item(BYTE, 1, place.db, place.area.code, place.start * 8)])
        if value.code != OK:
            raise DeviceRefused(value.code, item_meaning(value.code))
        if length > value.data[0]:
            raise BadValue(f"text of {length} bytes, the PLC's string holds {value.data[0]}")

    async def _read_in_parts(self, slave: Slave, block: S7Block, parts: Sequence[S7Block]) -> Sequence[Raw]:
        """The PLC granted a smaller PDU than the block was planned for."""
        by_point: dict[int, Raw] = {}
        refused: dict[int, int] = {}
        for part in parts:
            values = await self._read(slave, part.items)
            codes = {
                block.number_of(run): value.code
                for run, value in zip(part.runs, values, strict=True)
                if value.code != OK
            }
            refused.update(codes)
            if not codes:
                decoded = part.decode(b"".join([value.data for value in values]))
                by_point.update(zip(part.points, decoded, strict=True))
        if refused:
            raise ItemsRefused(refused)
        return [by_point[index] for index in block.points]

    async def _read(self, slave: Slave, items: Sequence[Item]) -> list[Value]:
        return read_values(await self._ask(slave, read_job(self._next(), items)), items)

    async def _ask(self, slave: Slave, job: Message) -> Message:
        """Answer without an error of its header; DeviceRefused carries class and code."""
        loop = asyncio.get_running_loop()
        pause = self._quiet_from + self.gap_s - loop.time()
        if pause > 0:
            await asyncio.sleep(pause)
        try:
            answer = await self._carry(slave, job)
        finally:
            self._quiet_from = loop.time()
        if answer.error:
            raise DeviceRefused(answer.error, header_meaning(answer.error))
        if answer.reference != job.reference:
            raise ForeignAnswer(f"answer to job {answer.reference}, {job.reference} was asked")
        return answer

    def _next(self) -> int:
        """Number of the next job, never 0."""
        self._reference = self._reference % MAX_REFERENCE + 1
        return self._reference
