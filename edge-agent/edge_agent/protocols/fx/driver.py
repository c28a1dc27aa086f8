"""Talks to the controller at the end of one line: one request at a time.

Nothing in an answer names its request, so after a failure the line is listened to until a late answer would
have come, and greeted anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from edge_agent.config.model import Point, Port, Slave
from edge_agent.errors import BadChecksum, BadFrame, DeviceRefused, ForeignAnswer, NoAnswer
from edge_agent.protocols.base import Raw
from edge_agent.protocols.fx.codec import ACK, ENQ, FRAME_CHARS, NAK, Decoder, Request, answer_data, encode
from edge_agent.protocols.fx.config import options_of, place_of
from edge_agent.protocols.fx.planner import (
    FxBlock,
    force_request,
    identity_of,
    identity_requests,
    read_request,
    write_request,
)
from edge_agent.protocols.fx.values import insert
from edge_agent.protocols.packing import bit_of
from edge_agent.protocols.serial_driver import SerialDriver, drop_late_answer
from edge_agent.protocols.word_values import encode as encode_value
from edge_agent.transports.base import Transport

CHAR_BITS = 10
INTER_BYTE_S = 0.2  # a longer pause ends a frame; converters hold bytes back for tens of milliseconds
TRIES = 2  # of a request that the controller rejects: it says NAK to a disturbed one as to a wrong address


class Rejected(Exception):
    """The controller said NAK."""


class FxDriver(SerialDriver):
    """The controller of one port."""

    _decoder: Decoder

    def __init__(self, port: Port, transport: Transport) -> None:
        self.gap_s = port.min_interval_ms / 1000
        self._transport = transport
        self._decoder = Decoder()
        self._char_s = CHAR_BITS / port.baud
        self._quiet_from = 0.0
        self._late_until = 0.0
        self._greeted = False

    async def connect(self) -> None:
        await super().connect()
        self._greeted = False
        self._late_until = 0.0

    async def read(self, slave: Slave, block: FxBlock) -> Sequence[Raw]:
        return block.decode(await self._ask(slave, block.request))

    async def write(self, slave: Slave, point: Point, raw: Raw) -> None:
        """A bit or a byte of a word is written by reading, changing and writing its word."""
        place = place_of(point, slave)
        if place.area.bits == 1:
            await self._ask(slave, force_request(place, bit_of(raw) == 1))
        elif place.fills:
            await self._ask(slave, write_request(place, encode_value(place.field, raw)))
        else:
            insert(place.field, bytes(place.size), raw)  # a value that does not fit is refused before reading
            held = await self._ask(slave, read_request(place))
            await self._ask(slave, write_request(place, insert(place.field, held, raw)))

    async def identify(self, slave: Slave) -> str:
        """Type and version, such as FX1S V2.10. A wrong model in the options mostly shows here."""
        for register, request in identity_requests(slave):
            try:
                return identity_of(slave, register, await self._ask(slave, request))
            except DeviceRefused as error:
                refused = error
        raise refused

    async def _ask(self, slave: Slave, request: Request) -> bytes:
        """Bytes that were read; none of a write. DeviceRefused after a second NAK."""
        until, self._late_until = self._late_until, 0.0
        await drop_late_answer(self._transport, until, INTER_BYTE_S)
        if not self._greeted and options_of(slave).handshake:
            try:
                await self._exchange(slave, bytes((ENQ,)), None)
            except Rejected:
                raise BadFrame("NAK to ENQ, ACK expected") from None
        self._greeted = True
        wire = encode(request)
        for _ in range(TRIES):
            try:
                return await self._exchange(slave, wire, request.count or None)
            except Rejected:
                continue
        raise DeviceRefused(NAK, "NAK: no such address or command")

    async def _exchange(self, slave: Slave, wire: bytes, count: int | None) -> bytes:
        """Answer of count bytes, or ACK for None."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, self._quiet_from + self.gap_s - loop.time()))
        self._transport.discard_input()
        self._decoder.reset()
        timeout_s = slave.response_timeout_ms / 1000
        begin = loop.time() + len(wire) * self._char_s
        answered = False
        try:
            await self._transport.write(wire)
            answer = await self._receive(slave, wire, count, begin + timeout_s)
            answered = True
        except Rejected:
            answered = True
            raise
        finally:
            self._quiet_from = loop.time()
            if not answered:
                self._greeted = False
                self._late_until = self._quiet_from + timeout_s
        return answer

    async def _receive(self, slave: Slave, wire: bytes, count: int | None, silent_until: float) -> bytes:
        """The first token that can be the answer; echo and answers to other requests are passed over."""
        loop = asyncio.get_running_loop()
        last = silent_until + (FRAME_CHARS + 2 * (count or 0)) * self._char_s + INTER_BYTE_S
        decoder = self._decoder
        bad, noise, foreign = decoder.checksum_errors, decoder.discarded_bytes, 0
        while (left := min(silent_until, last) - loop.time()) > 0:
            data = await self._transport.read_some(left)
            for token in decoder.feed(data):
                if token == NAK:
                    raise Rejected
                if token == ACK and count is None:
                    return b""
                if isinstance(token, bytes):
                    if count is not None and len(token) == 2 * count:
                        return answer_data(token)
                    if token != wire[1:-3]:
                        foreign += 1
            if data and decoder.pending:
                silent_until = max(silent_until, loop.time() + INTER_BYTE_S)
        if decoder.checksum_errors > bad:
            raise BadChecksum("answer with a wrong checksum")
        if foreign:
            raise ForeignAnswer("no whole answer to this request came, another one did")
        if decoder.pending or decoder.discarded_bytes > noise:
            raise BadFrame("no whole answer to this request came")
        raise NoAnswer(f"no answer within {slave.response_timeout_ms} ms")
