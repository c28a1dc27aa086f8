"""Writes stored batches into files, each row once: what the cursor has not passed is written again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import msgspec

from edge_agent.actions import Action
from edge_agent.forwarding.aggregation import Aggregation
from edge_agent.forwarding.backoff import Backoff
from edge_agent.forwarding.base import Condition, ForwarderCondition
from edge_agent.forwarding.deliveries import Deliveries
from edge_agent.forwarding.file import rows
from edge_agent.forwarding.file.config import FileOptions
from edge_agent.forwarding.file.folder import MEGABYTE, Folder, Layout, MediumDown
from edge_agent.forwarding.services import Services
from edge_agent.model import Quality, Sample
from edge_agent.store.base import Outbox, StoredBatch
from edge_agent.system.clock import wait
from edge_contract import batch
from edge_contract.errors import BatchError
from edge_contract.payloads import Catalog, CommandAction, decode

log = logging.getLogger(__name__)

RETRY_S = (1.0, 60.0)
GATHER_S = 5.0
"""What was committed meanwhile is written and synced together: flash wears by each time."""
BATCHES_AT_ONCE = 16
MAX_CATALOGS = 8
DRAIN_STEP_S = 0.05
HUNG_S = 2.0
"""A medium that does not answer for so long holds up no stop."""


T = TypeVar("T")
P = ParamSpec("P")


async def _in_thread(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Work that nobody may overtake: also when cancelled this returns only after it, or after HUNG_S."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *arguments, **named))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task], timeout=HUNG_S)
        raise


class FileProgress(msgspec.Struct, frozen=True):
    """Kept beside the cursor. read_seq: rows up to this batch stand in files. ended_ms: of aggregation.

    deliveries: in batches.
    """

    read_seq: int = 0
    ended_ms: int = 0
    deliveries: Deliveries = Deliveries()


class FileForwarder:
    """forwarding.base.Forwarder."""

    link = None

    def __init__(self, name: str, options: FileOptions, services: Services, outbox: Outbox) -> None:
        self._name = name
        self._options = options
        self._outbox = outbox
        self._catalogs = services.store.catalogs
        self._clock = services.clock
        self._data = services.folder
        self._columns = rows.AGGREGATE if options.what == "aggregates" else rows.SAMPLE
        self._names: dict[str, rows.Names] = {}
        self._wanted = frozenset(options.points)
        self._hurry = asyncio.Event()
        self._condition = Condition.DOWN
        self._since_ms = 0
        self._reason = ""
        self._pause = Backoff(*RETRY_S)
        position = outbox.position()
        self._upto_seq = position.upto_seq
        known = msgspec.json.decode(position.state or b"{}", type=FileProgress)
        self._progress = FileProgress(
            max(known.read_seq, position.upto_seq), known.ended_ms, known.deliveries
        )

    def condition(self) -> ForwarderCondition:
        """UP while the folder can be written into."""
        return ForwarderCondition(self._condition, self._since_ms, self._reason, self._pause.next_try_ms)

    def deliveries(self) -> Deliveries:
        """Batches that stand in files; one that cannot be read is given up."""
        return self._progress.deliveries

    def actions(self) -> Mapping[CommandAction, Action]:
        """None: files carry out no commands."""
        return {}

    async def drain(self, timeout_s: float) -> None:
        """Return when everything is written, at the latest after timeout_s."""
        deadline = self._clock.monotonic() + timeout_s
        newest = self._outbox.state().next_seq - 1
        self._hurry.set()
        while (
            self._condition is Condition.UP
            and self._progress.read_seq < newest
            and self._clock.monotonic() < deadline
        ):
            await self._clock.sleep(DRAIN_STEP_S)

    async def run(self) -> None:
        """Write batches until cancelled, with growing pauses while the medium is gone or full."""
        while True:
            try:
                await self._session()
            except MediumDown as error:
                self._turn(Condition.DOWN, str(error))
            await self._pause.rest(self._clock)

    async def _session(self) -> None:
        """Until the medium fails; always raises."""
        options = self._options
        layout = Layout(
            Path(options.folder),
            self._name,
            self._outbox.state().stream,
            options.format,
            self._columns,
            options.max_total_mb * MEGABYTE,
            self._data if options.external else None,
        )
        folder = await _in_thread(Folder, layout, self._progress.read_seq)
        try:
            self._turn(Condition.UP, "")
            await self._write(folder)
        finally:
            folder.close()

    async def _write(self, folder: Folder) -> None:
        aggregation = self._aggregation()
        read_seq = self._upto_seq
        rotate_at = self._clock.monotonic() + self._options.rotate_s
        while True:
            newest = self._outbox.state().next_seq - 1
            batches = await self._outbox.following(read_seq, BATCHES_AT_ONCE)
            if not batches:
                read_seq = max(read_seq, newest)
                if self._clock.monotonic() >= rotate_at:
                    await _in_thread(folder.rotate)
                    rotate_at = self._clock.monotonic() + self._options.rotate_s
                await self._more(read_seq, rotate_at - self._clock.monotonic())
                continue
            text, first_seq = "", 0
            for one in batches:
                made = await self._lines(one, aggregation)
                if made and one.seq > folder.written_seq:
                    text += made
                    first_seq = first_seq or one.seq
            read_seq = batches[-1].seq
            if text:
                await _in_thread(folder.write, first_seq, read_seq, text)
                self._pause.reset()
            if read_seq > self._progress.read_seq:
                new = sum(one.seq > self._progress.read_seq for one in batches)
                self._pass(read_seq, aggregation, new)
            if folder.size >= self._options.rotate_mb * MEGABYTE or self._clock.monotonic() >= rotate_at:
                await _in_thread(folder.rotate)
                rotate_at = self._clock.monotonic() + self._options.rotate_s

    async def _more(self, read_seq: int, left_s: float) -> None:
        """Return a moment after something was committed, or when the time is over."""
        new = asyncio.ensure_future(self._outbox.wait_new(read_seq))
        over = asyncio.ensure_future(self._clock.sleep(max(left_s, 0.0)))
        try:
            await asyncio.wait({new, over}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            new.cancel()
            over.cancel()
        if self._outbox.state().next_seq - 1 > read_seq:
            await wait(self._clock, self._hurry, GATHER_S)

    def _aggregation(self) -> Aggregation | None:
        options = self._options
        if options.what == "samples":
            return None
        return Aggregation(
            options.period_s * 1000, grace_ms=options.grace_s * 1000, ended_ms=self._progress.ended_ms
        )

    def _pass(self, read_seq: int, aggregation: Aggregation | None, batches: int) -> None:
        """What is read stands in files; open periods are made again from the batches that stay."""
        self._upto_seq = read_seq if aggregation is None else aggregation.needs_seq(read_seq)
        self._progress = FileProgress(
            read_seq,
            0 if aggregation is None else aggregation.ended_ms,
            self._progress.deliveries.with_delivered(batches, self._clock.now_ms()),
        )
        self._outbox.passed(self._upto_seq, msgspec.json.encode(self._progress).decode())

    async def _lines(self, stored: StoredBatch, aggregation: Aggregation | None) -> str:
        """Lines that a batch gives; none of one that the cloud asked for once more, which was here before."""
        if self._outbox.travels_late(stored.seq):
            return ""
        try:
            header, columns = batch.decode(stored.payload)
        except BatchError as error:
            log.error("forwarder %s: batch %d cannot be read: %s", self._name, stored.seq, error)
            self._give_up(f"batch {stored.seq}", str(error))
            return ""
        names = await self._names_of(header.catalog)
        samples = [
            Sample(column.point, t_ms, value, Quality(quality))
            for column in columns
            if self._is_wanted(column.point, names)
            for t_ms, value, quality in zip(column.t_ms, column.values, column.qualities, strict=True)
        ]
        file_rows: list[tuple[Any, ...]]
        if aggregation is None:
            samples.sort(key=lambda sample: sample.t_ms)
            file_rows = rows.sample_rows(stored.seq, samples, names)
        else:
            file_rows = rows.aggregate_rows(
                stored.seq, aggregation.feed(stored.seq, stored.t_ms, samples), names
            )
        return rows.text_of(file_rows, self._columns, self._options.format)

    def _is_wanted(self, point: int, names: rows.Names) -> bool:
        slave, name = rows.name_of(point, names)
        return not self._wanted or slave in self._wanted or f"{slave}.{name}" in self._wanted

    async def _names_of(self, catalog: str) -> rows.Names:
        if catalog not in self._names:
            payload = await self._catalogs.payload(catalog)
            points = decode(Catalog, payload).points if payload is not None else []
            if len(self._names) >= MAX_CATALOGS:
                self._names.clear()
            self._names[catalog] = {point.id: (point.slave, point.name) for point in points}
        return self._names[catalog]

    def _give_up(self, record: str, reason: str) -> None:
        deliveries = self._progress.deliveries.with_given_up(record, reason, self._clock.now_ms())
        self._progress = msgspec.structs.replace(self._progress, deliveries=deliveries)

    def _turn(self, condition: Condition, reason: str) -> None:
        """Logged once when it goes down and once when it is up."""
        if condition is not self._condition or not self._since_ms:
            self._since_ms = self._clock.now_ms()
            if condition is Condition.UP:
                log.info("forwarder %s writes to %s", self._name, self._options.folder)
            else:
                log.warning("forwarder %s: %s; what is stored waits", self._name, reason)
        self._condition, self._reason = condition, reason
