"""Writes of which the gateway never said anything: settled by what is read of their points afterwards.

Where it has said something it looks itself (C-126), and what it says later replaces what was read here. Both
the sample's time and the expiry are the gateway's own clock, so that a clock that differs spoils nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from math import isclose

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.intake import status_of
from cloud.domains.commands.models import CommandRow
from cloud.domains.commands.repository import CommandRepository
from cloud.domains.commands.sending import Pushed
from cloud.timeseries.base import SeriesColumn, StoredSample, TimeSeriesError
from cloud.timeseries.series_table import columns_of
from edge_contract.model import Quality, Value
from edge_contract.payloads import Outcome

log = logging.getLogger(__name__)

RESOLVE_S = 5.0

END_MARGIN_MS = 30_000
"""A write that the gateway began just before its expiry is through by then, with every repetition."""

LOOK_MS = 300_000
"""How often the store is asked: an event of a sample may be lost."""

WINDOW_MS = 30 * 24 * 3600 * 1000
"""A write stays unknown when nothing was read for so long."""

MAX_OPEN = 500
"""Beyond it the oldest stay unknown."""

RELATIVE_TOLERANCE = 1e-6
"""A device keeps single precision."""

Newest = Callable[[Sequence[int]], Awaitable[Mapping[int, StoredSample]]]


class UnknownWrites:
    """newest: the newest stored sample of points; pushed: called with the gateway's number and the command.

    `note` only remembers what came; `resolve`, run every RESOLVE_S, decides. What is not remembered, as after
    a restart, it asks the store for.
    """

    def __init__(self, database: Database, newest: Newest, pushed: Pushed, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._newest = newest
        self._pushed = pushed
        self._clock = clock
        self._samples: dict[int, StoredSample] = {}  # newest good ones
        self._open: frozenset[int] = frozenset()  # points
        self._overtaken: set[str] = set()
        self._looked_ms: int | None = None

    def note_values(self, columns: Sequence[SeriesColumn]) -> None:
        """Samples have come, to be stored or not."""
        if not self._open:
            return
        for column in columns_of(columns, self._open):
            for sample in zip(column.t_ms, column.values, column.qualities, strict=True):
                self.note(column.series, StoredSample(*sample))

    def note(self, dsid: int, sample: StoredSample) -> None:
        """One sample of a point, also one that a command has read."""
        if dsid not in self._open or sample.quality != Quality.GOOD or sample.value is None:
            return
        known = self._samples.get(dsid)
        if known is None or known.t_ms < sample.t_ms:
            self._samples[dsid] = sample

    async def resolve(self) -> None:
        """Periodic: settle each open write whose point was read after its end; one that a newer write to the
        point has overtaken stays unknown.
        """
        now = self._clock()
        async with self._database.reading() as session:
            repository = CommandRepository(session, Scope.system())
            rows = await repository.unknown_writes(now - WINDOW_MS, MAX_OPEN)
        points = frozenset(row.dsid for row in rows if row.dsid is not None)
        new, self._open = points - self._open, points
        self._samples = {dsid: sample for dsid, sample in self._samples.items() if dsid in points}
        self._overtaken &= {row.id for row in rows}
        await self._look(new, now)
        speaking = {row.id: sample for row in rows if (sample := self._said_of(row)) is not None}
        if not speaking:
            return
        async with self._database.reading() as session:
            self._overtaken |= await CommandRepository(session, Scope.system()).overtaken(list(speaking))
        await self._store({key: sample for key, sample in speaking.items() if key not in self._overtaken})

    async def _look(self, new: frozenset[int], now: int) -> None:
        """Ask the store for points that are open since just now, and from time to time for all."""
        wanted = new
        if self._looked_ms is None or not 0 <= now - self._looked_ms < LOOK_MS:
            self._looked_ms, wanted = now, self._open
            self._overtaken.clear()  # a newer write may have failed meanwhile
        if not wanted:
            return
        try:
            for dsid, sample in (await self._newest(sorted(wanted))).items():
                self.note(dsid, sample)
        except TimeSeriesError as error:
            log.warning("what became of unknown writes cannot be looked up now: %s", error)

    def _said_of(self, row: CommandRow) -> StoredSample | None:
        """The sample that speaks for a write, if there is one yet."""
        sample = self._samples.get(row.dsid or 0)
        if sample is None or row.id in self._overtaken or sample.t_ms < row.expires_ms + END_MARGIN_MS:
            return None
        return sample

    async def _store(self, speaking: Mapping[str, StoredSample]) -> None:
        if not speaking:
            return
        settled = []
        async with self._database.session() as session:
            for row in await CommandRepository(session, Scope.system()).commands(list(speaking)):
                if row.outcome != Outcome.UNKNOWN or row.latency_ms is not None:
                    continue  # the gateway was faster
                sample = speaking[row.id]
                is_wanted = same_value(row.value, sample.value)
                row.outcome = (Outcome.RESOLVED_WRITTEN if is_wanted else Outcome.RESOLVED_OTHER).value
                row.result_value, row.quality, row.seen_ms = sample.value, sample.quality, sample.t_ms
                row.audit_due = bool(row.user_id)
                settled.append(row)
            await session.commit()
        for row in settled:
            log.info("command %s: %s, %r was read", row.id, row.outcome, row.result_value)
            await self._pushed(row.device_id, status_of(row))


def same_value(wanted: Value, read: Value) -> bool:
    """Whether a device that took the wanted value reads so."""
    if isinstance(wanted, bool) or isinstance(read, bool) or wanted is None or read is None:
        return wanted is read
    if isinstance(wanted, int | float) and isinstance(read, int | float):
        return wanted == read or isclose(wanted, read, rel_tol=RELATIVE_TOLERANCE)
    return wanted == read
