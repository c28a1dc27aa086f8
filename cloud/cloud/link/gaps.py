"""Asking gateways for batches that later ones have overtaken (C-029)."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from cloud.link.landing import LandingRepository
from edge_contract.limits import WINDOW
from edge_contract.payloads import ControlMessage, Pulse, Resend

ASK_EVERY_S = 300.0
"""Between two questions about the same stream. Numbers that were dropped on a full store never come."""

ASK_RANGES = 100
"""Ranges asked for at once, the newest."""

STREAMS = 5000
"""Streams whose last question is remembered."""


class Gaps:
    """Looks at each pulse. Recent numbers may still be in flight: the newest two windows are left alone."""

    def __init__(
        self,
        landing: LandingRepository,
        post: Callable[[str, ControlMessage], None],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._landing = landing
        self._post = post
        self._clock = clock
        self._next: OrderedDict[tuple[str, str], float] = OrderedDict()

    async def pulse(self, gateway: str, pulse: Pulse) -> None:
        """Ask for what is missing of the pulse's stream, when the gateway still holds anything."""
        key, now = (gateway, pulse.stream), self._clock()
        if pulse.outbox_batches == 0 or now < self._next.get(key, now):
            return
        received = await self._landing.received(gateway, pulse.stream)
        settled = min(received.highest, pulse.next_seq - 1) - 2 * WINDOW
        missing = received.missing(last=settled)
        self._next[key] = now + ASK_EVERY_S
        while len(self._next) > STREAMS:
            self._next.popitem(last=False)
        if missing:
            self._post(gateway, Resend(stream=pulse.stream, ranges=missing[-ASK_RANGES:]))
