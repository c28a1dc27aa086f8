"""What the local page reports of collecting, since these parts of the agent began."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from edge_agent.model import Reads

MAX_GAPS = 50
SAME_MS = 10


@dataclass
class _Slave:
    expected: int = 0
    good: int = 0
    missed: Counter[str] = field(default_factory=Counter)


@dataclass
class _Gap:
    slave: str
    points: tuple[str, ...]
    reason: str
    by: str
    from_ms: int
    to_ms: int


class Summary:
    """Figures by slave, and the newest gaps."""

    def __init__(self, slaves: Iterable[str], now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._begun_ms = now_ms()
        self._slaves = {name: _Slave() for name in slaves}
        self._gaps: deque[_Gap] = deque(maxlen=MAX_GAPS)

    def add(self, reads: Reads, wall_ms: Callable[[float], int]) -> None:
        slave = self._slaves[reads.slave]
        slave.expected += reads.expected
        slave.good += reads.good
        if not reads.missed:
            return
        slave.missed[reads.reason] += reads.missed
        from_ms, to_ms = wall_ms(reads.from_s), wall_ms(reads.to_s)
        for gap in reversed(self._gaps):
            alike = (gap.slave, gap.reason, gap.by, gap.points) == (
                reads.slave, reads.reason, reads.by, reads.points
            )  # fmt: skip
            if alike and gap.from_ms - SAME_MS <= to_ms and from_ms <= gap.to_ms + SAME_MS:
                gap.from_ms, gap.to_ms = min(gap.from_ms, from_ms), max(gap.to_ms, to_ms)
                return
        self._gaps.append(_Gap(reads.slave, reads.points, reads.reason, reads.by, from_ms, to_ms))

    def snapshot(self) -> dict[str, Any]:
        """Since when, slaves in the order of the configuration, gaps with the newest first."""
        return {
            "since_ms": self._begun_ms,
            "slaves": [
                {"slave": name, "expected": one.expected, "good": one.good, "missed": dict(one.missed)}
                for name, one in self._slaves.items()
            ],
            "gaps": [
                {
                    "slave": gap.slave,
                    "points": list(gap.points[:20]),
                    "reason": gap.reason,
                    "by": gap.by,
                    "from_ms": gap.from_ms,
                    "to_ms": gap.to_ms,
                }
                for gap in reversed(self._gaps)
            ],
        }
