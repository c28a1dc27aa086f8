"""Shapes of completeness. Times are UTC milliseconds; counts are batches unless they say samples."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from cloud.domains.devices.schemas import OnOfflineEntry
from cloud.link import GapReason, MissedReason

NoFigure = Literal["never_reported", "not_yet", "not_reported", "nothing_expected"]


class Collected(BaseModel):
    """Reads: a point in one of its periods, good when a good value arrived in it.

    missed: expected less good; reasons: of them, not_reported estimated from what was expected before.
    percent: cut after the third digit, null when nothing is known to have been expected: no_figure says why.
    since_ms: the gateway's first report, when it lies within the period; what was before it does not count.
    """

    expected: int
    good: int
    missed: int
    percent: float | None
    reasons: dict[MissedReason, int]
    not_reported_ms: int
    since_ms: int | None
    no_figure: NoFigure | None


class BatchReception(BaseModel):
    """What came of the batches and what did not; collection: what was read.

    late: more than a minute after closing, or by backfill.

    missing: by reason held (the gateway still holds it), evicted (its store was full), damaged (came
    unreadable, stored in quarantine), no_catalog (came, but what its points are never did: held apart for
    7 days), replaced (its store was lost), unknown. percent: of the batches, cut
    after the third digit, null when there was nothing. dropped_samples: never made a batch, by its own word.
    """

    received: int
    samples: int
    late: int
    late_samples: int
    duplicates: int
    missing: int
    reasons: dict[GapReason, int]
    percent: float | None
    dropped_samples: int
    collection: Collected


class CompletenessBucket(BatchReception):
    """One hour or day."""

    start_ms: int
    end_ms: int


class Completeness(BatchReception):
    """A gateway over a period, made of complete buckets. outages: when it, or a slave, was away; the
    newest.
    """

    device_id: int
    from_ms: int
    to_ms: int
    buckets: list[CompletenessBucket]
    outages: list[OnOfflineEntry]
    outages_total: int


class GatewayCompleteness(BatchReception):
    """One gateway in the list of all."""

    device_id: int
    device_title: str
    gateway_id: str


class GapEntry(BaseModel):
    """Consecutive batches that did not come. first_seq..last_seq when detected; missing: how many still are.

    from_ms, to_ms: closing times of the batches around it. filled_ms: when the last of it arrived.
    """

    id: int
    stream: str
    first_seq: int
    last_seq: int
    missing: int
    reason: GapReason
    found_ms: int
    filled_ms: int | None
    from_ms: int
    to_ms: int


class SlaveCollection(BaseModel):
    """One slave over a period. title: null when it is no longer there."""

    slave: str
    title: str | None
    collection: Collected


class PointCollection(BaseModel):
    """A point that fared worse than its slave. dsid: null when it is no longer there."""

    slave: str
    point: str
    title: str | None
    dsid: int | None
    expected: int
    good: int
    percent: float | None


class CollectionGap(BaseModel):
    """Time without a good read. id: 0 for one that is going on unreported.

    slave: null for the whole gateway; points: named when only some of the slave are missing. lent_to: who
    had the port. missed: reads, as far as they are counted in this gap.
    """

    id: int
    slave: str | None
    points: list[str]
    from_ms: int
    to_ms: int
    reason: MissedReason
    lent_to: str | None
    missed: int


class Collection(BaseModel):
    """What a gateway read over a period of whole hours, at most 31 days: by slave, the worst points, gaps.

    gaps: the newest ones, gaps_total: of all that touch the period.
    """

    device_id: int
    from_ms: int
    to_ms: int
    collection: Collected
    slaves: list[SlaveCollection]
    points: list[PointCollection]
    gaps: list[CollectionGap]
    gaps_total: int
