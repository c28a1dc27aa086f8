"""What bytes cost on a serial line: a pseudo terminal and TCP ignore the baud rate."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

MAX_WAITING = 64
"""Frames on their way; a master has one request outstanding."""


class SerialEnd(Protocol):
    """The devices' end of a serial line."""

    def open(self) -> None:
        """Raises StartError when the line cannot be made."""

    def write(self, data: bytes) -> bool:
        """False when nobody is there to take the bytes."""

    def close(self) -> None: ...


class Pace:
    """Moments at which bytes of a half-duplex line are through. char_s: seconds of one character. Pure."""

    def __init__(self, char_s: float) -> None:
        self._char_s = char_s
        self._free_at = 0.0
        self._ahead_s = 0.0

    def heard(self, size: int, now: float) -> None:
        """A master's bytes came in at once that would take their time."""
        self._free_at = max(self._free_at, now) + size * self._char_s
        self._ahead_s = self._free_at - now

    def through_at(self, size: int, now: float) -> float:
        """When an answer's last byte is out that a device begins to send so long after it heard the request.

        The time of the request is added here and not waited for before the device is asked: one wait a
        frame, and the device's own turnaround counts from the request's end all the same.
        """
        begin = max(now + self._ahead_s, self._free_at)
        self._ahead_s = 0.0
        self._free_at = begin + size * self._char_s
        return self._free_at


class PacedEnd:
    """A line whose answers leave when their last byte would have left."""

    def __init__(
        self,
        make: Callable[[Callable[[bytes], None]], SerialEnd],
        received: Callable[[bytes], None],
        char_s: float,
    ) -> None:
        self.dropped = 0
        self._end = make(self._heard)
        self._received = received
        self._pace = Pace(char_s)
        self._waiting: set[asyncio.TimerHandle] = set()

    def open(self) -> None:
        self._end.open()

    def write(self, data: bytes) -> bool:
        if len(self._waiting) >= MAX_WAITING:
            return False
        loop = asyncio.get_running_loop()

        def due() -> None:
            self._waiting.discard(handle)
            if not self._end.write(data):
                self.dropped += 1

        handle = loop.call_at(self._pace.through_at(len(data), loop.time()), due)
        self._waiting.add(handle)
        return True

    def close(self) -> None:
        for handle in self._waiting:
            handle.cancel()
        self._waiting.clear()
        self._end.close()

    def _heard(self, data: bytes) -> None:
        self._pace.heard(len(data), asyncio.get_running_loop().time())
        self._received(data)
