"""How long a request holds the event loop, by the processor time of the loop's own thread.

Processor time and not the clock: on a busy machine the thread waits for a processor within a step.
Without collections of garbage: most of what they look through here is of the tests.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

MOST_S = 0.05
"""What one step of the loop may take on the machine on which REFERENCE_S was measured."""

REFERENCE_S = 0.0215
"""Processor time of `_reference` there."""


@dataclass
class Watch:
    """Steps of the loops of this process since `begin`. longest_s: of the longest, what: its callback."""

    longest_s: float = 0.0
    what: str = ""
    steps: int = field(default=0, repr=False)

    def begin(self) -> None:
        self.longest_s, self.what, self.steps = 0.0, "", 0

    def note(self, handle: asyncio.Handle, seconds: float) -> None:
        self.steps += 1
        if seconds > self.longest_s:
            self.longest_s, self.what = seconds, _named(handle)


@contextlib.contextmanager
def watching() -> Iterator[Watch]:
    """Every step of every loop is measured."""
    watch = Watch()
    run: Callable[[asyncio.Handle], None] = asyncio.Handle._run
    collected = threading.local()

    def measured(handle: asyncio.Handle) -> None:
        before, collected.seconds = time.thread_time(), 0.0
        try:
            run(handle)
        finally:
            watch.note(handle, time.thread_time() - before - collected.seconds)

    def collecting(phase: str, _info: dict[str, int]) -> None:
        sign = -1 if phase == "start" else 1
        collected.seconds = getattr(collected, "seconds", 0.0) + sign * time.thread_time()

    asyncio.Handle._run = measured  # type: ignore[method-assign]
    gc.callbacks.append(collecting)
    try:
        yield watch
    finally:
        gc.callbacks.remove(collecting)
        asyncio.Handle._run = run  # type: ignore[method-assign]


def most_s() -> float:
    """MOST_S, on a slower processor as much longer as that is slower."""
    return MOST_S * max(min(_reference() for _ in range(3)) / REFERENCE_S, 1.0)


def _reference() -> float:
    before = time.thread_time()
    total: dict[str, int] = {}
    for number in range(200_000):
        total[str(number % 1000)] = number
    return time.thread_time() - before


def _named(handle: asyncio.Handle) -> str:
    callback: Any = getattr(handle, "_callback", None)
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        return str(owner.get_coro())
    return repr(callback)
