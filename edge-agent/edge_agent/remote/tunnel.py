"""One open tunnel: bytes between the cloud's frames and an end, until either side or the time ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from edge_agent.errors import PortDown
from edge_agent.remote.tunnel_ends import TunnelEnd
from edge_agent.system.clock import Clock
from edge_contract.errors import PayloadError
from edge_contract.payloads import decode, encode
from edge_contract.tunnel import Close, Frame, Kind, Line, Open
from edge_contract.tunnel import encode as encode_frame
from edge_contract.tunnel_stream import TunnelStream

Send = Callable[[bytes], Awaitable[None]]


class Tunnel:
    """The gateway's end. The caller runs send_all() beside everything else."""

    def __init__(self, name: str, opening: Open, clock: Clock) -> None:
        self.opening = opening
        self.stream = TunnelStream(name)
        self.started = self._active = clock.monotonic()
        self._clock = clock
        self._arrived = asyncio.Event()
        self._to_send = asyncio.Event()
        self._sent = asyncio.Event()

    @property
    def target(self) -> str:
        """What it leads to, in words."""
        return f"port {self.opening.port}" if self.opening.port else str(self.opening.target)

    def take(self, frame: Frame) -> None:
        """A frame of this tunnel."""
        self.stream.receive(frame)
        if frame.kind is Kind.DATA:
            self._active = self._clock.monotonic()
        self._arrived.set()
        self._to_send.set()

    def close(self, close: Close) -> None:
        """Tell the cloud why it ends, unless it has ended."""
        self.stream.close(close)
        self._to_send.set()

    async def send_all(self, send: Send) -> None:
        """Send every frame, the last one too; whatever send raises."""
        while not self.stream.finished:
            frame = self.stream.next_frame()
            if frame is None:
                self._to_send.clear()
                await self._to_send.wait()
                continue
            await send(encode_frame(frame))
            self._sent.set()

    async def carry(self, end: TunnelEnd) -> Close:
        """Open the end and carry bytes both ways; why it ended. The end is closed afterwards."""
        try:
            await end.open()
            if end.line is not None:
                self._put(Kind.LINE, encode(end.line))
            self._put(Kind.OPENED)
            return await self._carry(end)
        except PortDown as error:
            return Close(code=error.code, detail=str(error))
        except PayloadError as error:
            return Close(code="lost", detail=str(error))
        finally:
            await end.close()

    async def _carry(self, end: TunnelEnd) -> Close:
        tasks = {
            asyncio.create_task(work) for work in (self._to_end(end), self._from_end(end), self._watch())
        }
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return next(iter(done)).result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _to_end(self, end: TunnelEnd) -> Close:
        """What arrives, in order; until the cloud closed the tunnel or something of it was lost."""
        while True:
            what = self.stream.read()
            if what is None:
                if self.stream.ended is not None:
                    return self.stream.ended
                self._arrived.clear()
                await self._arrived.wait()
                continue
            kind, payload = what
            if kind is Kind.DATA:
                await end.write(payload)
                self.stream.took(len(payload))
                self._to_send.set()
            elif kind is Kind.LINE:
                await end.set_line(decode(Line, payload))
                if end.line is not None:
                    self._put(Kind.LINE, encode(end.line))

    async def _from_end(self, end: TunnelEnd) -> Close:
        """What the end says, as fast as it can be sent; until it has finished and all of it was sent."""
        while data := await end.read():
            self._active = self._clock.monotonic()
            while data:
                size = min(self.stream.free, len(data))
                if size == 0:
                    await self._some_sent()
                    continue
                self.stream.write(data[:size])
                data = data[size:]
                self._to_send.set()
        while not self.stream.flushed:
            await self._some_sent()
        return Close(code="done", detail="the other end has finished")

    async def _watch(self) -> Close:
        """Until it was idle for too long, or is too old."""
        over = self.started + self.opening.longest_s
        while True:
            now, idle = self._clock.monotonic(), self._active + self.opening.idle_s
            if now >= over:
                return Close(code="expired", detail=f"{self.opening.longest_s} s old")
            if now >= idle:
                return Close(code="idle", detail=f"no byte for {self.opening.idle_s} s")
            await self._clock.sleep(min(over, idle) - now)

    def _put(self, kind: Kind, payload: bytes = b"") -> None:
        self.stream.put(kind, payload)
        self._to_send.set()

    async def _some_sent(self) -> None:
        self._sent.clear()
        await self._sent.wait()
