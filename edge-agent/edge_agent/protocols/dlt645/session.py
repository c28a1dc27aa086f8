"""One request at a time on a line of meters: what is taken for its answer, and what is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from edge_agent.config.model import Port
from edge_agent.errors import BadChecksum, BadFrame, FieldbusError, ForeignAnswer, NoAnswer
from edge_agent.protocols.dlt645.codec import BROADCAST, LONGEST, Decoder, Frame, encode
from edge_agent.protocols.serial_driver import drop_late_answer
from edge_agent.transports.base import Transport

INTER_BYTE_S = 0.5  # section 5.3: a longer pause ends a frame
BITS = 11  # of a character on the line


class Session:
    """gap_s: silence between an answer and the next request.

    The line may hand back what is sent (an RS485 adapter that listens to itself): a frame without the
    answer bit is never an answer, and a line on which nothing but the echo is heard is silent.
    """

    def __init__(self, port: Port, transport: Transport) -> None:
        self.gap_s = port.min_interval_ms / 1000
        self.decoder = Decoder()
        self._transport = transport
        self._char_s = BITS / port.baud
        self._quiet_from = 0.0
        self._late: tuple[str, float] | None = None  # meter that owes an answer, until when it may come

    async def open(self) -> None:
        await self._transport.open()
        self.decoder.reset()
        self._late = None

    async def ask(
        self, request: Frame, belongs: Callable[[Frame], bool], *, timeout_ms: int, wake_up: int
    ) -> Frame:
        """The answer, refusals included. timeout_ms: from the request's last byte to the answer's first.

        belongs: whether an answer of the asked meter and function is to this request. NoAnswer, BadFrame.
        """
        await self._wait_for_late_answer(request.address)
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, self._quiet_from + self.gap_s - loop.time()))
        self._transport.discard_input()
        self.decoder.reset()
        wire = encode(request, wake_up)
        await self._transport.write(wire)
        try:
            return await self._receive(request, belongs, timeout_ms, len(wire) * self._char_s)
        except FieldbusError:
            self._late = (request.address, loop.time() + timeout_ms / 1000)
            raise
        finally:
            self._quiet_from = loop.time()

    async def _receive(
        self, request: Frame, belongs: Callable[[Frame], bool], timeout_ms: int, sending_s: float
    ) -> Frame:
        loop, decoder = asyncio.get_running_loop(), self.decoder
        silent_until = loop.time() + sending_s + timeout_ms / 1000
        last = silent_until + (LONGEST + 4) * self._char_s + INTER_BYTE_S
        checksums, noise, foreign = decoder.checksum_errors, decoder.discarded_bytes, 0
        while True:
            now = loop.time()
            data = await self._transport.read_some(min(silent_until, last) - now) if now < last else b""
            for frame in decoder.feed(data) if data else decoder.give_up():
                if answers(frame, request) and (frame.refused or belongs(frame)):
                    return frame
                foreign += frame != request
            if not data:
                break
            if decoder.pending:
                silent_until = max(silent_until, loop.time() + INTER_BYTE_S)
        if decoder.checksum_errors > checksums:
            raise BadChecksum("answer with a wrong checksum")
        if foreign:
            raise ForeignAnswer(f"{foreign} frames came, none of them the answer to this request")
        if decoder.discarded_bytes > noise:
            raise BadFrame(f"no whole answer came, {decoder.discarded_bytes - noise} bytes were no frame")
        raise NoAnswer(f"no answer within {timeout_ms} ms")

    async def _wait_for_late_answer(self, address: str) -> None:
        """An error answer names no identifier: a late one must not meet the meter's next request."""
        if self._late is None:
            return
        late, until = self._late
        left = until - asyncio.get_running_loop().time()
        if left > 0 and not _may_be_one(late, address):
            return
        self._late = None
        await drop_late_answer(self._transport, until, INTER_BYTE_S)


def answers(frame: Frame, request: Frame) -> bool:
    """Whether a frame comes from an asked meter and answers the asked function.

    A stands for any digit; the broadcast address for every meter (the 1997 way to ask an unknown one).
    """
    if not frame.from_meter or frame.function != request.function:
        return False
    return request.address in (frame.address, BROADCAST) or all(
        requested in ("A", came) for requested, came in zip(request.address, frame.address, strict=True)
    )


def _may_be_one(late: str, requested: str) -> bool:
    """Whether two addresses, A for any digit, can mean the same meter."""
    if BROADCAST in (late, requested):
        return True
    return all(one == other or "A" in (one, other) for one, other in zip(late, requested, strict=True))
