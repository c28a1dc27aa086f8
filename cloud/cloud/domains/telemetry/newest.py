"""The newest sample of each point, as samples come: what is newer, and when a value changed. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cloud.timeseries.base import SeriesColumn, StoredSample
from cloud.timeseries.series_table import SeriesTable
from edge_contract.model import Value

AHEAD_MS = 5000
"""Clocks that are set differ by less. A sample of a later time than its receipt has no time to trust."""

LIVE_MS = 60_000
"""What was sampled so lately is of now: later than that, data is late for the link too."""


class LastSample(msgspec.Struct, frozen=True, gc=False):
    """Newest sample of a point. good: the newest one with a value, when this one has none."""

    t_ms: int
    value: Value
    quality: int
    received_ms: int
    good: StoredSample | None = None
    """The last one before it that had a value, where it has none."""
    held: Value = None
    """The value, or the last one before it had none."""
    changed_ms: int | None = None
    """When it took the held value after another one; None when that is not known."""

    def followed_by(self, column: SeriesColumn, now_ms: int) -> LastSample:
        """A later column of the point. The same value again, after a restart or a silence, is no change."""
        held, changed_ms = self.held, self.changed_ms
        begin, is_change = _newest_run(column.values)
        if begin is not None and (is_change or column.values[begin] != held):
            changed_ms = column.t_ms[begin] if is_change or held is not None else None
            held = column.values[begin]
        value = column.values[-1]
        good = (_good_of(column) or _good_before(self)) if value is None else None
        return LastSample(column.t_ms[-1], value, int(column.qualities[-1]), now_ms, good, held, changed_ms)

    def is_ahead(self, now_ms: int) -> bool:
        """Of a time that had not come when it was received, or, when that is not known, has not come now."""
        return self.t_ms > (self.received_ms or now_ms) + AHEAD_MS

    def gives_way(self, t_ms: int, late: bool, now_ms: int) -> bool:
        """To a sample of this time, received now. Else one of the future would stand until its time comes."""
        if self.t_ms < t_ms:
            return True
        return not late and t_ms >= now_ms - LIVE_MS and t_ms != self.t_ms and self.is_ahead(now_ms)


_NOTHING = LastSample(0, None, 0, 0)


def take_newer(
    newest: dict[int, LastSample], columns: Sequence[SeriesColumn], late: bool, now: int
) -> list[tuple[int, LastSample]]:
    """Put what is newer in its place; what that is, in the order of the columns. Late data begins no point:
    the store may hold something newer.
    """
    if isinstance(columns, SeriesTable) and columns.is_single:
        return _take_singles(newest, columns, late, now)
    return _take(newest, columns, late, now)


def _take(
    newest: dict[int, LastSample], columns: Sequence[SeriesColumn], late: bool, now: int
) -> list[tuple[int, LastSample]]:
    newer: list[tuple[int, LastSample]] = []
    for column in columns:
        series, t_ms = column.series, column.t_ms[-1]  # times rise
        known = newest.get(series)
        if known is None and late:
            continue
        if known is None or known.t_ms < t_ms or known.gives_way(t_ms, late, now):
            newest[series] = fresh = (known or _NOTHING).followed_by(column, now)
            newer.append((series, fresh))
    return newer


def _take_singles(
    newest: dict[int, LastSample], table: SeriesTable, late: bool, now: int
) -> list[tuple[int, LastSample]]:
    """Of columns of one sample, which most are: an object for each doubles the cost."""
    newer: list[tuple[int, LastSample]] = []
    samples = zip(table.series, table.t_ms, table.values, table.qualities, strict=True)
    for series, t_ms, value, quality in samples:
        known = newest.get(series)
        if known is None:
            if late:
                continue
            known = _NOTHING
        elif known.t_ms >= t_ms and not known.gives_way(t_ms, late, now):
            continue
        held, changed_ms = known.held, known.changed_ms
        if value is None:
            fresh = known.followed_by(SeriesColumn(series, (t_ms,), (None,), (quality,)), now)
        elif value == held:
            fresh = LastSample(t_ms, value, quality, now, None, held, changed_ms)
        else:
            fresh = LastSample(t_ms, value, quality, now, None, value, None if held is None else t_ms)
        newest[series] = fresh
        newer.append((series, fresh))
    return newer


def _newest_run(values: Sequence[Value]) -> tuple[int | None, bool]:
    """Where the newest value began, None without one, and whether another one was before it. Most columns
    change with each sample, so this looks at two of them.
    """
    begin: int | None = None
    for at in range(len(values) - 1, -1, -1):
        if values[at] is None:
            continue
        if begin is not None and values[at] != values[begin]:
            return begin, True
        begin = at
    return begin, False


def _good_of(column: SeriesColumn) -> StoredSample | None:
    """The newest sample of a column that has a value."""
    for at in range(len(column.t_ms) - 1, -1, -1):
        if column.values[at] is not None:
            return StoredSample(column.t_ms[at], column.values[at], int(column.qualities[at]))
    return None


def _good_before(known: LastSample | None) -> StoredSample | None:
    if known is None or known.value is None:
        return known.good if known else None
    return StoredSample(known.t_ms, known.value, known.quality)
