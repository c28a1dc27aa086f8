"""Sends values of points that are not stored, and of watched ones; what is lost is replaced by the next
(C-141, C-142, C-152 to C-154).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence

from edge_agent.forwarding.services import LiveValueSource
from edge_agent.model import Row
from edge_agent.system.clock import Clock, wait
from edge_agent.transports.mqtt import MqttClient
from edge_contract import batch
from edge_contract.errors import BatchError
from edge_contract.limits import PULSE_S
from edge_contract.model import rows_of
from edge_contract.topics import Message, topic
from edge_contract.watch import Watch

log = logging.getLogger(__name__)

LOOK_S = 1.0

WATCHED_LOOK_S = 0.1
"""Between two looks at watched points; as much more for every WATCHED_POINTS_EACH of them."""

WATCHED_POINTS_EACH = 500
"""To look at so many takes a small gateway some milliseconds."""


class ValueSender:
    """For one session: all at its begin and every PULSE_S, changes each second, watched points at once."""

    def __init__(
        self,
        gateway: str,
        catalog: str,
        values: LiveValueSource,
        client: MqttClient,
        clock: Clock,
        interval_s: float = 0,
    ) -> None:
        """interval_s: everything with each report instead, and nothing is watched; 0: there are none."""
        self.takes_watch = interval_s == 0
        self._look_s = max(LOOK_S, interval_s)
        self._everything_s = max(PULSE_S, interval_s)
        self._topic = topic(gateway, Message.VALUES)
        self._catalog = catalog
        self._values = values
        self._client = client
        self._clock = clock
        self._seq = 0
        self._look_now = asyncio.Event()
        values.watch((), 0)

    def watch(self, watch: Watch) -> None:
        """Points of another catalog are ignored."""
        if self.takes_watch and watch.catalog == self._catalog:
            self._values.watch(watch.points, self._clock.monotonic() + watch.seconds)
            self._look_now.set()

    async def run(self, stream: str) -> None:
        """Until cancelled; a slow link skips what lies between two values."""
        look_at = everything_at = self._clock.monotonic()
        while True:
            now = self._clock.monotonic()
            watched = self._values.watched(now)
            rows = self._values.watched_changes() if watched else []
            if now >= look_at:
                look_at, everything = now + self._look_s, now >= everything_at
                if everything:
                    everything_at = now + self._everything_s
                rows += self._values.changes(everything=everything)
            for payload in self._payloads(stream, rows):
                await self._client.publish(self._topic, payload)
            pause_s = watched_pause_s(watched) if watched else self._look_s
            await wait(self._clock, self._look_now, min(pause_s, max(look_at - self._clock.monotonic(), 0)))

    def _payloads(self, stream: str, rows: Sequence[Row]) -> Iterator[bytes]:
        """As few batches as carry the rows; a sample that none can carry is left out."""
        if not rows:
            return
        self._seq += 1
        try:
            yield batch.encode(stream, self._seq, self._catalog, max(self._clock.now_ms(), 0), rows)
        except BatchError as error:
            parts = rows if len(rows) > 1 else rows_of(rows[0].samples())
            if len(parts) == 1:
                log.debug("a value of point %d cannot be sent: %s", rows[0].points[0], error)
                return
            half = len(parts) // 2
            yield from self._payloads(stream, parts[:half])
            yield from self._payloads(stream, parts[half:])


def watched_pause_s(count: int) -> float:
    """Between two looks at so many watched points."""
    return WATCHED_LOOK_S * (1 + count // WATCHED_POINTS_EACH)
