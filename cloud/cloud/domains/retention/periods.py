"""Which setting counts, and what it means today. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

DAY_MS = 86_400_000

WIDTHS_MS = {
    "raw_days": 0,
    "minute_days": 60_000,
    "quarter_days": 900_000,
    "hour_days": 3_600_000,
    "day_days": 86_400_000,
}
"""Field to the width of what it is about, the finest first."""


@dataclass(frozen=True)
class RetentionPeriods:
    """Days; 0 for ever."""

    raw_days: int = 0
    minute_days: int = 0
    quarter_days: int = 0
    hour_days: int = 0
    day_days: int = 0

    def limits(self, now_ms: int) -> Iterator[tuple[int, int]]:
        """Width and time before which it goes, 0 where nothing does, of everything."""
        cuts = dict(self.cuts(now_ms))
        for width_ms in WIDTHS_MS.values():
            yield width_ms, max(cuts.get(width_ms, 0), 0)

    def cuts(self, now_ms: int) -> Iterator[tuple[int, int]]:
        """Width and time before which it goes, of what is not kept for ever."""
        for field, width_ms in WIDTHS_MS.items():
            days: int = getattr(self, field)
            if days:
                yield width_ms, (now_ms // DAY_MS - days) * DAY_MS


FOR_EVER = RetentionPeriods()

T = TypeVar("T")


def nearest(path: str, of_users: Mapping[int, T]) -> T | None:
    """Of the user at the end of the path (/1/7/12/) or the next one above him who has something."""
    for number in reversed([int(part) for part in path.split("/") if part]):
        if number in of_users:
            return of_users[number]
    return None


def newly_lost(before: RetentionPeriods, after: RetentionPeriods, now_ms: int) -> dict[str, int]:
    """Field to the time before which it would go after a change, of what goes earlier than it did."""
    kept = dict(before.cuts(now_ms))
    return {
        field: before_ms
        for field, (width_ms, before_ms) in zip(
            [field for field in WIDTHS_MS if getattr(after, field)], after.cuts(now_ms), strict=True
        )
        if before_ms > kept.get(width_ms, -1)
    }


def wrong_field(days: Mapping[str, int]) -> str | None:
    """The first field that would be forgotten before a finer one."""
    longest = 1
    for field in WIDTHS_MS:
        kept = days[field] or 10**9
        if kept < longest:
            return field
        longest = max(longest, kept)
    return None
