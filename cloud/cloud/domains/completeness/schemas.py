"""Shapes of completeness. Times are UTC milliseconds; counts are batches unless they say samples."""

from __future__ import annotations

from pydantic import BaseModel

from cloud.domains.devices.schemas import OnOfflineEntry
from cloud.link import Reason


class Reception(BaseModel):
    """What came and what did not. late: more than a minute after closing, or by the back-fill lane.

    missing: by reason held (the gateway still holds it), evicted (its store was full), damaged (came
    unreadable, kept in quarantine), no_catalog (came, but what its points are never did: not stored, kept for
    7 days), replaced (its store was lost), unknown. percent: of the batches, cut
    after the third digit, null when there was nothing. dropped_samples: never made a batch, by its own word.
    """

    received: int
    samples: int
    late: int
    late_samples: int
    duplicates: int
    missing: int
    reasons: dict[Reason, int]
    percent: float | None
    dropped_samples: int


class Bucket(Reception):
    """One hour or day."""

    start_ms: int
    end_ms: int


class Completeness(Reception):
    """A gateway over a period, made of whole buckets. outages: when it, or a slave, was away; the newest."""

    device_id: int
    from_ms: int
    to_ms: int
    buckets: list[Bucket]
    outages: list[OnOfflineEntry]
    outages_total: int


class GatewayCompleteness(Reception):
    """One gateway in the list of all."""

    device_id: int
    device_title: str
    gateway_id: str


class GapEntry(BaseModel):
    """Consecutive batches that did not come. first_seq..last_seq as found; missing: how many still are.

    from_ms, to_ms: closing times of the batches around it. filled_ms: when the last of it arrived.
    """

    id: int
    stream: str
    first_seq: int
    last_seq: int
    missing: int
    reason: Reason
    found_ms: int
    filled_ms: int | None
    from_ms: int
    to_ms: int
