"""No two samples of a point at one time: the cloud files by both, the second would replace the first.

It matters after the clock was put back, when times come by that were used before, and when a port or a slave
goes down in the millisecond of its last answer. What was used is remembered for each request (its first point
stands for it), in bounded memory.

Beyond that memory (two hours of twenty requests a second), and after a restart, one sample in a thousand can
meet another. The local history keeps the time as read: such a sample, sent again, replaces the one it met.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort

from edge_agent.model import Row

MAX_TIMES = 125_000
"""Of all requests together, at most 2 MB: two hours of twenty requests a second."""
FEWEST_TIMES = 16


class DistinctTimes:
    """distinct() for every row, put_back() when the clock was."""

    def __init__(self, max_times: int = MAX_TIMES) -> None:
        self._max_times = max_times
        self._used: dict[int, array[int]] = {}
        self._until_ms = -1
        self.highest_ms = -1

    def put_back(self) -> None:
        """Times up to the highest one may have been used before."""
        self._until_ms = self.highest_ms

    def distinct(self, row: Row) -> Row:
        """The row, at the next free millisecond when its own was used before the clock was put back.

        One without values, which says that a port or a slave went down, takes no value's place in any case.
        """
        t_ms, used = row.t_ms, self._used.get(row.points[0])
        if used is None:
            used = self._used[row.points[0]] = array("q")
        if t_ms > self._until_ms and row.values[0] is not None:
            if not used or t_ms > used[-1]:
                used.append(t_ms)
        else:
            theirs = [used] if row.values[0] is not None else self._of(row.points)  # of several requests
            while any(_holds(one, t_ms) for one in theirs):
                t_ms += 1
            insort(used, t_ms)
            if t_ms != row.t_ms:
                row = Row(row.points, t_ms, row.values, row.qualities)
        self.highest_ms = max(self.highest_ms, t_ms)
        limit = max(self._max_times // len(self._used), FEWEST_TIMES)
        if len(used) > 2 * limit:
            del used[:limit]
        return row

    def _of(self, points: tuple[int, ...]) -> list[array[int]]:
        return [self._used[point] for point in points if point in self._used]


def _holds(used: array[int], t_ms: int) -> bool:
    at = bisect_left(used, t_ms)
    return at < len(used) and used[at] == t_ms
