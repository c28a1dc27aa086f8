"""Finding what is missing, saying why, and asking gateways for what they still hold (C-029, C-039).

hello and pulse only leave a note. What is held is asked for at most every five minutes; who was asked three
times and holds less than is missing does not have it. A gap row keeps its bounds, and is split when its parts
differ in reason.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from cloud.core.log_once import LogOnce
from cloud.link.gap_rules import Gap, GapReason, StreamReport, classify, reconcile
from cloud.link.gap_store import GapChanges, GapStore, StreamKey, StreamRecord, is_unwritable
from cloud.link.metrics import GAP_CHECKS_GIVEN_UP
from cloud.link.rate_limits import StreamAdmission
from cloud.link.streams import Received
from edge_contract.fields import ControlMessage
from edge_contract.limits import WINDOW
from edge_contract.payloads import Hello, Pulse, Resend
from edge_contract.ranges import join, overlap

log = logging.getLogger(__name__)

CHECK_S = 5.0
"""Between two looks at the gateways that said something."""

ASK_EVERY_S = 300.0
"""Between two questions about the same stream."""

ASK_RANGES = 100
"""Ranges asked for at once, the newest."""

STREAMS = 5000
"""Streams whose last question is remembered."""

NEW_GAPS = 500
"""Gaps of one stream written down in one check, the newest; the others with the next pulse."""


AT_ONCE = 50
"""Gateways looked at in one transaction, so that ingest waits for a few milliseconds."""

MAX_REQUESTS = 2**15 - 1
"""What the table counts questions to."""


class GapDetector:
    """hello and pulse only take note; check does the work, for many gateways in one transaction."""

    def __init__(
        self,
        repository: GapStore,
        post: Callable[[str, ControlMessage], None],
        *,
        now_ms: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
        admission: StreamAdmission | None = None,
    ) -> None:
        self._repository = repository
        self._admission = admission or StreamAdmission(clock)
        self._post = post
        self._now_ms = now_ms
        self._clock = clock
        self._noted: dict[str, StreamReport] = {}
        self._next: OrderedDict[StreamKey, float] = OrderedDict()
        self._complaints = LogOnce()

    def hello(self, gateway: str, hello: Hello) -> None:
        """Take note of the stream that a gateway runs, and of the oldest batch that it holds."""
        if not self._admission.admits(gateway, hello.stream):
            return
        self._noted[gateway] = StreamReport(
            hello.stream, hello.boot, hello.next_seq, first_seq=hello.first_seq
        )

    def pulse(self, gateway: str, pulse: Pulse) -> None:
        """Take note of the outbox of a gateway and of what it evicted."""
        if not self._admission.admits(gateway, pulse.stream):
            return
        before = self._noted.get(gateway)
        first = before.first_seq if before is not None and before.stream == pulse.stream else None
        self._noted[gateway] = StreamReport(
            pulse.stream,
            pulse.boot,
            pulse.next_seq,
            first,
            pulse.outbox_batches,
            tuple(join(pulse.evicted)),
            pulse.evicted_batches,
            pulse.dropped_samples,
        )

    def forget(self, gateway: str) -> None:
        """A gateway is no more; what it said last is not looked at, and the next one is asked at once."""
        self._noted.pop(gateway, None)
        for key in [key for key in self._next if key[0] == gateway]:
            del self._next[key]

    async def check(self) -> None:
        """Periodic: what is missing of the streams that gateways spoke of since the last check."""
        names = list(self._noted)
        for start in range(0, len(names), AT_ONCE):
            async with self._repository.lock:
                now = [name for name in names[start : start + AT_ONCE] if name in self._noted]
                some = {name: self._noted.pop(name) for name in now}
                try:
                    questions = await self._check_some(some)
                except BaseException:
                    # said once, it is looked at when the database is back
                    self._noted = {**some, **self._noted}
                    raise
            for question in questions:
                self._post(*question)

    async def _check_some(self, noted: Mapping[str, StreamReport]) -> list[tuple[str, Resend]]:
        """Together; one by one when something cannot be written, and only who said that is given up."""
        try:
            return await self._check(noted)
        except Exception as error:
            if not is_unwritable(error):
                raise
            if len(noted) > 1:
                one_by_one = [await self._check_some({name: report}) for name, report in noted.items()]
                return [question for questions in one_by_one for question in questions]
            [gateway] = noted
            GAP_CHECKS_GIVEN_UP.inc()
            if self._complaints.first(gateway):
                log.exception("what %s says of its streams cannot be written down", gateway)
            return []

    async def _check(self, noted: Mapping[str, StreamReport]) -> list[tuple[str, Resend]]:
        known = await self._repository.known(noted)
        changes = GapChanges()
        examined = [self._examine(name, report, known, changes) for name, report in noted.items()]
        await self._repository.write(changes, self._now_ms())
        questions = [question for question in examined if question is not None]
        for gateway, question in questions:
            self._next[gateway, question.stream] = self._clock() + ASK_EVERY_S
        while len(self._next) > STREAMS:
            self._next.popitem(last=False)
        return questions

    def _examine(
        self,
        gateway: str,
        report: StreamReport,
        known: Mapping[str, Mapping[str, StreamRecord]],
        changes: GapChanges,
    ) -> tuple[str, Resend] | None:
        """One gateway's streams; what it is to be asked for."""
        streams = known.get(gateway, {})
        for stream, item in streams.items():
            if stream != report.stream and (item.report is None or not item.report.replaced):
                changes.replaced.append((gateway, stream))
                self._compare((gateway, stream), _last_word(stream, item), item, changes, replaced=True)
        running = streams.get(report.stream, StreamRecord(Received(), None, []))
        before = running.report
        if report.first_seq is None and before is not None:
            report = replace(report, first_seq=before.first_seq)
        counted = before.dropped_samples if before is not None and before.boot == report.boot else 0
        if report.outbox is None:  # a hello: it does not say what was dropped
            changes.reports[(gateway, report.stream)] = replace(report, dropped_samples=counted)
            return None
        changes.reports[(gateway, report.stream)] = report
        if (dropped := report.dropped_samples - counted) > 0:
            changes.dropped[gateway] = dropped
        open_gaps = self._compare((gateway, report.stream), report, running, changes, replaced=False)
        return self._question(gateway, report, running, open_gaps, changes)

    def _compare(
        self,
        key: StreamKey,
        report: StreamReport,
        known: StreamRecord,
        changes: GapChanges,
        *,
        replaced: bool,
    ) -> list[Gap]:
        """Missing numbers against the rows that there are; the rows that are open now."""
        highest = known.received.highest
        newest = max(report.next_seq - 1, highest if replaced else 0)
        settled = newest
        if report.outbox:  # recent numbers may still be in flight: the newest two windows are left alone
            settled = max(min(highest, newest) - 2 * WINDOW, 0)
        missing = known.received.missing(known.first_own, settled)
        unsettled = known.received.missing(max(known.first_own, settled + 1), newest)
        missing = join([*missing, *overlap(unsettled, report.evicted)])
        parts = classify(missing, report, known.gaps, replaced=replaced, due=self._is_due(key))
        changed, gone = reconcile(parts, known.gaps, self._now_ms())
        old, new = [gap for gap in changed if gap.id], [gap for gap in changed if not gap.id][-NEW_GAPS:]
        changes.gaps += [(key, gap) for gap in (*old, *new)]
        changes.deleted += gone
        left_out = {*gone, *(gap.id for gap in old)}
        return [*(gap for gap in known.gaps if gap.id not in left_out), *old, *new]

    def _is_due(self, key: StreamKey) -> bool:
        """Was the last question about a stream long enough ago?"""
        now = self._clock()
        return now >= self._next.get(key, now)

    def _question(
        self,
        gateway: str,
        report: StreamReport,
        known: StreamRecord,
        gaps: Sequence[Gap],
        changes: GapChanges,
    ) -> tuple[str, Resend] | None:
        """What a gateway is asked for: what it holds, at most every ASK_EVERY_S."""
        held = sorted((gap for gap in gaps if gap.reason is GapReason.HELD and not gap.filled), key=_first)
        key = (gateway, report.stream)
        if not held or not self._is_due(key):
            return None
        held = held[-ASK_RANGES:]
        missing = known.received.missing(last=held[-1].last)
        ranges = overlap(missing, [(gap.first, gap.last) for gap in held])[-ASK_RANGES:]
        marked = {gap: replace(gap, requests=min(gap.requests + 1, MAX_REQUESTS)) for gap in held}
        changes.gaps = [(where, marked.pop(gap, gap)) for where, gap in changes.gaps]
        changes.gaps += [(key, gap) for gap in marked.values()]
        return gateway, Resend(stream=report.stream, ranges=ranges)


def _first(gap: Gap) -> int:
    return gap.first


def _last_word(stream: str, known: StreamRecord) -> StreamReport:
    """What a gateway said last about a stream that it does not run any more."""
    next_seq = known.received.highest + 1 if known.report is None else known.report.next_seq
    return StreamReport(stream, "", next_seq, outbox=0)
