"""How much of the cloud's work one gateway may ask for: token buckets by message and gateway.

What is above an allowance is dropped and counted: gateways repeat results and say hello again, the next pulse
carries what the last one said, and catalogs and configurations are asked for again.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from cloud.core.token_bucket import KIB, REMEMBERED, TokenBuckets, TokenRate
from edge_contract.topics import Message

COLLECTION = TokenRate(12 * KIB, 500, per_kib=1)
"""A gateway keeps 8 MiB of records, and may send all of them one after the other."""

VALUES = TokenRate(600, 20, per_kib=0.05)
"""Every second what has changed: of 20,000 points a full batch."""

MESSAGE_RATES: Mapping[Message, TokenRate | None] = {
    Message.STATE: TokenRate(60, 0.5),
    Message.HELLO: TokenRate(60, 0.5),
    Message.PULSE: TokenRate(600, 2, per_kib=0.1),
    Message.RESULT: TokenRate(2000, 100),
    Message.RECEIPT: TokenRate(200, 5),
    Message.CONFIGURATION: TokenRate(7 * KIB, 20, per_kib=1),
    Message.CATALOG: TokenRate(12 * KIB, 20, per_kib=1),
    Message.EVALUATION: TokenRate(7 * KIB, 20, per_kib=1),
    Message.EVENTS: TokenRate(4 * KIB, 20, per_kib=0.5),
    Message.EXCHANGED: TokenRate(KIB, 10, per_kib=0.1),
    Message.TASK_RUNS: TokenRate(4 * KIB, 20, per_kib=0.5),
    Message.FIRMWARE: TokenRate(200, 1),
    Message.TRACED: TokenRate(600, 30, per_kib=0.1),
    Message.COLLECTION: COLLECTION,
    Message.VALUES: VALUES,
    Message.LIVE: None,
    Message.HISTORY: None,
    Message.TUNNEL_UP: None,
}
"""Of one gateway, for every message that gateways send. None: not limited here. Batches are limited by their
window and take turns; a tunnel's frames by the tunnel's window, and one of no tunnel costs nothing.
"""

NEW_STREAMS = TokenRate(32, 1 / 600)
"""Streams of a gateway that this process has not met: a store that is lost begins another, rarely."""

BROKEN_BATCHES = TokenRate(30, 0.2)
"""Batches that fail their checks and are looked at."""


class StreamAdmission:
    """Which streams of a gateway are taken: those that were met, and new ones within NEW_STREAMS."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, max_gateways: int = REMEMBERED) -> None:
        self._new = TokenBuckets(NEW_STREAMS, clock, max_gateways)
        self._met: OrderedDict[str, OrderedDict[str, None]] = OrderedDict()
        self._max_gateways = max_gateways

    def admits(self, gateway: str, stream: str) -> bool:
        """False for a new stream beyond the allowance."""
        met = self._met.get(gateway)
        if met is not None and stream in met:
            return True
        if not self._new.take(gateway):
            return False
        if met is None:
            met = self._met[gateway] = OrderedDict()
            while len(self._met) > self._max_gateways:
                self._met.popitem(last=False)
        met[stream] = None
        while len(met) > int(NEW_STREAMS.burst):
            met.popitem(last=False)
        return True

    def forget(self, gateway: str) -> None:
        """A gateway is no more."""
        self._met.pop(gateway, None)
        self._new.forget(gateway)
