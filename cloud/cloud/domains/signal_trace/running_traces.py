"""Traces that run: who watches which gateway until when, and when the gateway was asked. In memory.

What watches ends with the process: gateways end by themselves (C-240). No I/O here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cloud.domains.signal_trace.schemas import GatewayState


@dataclass
class Watcher:
    """One browser tab. until_s: monotonic. entries: that were pushed."""

    trace: str
    user_id: int
    user_name: str
    until_s: float
    checked_s: float
    entries: int = 0


@dataclass
class TracedGateway:
    """requested_s: when it was asked last, None: it is to be. since_s: when an unanswered request went."""

    gateway: str
    device_id: int
    state: GatewayState = "waiting"
    requested_s: float | None = None
    since_s: float | None = None
    watchers: dict[str, Watcher] = field(default_factory=dict)

    @property
    def users(self) -> dict[int, str]:
        """Who watches, by number."""
        return {one.user_id: one.user_name for one in self.watchers.values()}

    def forget_request(self) -> None:
        """It has connected, or knows nothing of the request."""
        self.requested_s = self.since_s = None


class RunningTraces:
    """By gateway."""

    def __init__(self) -> None:
        self._traced: dict[str, TracedGateway] = {}

    def __iter__(self) -> Iterator[TracedGateway]:
        return iter(list(self._traced.values()))

    def __len__(self) -> int:
        return len(self._traced)

    def of(self, gateway: str) -> TracedGateway | None:
        return self._traced.get(gateway)

    def watcher(self, trace: str) -> tuple[TracedGateway, Watcher] | None:
        """By the trace's name."""
        for traced in self._traced.values():
            if (watcher := traced.watchers.get(trace)) is not None:
                return traced, watcher
        return None

    def count_of(self, user_id: int) -> int:
        """Traces of one user."""
        return sum(one.user_id == user_id for traced in self for one in traced.watchers.values())

    def add(self, gateway: str, device_id: int, watcher: Watcher) -> TracedGateway:
        traced = self._traced.setdefault(gateway, TracedGateway(gateway, device_id))
        traced.watchers[watcher.trace] = watcher
        return traced

    def remove(self, traced: TracedGateway, watcher: Watcher) -> bool:
        """True when nobody watches the gateway any more."""
        traced.watchers.pop(watcher.trace, None)
        if traced.watchers:
            return False
        self._traced.pop(traced.gateway, None)
        return True
