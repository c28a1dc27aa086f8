"""One open tunnel as the cloud's listeners use it: read, write, end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from edge_contract.errors import PayloadError
from edge_contract.payloads import decode, encode
from edge_contract.tunnel import Close, Frame, Kind, Line, Open
from edge_contract.tunnel import encode as encode_frame
from edge_contract.tunnel_stream import TunnelStream

GRACE_S = 5.0
"""The gateway measures idle and absolute time; the cloud ends what the gateway did not end so much later."""

Event = tuple[Kind, bytes]


class TunnelRefused(Exception):
    """The gateway did not open it. code: one of Close, or no_answer."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


class TunnelEnded(Exception):
    """Nothing can be written any more; Channel.ended says why."""


class Channel:
    """The cloud's end. line: serial settings that the gateway told when it opened. The switchboard runs
    send_all() for as long as it is open."""

    def __init__(self, name: str, gateway: str, opening: Open, now_s: float) -> None:
        self.gateway = gateway
        self.opening = opening
        self.stream = TunnelStream(name)
        self.stream.put(Kind.OPEN, encode(opening))
        self.over = asyncio.Event()
        self.line: Line | None = None
        self._started = self._active = now_s
        self._arrived = asyncio.Event()
        self._to_send = asyncio.Event()
        self._sent = asyncio.Event()

    @property
    def name(self) -> str:
        return self.stream.tunnel

    @property
    def ended(self) -> Close | None:
        return self.stream.ended

    def take(self, frame: Frame, now_s: float) -> None:
        """A frame of this tunnel, as it came."""
        self.stream.receive(frame)
        if frame.kind is Kind.DATA:
            self._active = now_s
        self._wake()

    def end(self, close: Close) -> None:
        """End it from this side and tell the gateway, unless it has ended."""
        self.stream.close(close)
        self._wake()

    def overdue(self, now_s: float) -> Close | None:
        """Why the gateway should have ended it by now, if it should."""
        if now_s > self._started + self.opening.longest_s + GRACE_S:
            return Close(code="expired", detail=f"{self.opening.longest_s} s old")
        if now_s > self._active + self.opening.idle_s + GRACE_S:
            return Close(code="idle", detail=f"no byte for {self.opening.idle_s} s")
        return None

    async def opened(self, timeout_s: float) -> None:
        """Return once the gateway has opened it; TunnelRefused otherwise."""
        try:
            async with asyncio.timeout(timeout_s):
                while (event := await self.read()) is not None and event[0] is Kind.LINE:
                    self.line = read_line(event[1])
        except TimeoutError:
            self.end(Close(code="done", detail="nobody waits any more"))
            raise TunnelRefused("no_answer", f"the gateway did not answer within {timeout_s:g} s") from None
        if event is None or event[0] is not Kind.OPENED:
            self.end(Close(code="lost", detail="data came before OPENED"))
            assert self.ended is not None
            raise TunnelRefused(self.ended.code, self.ended.detail)

    async def read(self) -> Event | None:
        """What arrives next, in order: data or a LINE; None at the end. Call took() for data."""
        while True:
            event = self.stream.read()
            if event is None:
                if self.ended is not None:
                    return None
                self._arrived.clear()
                await self._arrived.wait()
            elif event[0] is not Kind.CLOSE:
                return event

    def took(self, count: int) -> None:
        """So many bytes that were read have gone where they belong."""
        self.stream.took(count)
        self._to_send.set()

    def drop(self) -> None:
        """Throw away data that arrived and was not read."""
        self.took(self.stream.drop())

    async def write(self, data: bytes, now_s: float) -> None:
        """Send bytes at the pace of the gateway; TunnelEnded."""
        while data:
            size = min(self.stream.free, len(data))
            if size == 0:
                await self._some_sent()
                continue
            self.stream.write(data[:size])
            self._active = now_s
            data = data[size:]
            self._to_send.set()

    async def set_line(self, line: Line) -> None:
        """Ask for serial settings, behind what was written; the gateway answers with a LINE. TunnelEnded."""
        while not self.stream.free:
            await self._some_sent()
        self.stream.put(Kind.LINE, encode(line))
        self._to_send.set()

    async def flushed(self) -> None:
        """Return when all that was written was sent; TunnelEnded."""
        while not self.stream.flushed:
            await self._some_sent()

    async def send_all(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send every frame, the last one too. What send raises ends it without a word to the gateway."""
        try:
            while not self.stream.finished:
                frame = self.stream.next_frame()
                if frame is None:
                    self._to_send.clear()
                    await self._to_send.wait()
                    continue
                await send(encode_frame(frame))
                self._sent.set()
        finally:
            self.stream.close(Close(code="link", detail="the link was lost"))
            self.over.set()
            self._wake()

    async def _some_sent(self) -> None:
        if self.ended is not None:
            raise TunnelEnded
        self._sent.clear()
        await self._sent.wait()
        if self.ended is not None:
            raise TunnelEnded

    def _wake(self) -> None:
        self._arrived.set()
        self._to_send.set()
        if self.ended is not None:
            self._sent.set()


def read_line(payload: bytes) -> Line | None:
    """Settings that the gateway told; None when they cannot be read."""
    try:
        return decode(Line, payload)
    except PayloadError:
        return None
