"""Records that wait for a platform: how many, which is next, and which are given up, as the ledger counts."""

from __future__ import annotations

import logging
from collections.abc import Callable

from edge_agent.errors import StoreError
from edge_agent.forwarding.hj212.connection import Refused, Unanswered
from edge_agent.forwarding.hj212.options import Hj212Options
from edge_agent.forwarding.hj212.packet import Area
from edge_agent.forwarding.hj212.sending import encoded
from edge_agent.forwarding.hj212.times import time_text
from edge_agent.store.base import RecordState, TargetRecord, TargetRecords

log = logging.getLogger(__name__)

IN_PLACE = 3
"""So often a record fails before those behind it go first."""
MAX_UNANSWERED = 5
"""A record is given up after so many connections in which others were acknowledged and it was not."""
NEVER_SENT = "real-time data are not sent later: supplementary_rtd is off"
Key = tuple[str, int]
"""Kind and begin of a record."""


class RecordQueue:
    """live: records made during this connection. waiting: how many wait, as counted last. give_up: takes a
    record that never goes, and why.
    """

    def __init__(
        self, name: str, options: Hj212Options, records: TargetRecords, give_up: Callable[[str, str], None]
    ) -> None:
        self.live: set[Key] = set()
        self.waiting = 0
        self._name = name
        self._options = options
        self._records = records
        self._give_up = give_up
        self._failures: dict[Key, int] = {}
        self._unanswered: dict[Key, int] = {}

    async def next(self) -> TargetRecord | None:
        """A live one before what was missed, the oldest first; what failed again and again goes last."""
        while self.live:
            kind, t_ms = key = min(self.live, key=lambda key: (key[1], key[0]))
            records = await self._records.between(self._name, kind, t_ms, t_ms, 1)
            if records and records[0].state is RecordState.WAITING:
                return records[0]
            self.live.discard(key)
        waiting = await self._records.waiting(self._name, len(self._failures) + 1)
        if not waiting:
            self.waiting = 0
        return min(
            waiting,
            key=lambda one: (self._failures.get((one.kind, one.t_ms), 0) // IN_PLACE, one.due_ms),
            default=None,
        )

    async def count(self) -> int:
        """How many wait."""
        self.waiting = await self._records.count_waiting(self._name)
        return self.waiting

    async def delivered(self, record: TargetRecord) -> None:
        """The platform has it."""
        self._forget(record)
        await self._records.mark(self._name, record.kind, record.t_ms, RecordState.DELIVERED)

    async def failed(self, record: TargetRecord, error: BaseException, *, were_others_taken: bool) -> None:
        """The connection ended without an answer to it."""
        key = record.kind, record.t_ms
        self._failures[key] = self._failures.get(key, 0) + 1
        if were_others_taken and isinstance(error, (Unanswered, Refused)):
            self._unanswered[key] = self._unanswered.get(key, 0) + 1
            if self._unanswered[key] >= MAX_UNANSWERED:
                await self.drop(record, f"{error}, in {MAX_UNANSWERED} connections that took others")

    async def drop(self, record: TargetRecord, reason: str) -> None:
        """It never goes."""
        await self._records.mark(self._name, record.kind, record.t_ms, RecordState.DROPPED)
        self._given_up(record, reason)

    async def drop_missed(self) -> None:
        """What waits when a connection begins, where that is not to be sent."""
        for record in await self._records.give_up(self._name, 0):
            self._given_up(record, "made while the platform was away, and supplementary data are off")

    async def bound(self) -> None:
        """The oldest go when more wait than the options allow."""
        for record in await self._records.give_up(self._name, self._options.cache_limit):
            self._given_up(record, f"more than cache_limit = {self._options.cache_limit} records waited")
        await self.count()

    async def keep_realtime(self, kind: str, t_ms: int, area: Area) -> None:
        """Real-time data or states that could not be sent, where they are to be sent later; else given up."""
        if not self._options.supplementary_rtd:
            self._give_up(self.label(kind, t_ms), NEVER_SENT)
            return
        record = TargetRecord(kind, t_ms, t_ms, encoded(area), RecordState.WAITING)
        try:
            await self._records.put(self._name, [record], {})
            await self.bound()
        except StoreError as error:
            log.error("forwarder %s: %s", self._name, error)
            self._give_up(self.label(kind, t_ms), f"real-time data cannot be kept to be sent later: {error}")

    def label(self, kind: str, t_ms: int) -> str:
        """Of a record in the ledger."""
        return f"CN={kind} DataTime={time_text(t_ms, self._options.offset_ms)}"

    def _given_up(self, record: TargetRecord, reason: str) -> None:
        self._forget(record)
        self._give_up(self.label(record.kind, record.t_ms), reason)

    def _forget(self, record: TargetRecord) -> None:
        key = record.kind, record.t_ms
        self.waiting = max(self.waiting - 1, 0)
        self.live.discard(key)
        self._failures.pop(key, None)
        self._unanswered.pop(key, None)
