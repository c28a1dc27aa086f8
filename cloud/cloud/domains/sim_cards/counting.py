"""Bytes that a report adds to what was counted, by day (C-222). Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

FASTEST_BYTES_S = 125_000_000
"""1 Gbit/s. A report of more is no modem's."""

MIN_SPAN_MS = 60_000
"""Two reports may come close to each other, with what lay in a buffer."""

MAX_DAYS = 366


@dataclass(frozen=True)
class LinkReading:
    """Counts of an interface since since_ms, reported at at_ms of the cloud's clock."""

    since_ms: int
    received: int
    sent: int
    at_ms: int


def added(before: LinkReading | None, now: LinkReading) -> tuple[int, int] | None:
    """Bytes received and sent between two reports; None when nothing is known of them: it is the first one,
    the count has begun anew, or its numbers are no link's.
    """
    if before is None or before.since_ms != now.since_ms:
        return None
    received, sent = now.received - before.received, now.sent - before.sent
    span_ms = max(now.at_ms - before.at_ms, MIN_SPAN_MS)
    if received < 0 or sent < 0 or max(received, sent) * 1000 > FASTEST_BYTES_S * span_ms:
        return None
    return received, sent


def by_day(from_ms: int, to_ms: int, zone: ZoneInfo) -> Iterator[tuple[date, float]]:
    """Days between two times with the part of the time that lies in each, at most the last MAX_DAYS."""
    end = datetime.fromtimestamp(to_ms / 1000, UTC).astimezone(zone).date()
    begin = datetime.fromtimestamp(min(from_ms, to_ms) / 1000, UTC).astimezone(zone).date()
    day = max(begin, end - timedelta(days=MAX_DAYS - 1))
    begins_ms = from_ms if day == begin else _begin_ms(day, zone)
    span_ms = to_ms - begins_ms
    while day < end:
        ends_ms = _begin_ms(day + timedelta(days=1), zone)
        yield day, (ends_ms - begins_ms) / span_ms
        day, begins_ms = day + timedelta(days=1), ends_ms
    yield end, (to_ms - begins_ms) / span_ms if span_ms > 0 else 1.0


def shared(received: int, sent: int, days: list[tuple[date, float]]) -> list[tuple[date, int, int]]:
    """Bytes of each day; together they are what was given."""
    result: list[tuple[date, int, int]] = []
    left_received, left_sent = received, sent
    for day, part in days[:-1]:
        some = min(left_received, round(received * part)), min(left_sent, round(sent * part))
        left_received, left_sent = left_received - some[0], left_sent - some[1]
        result.append((day, *some))
    return [*result, (days[-1][0], left_received, left_sent)]


def _begin_ms(day: date, zone: ZoneInfo) -> int:
    return round(datetime.combine(day, time(), zone).timestamp() * 1000)
