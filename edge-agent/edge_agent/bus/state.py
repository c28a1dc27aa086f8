"""What a port reports of itself."""

from __future__ import annotations

from dataclasses import dataclass

from edge_agent.config.model import Port

BUSY_WINDOW_S = 10.0


@dataclass(frozen=True)
class PortState:
    """One port at one moment. failures: requests without a good answer; missed: cycles that were skipped
    because the port was late; refused_commands: turned away because the queue was full; locked: a tool
    or tunnel has it, and polling rests."""

    name: str
    type: str
    where: str
    enable: bool
    open: bool
    requests: int
    failures: int
    busy_percent: float
    last_error: str
    missed: int = 0
    refused_commands: int = 0
    locked: bool = False

    @classmethod
    def unused(cls, port: Port, *, locked: bool = False) -> PortState:
        """A port that nothing is read from."""
        return cls(port.name, port.type, where(port), port.enable, False, 0, 0, 0.0, "", locked=locked)


def where(port: Port) -> str:
    """Device or host:port."""
    return port.device if port.type == "COM" else f"{port.host}:{port.port}"


class BusyMeter:
    """Share of the time spent in requests over the last one to two windows. Pure."""

    def __init__(self, now: float) -> None:
        self._start = now
        self._busy = 0.0
        self._before = (0.0, 0.0)  # busy and length of the window before

    def add(self, start: float, end: float) -> None:
        """Count a request from start to end, in seconds of the monotonic clock."""
        if end - self._start >= BUSY_WINDOW_S:
            self._roll(end)
        self._busy += end - start

    def percent(self, now: float) -> float:
        """Share of the last window in which the line was busy."""
        self._roll(now)
        busy, length = self._before
        total = length + now - self._start
        return min(100.0, 100.0 * (busy + self._busy) / total) if total > 0 else 0.0

    def _roll(self, now: float) -> None:
        length = now - self._start
        if length >= 2 * BUSY_WINDOW_S:
            self._before = (0.0, 0.0) if self._busy == 0 else (self._busy, length)
        elif length >= BUSY_WINDOW_S:
            self._before = (self._busy, length)
        else:
            return
        self._start, self._busy = now, 0.0
