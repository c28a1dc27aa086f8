"""What became of the requests to one slave: those of the last minute, and faults by kind. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor

from edge_agent.errors import DeviceRefused, FieldbusError
from edge_agent.model import FaultCount, RequestState

WINDOW_S = 60.0
BUCKET_S = 5.0
BUCKETS = round(WINDOW_S / BUCKET_S)
MAX_KINDS = 12
"""Kinds and codes that are distinguished; further codes are counted together, by their kind."""


@dataclass(slots=True)
class _Bucket:
    """BUCKET_S of requests. answers: also those by which a request was refused."""

    number: int
    requests: int = 0
    failures: int = 0
    answers: int = 0
    sum_ms: float = 0.0
    max_ms: float = 0.0


class RequestCounts:
    """Monotonic times in s come in. since_ms: wall clock at which counting began."""

    def __init__(self, since_ms: int) -> None:
        self._since_ms = since_ms
        self._buckets = [_Bucket(-1) for _ in range(BUCKETS)]
        self._faults: dict[tuple[str, int | None], FaultCount] = {}

    def record_request(self, now: float) -> None:
        """A request was put on the wire."""
        self._at(now).requests += 1

    def answered(self, took_ms: float, now: float) -> None:
        """A sound answer came, an error of the slave's own included."""
        bucket = self._at(now)
        bucket.answers += 1
        bucket.sum_ms += took_ms
        bucket.max_ms = max(bucket.max_ms, took_ms)

    def failed(self, error: FieldbusError, now: float, t_ms: int) -> None:
        """A request brought no value."""
        self._at(now).failures += 1
        self.fault(error, t_ms)

    def fault(self, error: FieldbusError, t_ms: int) -> None:
        """What was wrong, also without a request: the port could not be opened."""
        key = error.kind, error.device_code if isinstance(error, DeviceRefused) else None
        if key not in self._faults and len(self._faults) >= MAX_KINDS:
            key = error.kind, None
        known = self._faults.get(key, FaultCount(*key, 0, 0))
        self._faults[key] = replace(known, count=known.count + 1, last_ms=t_ms)

    def state(self, now: float) -> RequestState:
        """Counters since the start and of the last minute. now: seconds, monotonic."""
        newest = floor(now / BUCKET_S)
        recent = [bucket for bucket in self._buckets if bucket.number > newest - BUCKETS]
        answers = sum(bucket.answers for bucket in recent)
        return RequestState(
            requests=sum(bucket.requests for bucket in recent),
            failures=sum(bucket.failures for bucket in recent),
            mean_ms=round(sum(bucket.sum_ms for bucket in recent) / answers, 1) if answers else None,
            max_ms=round(max(bucket.max_ms for bucket in recent), 1) if answers else None,
            since_ms=self._since_ms,
            faults=tuple(sorted(self._faults.values(), key=lambda one: -one.last_ms)),
        )

    def _at(self, now: float) -> _Bucket:
        number = floor(now / BUCKET_S)
        bucket = self._buckets[number % BUCKETS]
        if bucket.number != number:
            bucket = self._buckets[number % BUCKETS] = _Bucket(number)
        return bucket
