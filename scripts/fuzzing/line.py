"""Drivers without a line and without waiting: a simulated clock, and a transport that plays answers.

The clock runs one coroutine; what it sleeps and waits passes at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, TypeVar, cast

from edge_agent.model import Seen

T = TypeVar("T")

MAX_STEPS = 10_000
MISPLACED = 0.05  # share of mutants that come in place of an acknowledgement or a handshake
LONGEST_S = 120.0  # on the simulated clock; a read with its retries and late answers is much shorter


class Timer:
    """What call_later gives."""

    def __init__(self, call: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        self.call: Callable[[], object] | None = lambda: call(*arguments)

    def cancel(self) -> None:
        self.call = None


class Clock:
    """As much of an event loop as a driver needs.

    arriving: what happens, in order, while the coroutine waits for anything but the time.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.arriving: list[Callable[[], object]] = []
        self._timers: list[tuple[float, int, Timer]] = []
        self._numbers = count()

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """What takes it for one."""
        return cast(asyncio.AbstractEventLoop, self)

    def time(self) -> float:
        return self.now

    def get_debug(self) -> bool:
        return False

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self.loop)

    def call_later(self, delay: float, callback: Callable[..., object], *args: Any, **_: Any) -> Any:
        timer = Timer(callback, args)
        heappush(self._timers, (self.now + delay, next(self._numbers), timer))
        return timer

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """What the coroutine returns; AssertionError when it would never end, or too late."""
        begun = self.now
        asyncio._set_running_loop(self.loop)
        try:
            for _ in range(MAX_STEPS):
                try:
                    future = coroutine.send(None)
                except StopIteration as end:
                    result: T = end.value
                    return result
                finally:
                    assert self.now - begun <= LONGEST_S, f"takes {self.now - begun:.0f} s"
                while future is not None and not future.done():
                    self._next()
            raise AssertionError(f"has not ended after {MAX_STEPS} steps")
        finally:
            asyncio._set_running_loop(None)
            coroutine.close()
            self._timers.clear()

    def _next(self) -> None:
        if self.arriving:
            self.arriving.pop(0)()
            return
        assert self._timers, "waits for what never comes"
        at, _, timer = heappop(self._timers)
        if timer.call is not None:
            self.now = max(self.now, at)
            timer.call()


class Played:
    """A transport. answers: the chunks that come for each request, in turn; then nothing comes any more."""

    where = "played"

    def __init__(self, clock: Clock, answers: Sequence[Sequence[bytes]]) -> None:
        self.sent: list[bytes] = []
        self._clock = clock
        self._answers = list(answers)
        self._arrived: list[bytes] = []

    def watch(self, seen: Seen | None) -> None:
        """Nobody does."""

    async def open(self) -> None:
        self._arrived.clear()

    async def close(self) -> None:
        self._arrived.clear()

    async def drained(self, timeout_s: float) -> None:
        """Nothing waits: what is written has been handed on."""

    async def read_some(self, timeout_s: float) -> bytes:
        if self._arrived:
            return self._arrived.pop(0)
        assert timeout_s > 0, "a wait of no time never ends"
        self._clock.now += timeout_s
        return b""

    async def write(self, data: bytes) -> None:
        self.sent.append(data)
        if self._answers:
            self._arrived += self._answers.pop(0)

    def discard_input(self) -> int:
        size = sum(map(len, self._arrived))
        self._arrived.clear()
        return size


def chunks(data: bytes, chance: Random) -> list[bytes]:
    """The data whole, in two, or byte by byte; never an empty chunk."""
    kind = chance.random()
    if kind < 0.5 or len(data) < 2:
        return [data] if data else []
    if kind < 0.9:
        cut = 1 + int(chance.random() * (len(data) - 1))
        return [data[:cut], data[cut:]]
    return [data[at : at + 1] for at in range(len(data))]
