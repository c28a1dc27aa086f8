"""Sends values of points that are not stored; what is lost is replaced by the next (C-141, C-142)."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from edge_agent.forwarding.services import Unstored
from edge_agent.model import Row
from edge_agent.system.clock import Clock
from edge_agent.transports.mqtt import MqttClient
from edge_contract import batch
from edge_contract.errors import BatchError
from edge_contract.limits import PULSE_S
from edge_contract.model import rows_of
from edge_contract.topics import Message, topic

log = logging.getLogger(__name__)

LOOK_S = 1.0


class ValueSender:
    """For one session: everything at its begin and every PULSE_S, what has changed each second."""

    def __init__(
        self,
        gateway: str,
        catalog: str,
        unstored: Unstored,
        client: MqttClient,
        clock: Clock,
        interval_s: float = 0,
    ) -> None:
        """interval_s: everything with each report instead; 0: there are none."""
        self._look_s = max(LOOK_S, interval_s)
        self._everything_s = max(PULSE_S, interval_s)
        self._topic = topic(gateway, Message.VALUES)
        self._catalog = catalog
        self._unstored = unstored
        self._client = client
        self._clock = clock
        self._seq = 0

    async def run(self, stream: str) -> None:
        """Until cancelled; a slow link skips what lies between two values."""
        everything_at = self._clock.monotonic()
        while True:
            now = self._clock.monotonic()
            everything = now >= everything_at
            if everything:
                everything_at = now + self._everything_s
            for payload in self._payloads(stream, self._unstored.news(everything=everything)):
                await self._client.publish(self._topic, payload)
            await self._clock.sleep(self._look_s)

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
