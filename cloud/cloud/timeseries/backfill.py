"""Samples that come when those of their time are deleted: the rollups take what they cannot have had.

With the samples gone a bucket cannot be made anew, only be added to, and nobody can tell a repetition from a
sample that was never there. Only what is older than the first or newer than the last sample of its bucket, or
has no bucket, was certainly never counted: that is added, the rest is refused. So a sample that is sent again
changes nothing, in whatever pieces it comes, and a backlog in its order is taken whole.

What is refused is counted (`edge_samples_too_late`) and logged once a series. A start looks for what the
last run did not get to. Samples that are kept longer than before are stored as well; charts of that time
show the rollups.
"""

from __future__ import annotations

import sqlite3

import numpy as np
from numpy.typing import NDArray

from cloud.timeseries import tables
from cloud.timeseries.packing import Floats, Ints
from cloud.timeseries.rollups import FIRST, LAST, ROLLUP_WIDTHS_MS, Rollup, added, summarise


def add_to_rollups(connection: sqlite3.Connection, series: int, t_ms: Ints, value: Floats) -> int:
    """Numeric samples of good quality by rising time; how many were added. The finest level that is kept of
    their time tells them from what was counted.
    """
    starts_ms = [tables.stored_from(connection, series, width) for width in ROLLUP_WIDTHS_MS]
    count = 0
    for level, width in enumerate(ROLLUP_WIDTHS_MS):
        known = t_ms >= starts_ms[level]
        times, values = t_ms[known], value[known]
        t_ms, value = t_ms[~known], value[~known]
        fresh = _never_counted(connection, series, width, times)
        times, values = times[fresh], values[fresh]
        count += len(times)
        for wider, from_ms in zip(ROLLUP_WIDTHS_MS[level:], starts_ms[level:], strict=True):
            there = times >= from_ms
            _add(connection, series, wider, summarise(times[there], values[there], 0, wider))
    return count


def _never_counted(
    connection: sqlite3.Connection, series: int, width_ms: int, t_ms: Ints
) -> NDArray[np.bool_]:
    found = np.ones(len(t_ms), np.bool_)
    pages = t_ms // tables.PAGES_MS[width_ms]
    for page in np.unique(pages).tolist():
        old = _page(connection, series, width_ms, page)
        if not len(old):
            continue
        here = np.flatnonzero(pages == page)
        times = t_ms[here]
        starts = times // width_ms * width_ms
        which = np.minimum(np.searchsorted(old.start_ms, starts), len(old) - 1)
        outside = (times < old.times[FIRST][which]) | (times > old.times[LAST][which])
        found[here] = outside | (old.start_ms[which] != starts)
    return found


def _add(connection: sqlite3.Connection, series: int, width_ms: int, made: Rollup) -> None:
    span_ms = tables.PAGES_MS[width_ms]
    for page in np.unique(made.start_ms // span_ms).tolist():
        old = _page(connection, series, width_ms, page)
        new = added(old, made.between(page * span_ms, (page + 1) * span_ms))
        tables.put_level(connection, series, width_ms, page, new)


def _page(connection: sqlite3.Connection, series: int, width_ms: int, page: int) -> Rollup:
    span_ms = tables.PAGES_MS[width_ms]
    return tables.level(connection, series, width_ms, page * span_ms, (page + 1) * span_ms)
