"""Local times of a platform as its packets have them (HJ 212-2017, table 4). Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_MS, HOUR_MS, MINUTE_MS = 86_400_000, 3_600_000, 60_000


def time_text(t_ms: int, offset_ms: int) -> str:
    """YYYYMMDDhhmmss of a UTC time. offset_ms: local time less UTC."""
    return f"{EPOCH + timedelta(milliseconds=t_ms + offset_ms):%Y%m%d%H%M%S}"


def qn_text(t_ms: int, offset_ms: int) -> str:
    """YYYYMMDDhhmmsszzz of a UTC time."""
    return f"{time_text(t_ms, offset_ms)}{(t_ms + offset_ms) % 1000:03d}"


def time_ms(text: str, offset_ms: int) -> int | None:
    """UTC milliseconds of the first 14 digits; None when they are no time."""
    try:
        local = datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return round((local - EPOCH).total_seconds()) * 1000 - offset_ms


def begin_of(t_ms: int, period_ms: int, offset_ms: int) -> int:
    """UTC begin of the local period in which a time lies."""
    return t_ms - (t_ms + offset_ms) % period_ms


class Numbers:
    """QN of packets: 17 digits of the local time of sending, each later than the one before."""

    def __init__(self, offset_ms: int) -> None:
        self._offset_ms = offset_ms
        self._last_ms = 0

    def next(self, now_ms: int) -> str:
        """now_ms: UTC."""
        self._last_ms = max(now_ms, self._last_ms + 1)
        return qn_text(self._last_ms, self._offset_ms)
