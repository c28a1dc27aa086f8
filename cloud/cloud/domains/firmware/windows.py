"""A time of the day in a time zone, as the minutes of a day in UTC that gateways know. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

DAY_MINUTES = 24 * 60


def minutes(time_of_day: str) -> int:
    """Of "HH:MM"."""
    hours, _, rest = time_of_day.partition(":")
    return int(hours) * 60 + int(rest)


def utc_window(begin: str, end: str, zone: ZoneInfo, now_ms: int) -> tuple[int, int]:
    """Minutes of a day in UTC, by the offset that holds when the window begins next.

    An order that is out when clocks change keeps the minutes that it has.
    """
    now = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone)
    first, last = minutes(begin), minutes(end)
    start = now.replace(hour=first // 60, minute=first % 60, second=0, microsecond=0)
    is_over = now.hour * 60 + now.minute >= last if first < last else False
    if is_over:
        start += timedelta(days=1)
    offset = start.utcoffset() or timedelta()
    shift = int(offset.total_seconds() // 60)
    return (first - shift) % DAY_MINUTES, (last - shift) % DAY_MINUTES
