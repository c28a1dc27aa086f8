"""Reads and writes of one PLC over TCP: one request at a time, and the checks on every answer.

An answer carries nothing that names its request. Whatever fails, or comes unasked, may leave bytes under way
that the next request would take for its own; hence the next request goes out on a new connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadFrame, DeviceRefused, FieldbusError, NoAnswer
from edge_agent.model import Seen
from edge_agent.protocols.base import Raw
from edge_agent.protocols.mc.codec import OK, Answer, Frame, Request
from edge_agent.protocols.mc.config import habits_of
from edge_agent.protocols.mc.planner import McBlock, batch, item
from edge_agent.protocols.mc.tables import FrameName, end_codes, meaning_of
from edge_agent.protocols.mc.values import insert
from edge_agent.protocols.packing import bit_of
from edge_agent.protocols.word_values import encode
from edge_agent.transports.base import Transport


class McDriver:
    """One connection."""

    def __init__(self, port: Port, transport: Transport) -> None:
        self.gap_s = port.min_interval_ms / 1000
        self.reconnects = 0
        self._transport = transport
        self._in_step = False
        self._quiet_from = 0.0

    async def connect(self) -> None:
        await self._transport.open()
        self._in_step = True

    async def close(self) -> None:
        await self._transport.close()

    def watch(self, seen: Seen | None) -> None:
        self._transport.watch(seen)

    async def read(self, slave: Slave, block: McBlock) -> Sequence[Raw]:
        return block.decode(await self._ask(slave, block.frame, block.request))

    async def write(self, slave: Slave, point: Point, raw: Raw) -> None:
        habits = habits_of(slave)
        place = item(habits, 0, point)
        area, start, size = place.area, place.start, place.size
        if area.bit:
            data = bytes((bit_of(raw),))
        elif place.field.bit is not None or place.field.size == 1:
            word = await self._ask(slave, habits.frame, batch(habits, area, start, 1))
            data = insert(place.field, word, raw)
        else:
            data = encode(place.field, raw).ljust(2 * size, b"\0")
        await self._ask(slave, habits.frame, batch(habits, area, start, size, data))

    async def identify(self, slave: Slave) -> str:
        habits = habits_of(slave)
        request = Request("model", timer=habits.timer, route=habits.route)
        return habits.frame.model_of(await self._ask(slave, habits.frame, request))

    async def _ask(self, slave: Slave, frame: Frame, request: Request) -> bytes:
        """Data of the answer; errors of Driver.read."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, self._quiet_from + self.gap_s - loop.time()))
        if self._transport.discard_input() or not self._in_step:
            self.reconnects += 1
            await self.connect()
        self._in_step = False
        try:
            await self._transport.write(frame.encode_request(request))
            answer = await self._receive(slave, frame, request)
        finally:
            self._quiet_from = loop.time()
        self._in_step = True
        if answer.end_code != OK:
            raise _refusal(frame.name, answer.end_code)
        return answer.data

    async def _receive(self, slave: Slave, frame: Frame, request: Request) -> Answer:
        """The answer, whole within the slave's response time and with nothing behind it."""
        loop = asyncio.get_running_loop()
        until = loop.time() + slave.response_timeout_ms / 1000
        held = b""
        while True:
            size = frame.answer_size(request, held)
            if size is not None and len(held) >= size:
                return frame.decode_answer(request, held)
            left = until - loop.time()
            data = await self._transport.read_some(left) if left > 0 else b""
            if not data and held:
                raise BadFrame(f"the answer broke off after {len(held)} of {size or 'unknown'} bytes")
            if not data:
                raise NoAnswer(f"no answer within {slave.response_timeout_ms} ms")
            held += data


def _refusal(frame: FrameName, end_code: int) -> FieldbusError:
    """What an end code means. NoAnswer where the PLC behind the module is silent."""
    known, meaning = end_codes(frame).get(end_code), meaning_of(frame, end_code)
    if known is not None and known.effect == "silent":
        return NoAnswer(meaning)
    return DeviceRefused(end_code, meaning)
