"""What a gateway says of the requests to its slaves."""

from __future__ import annotations

from pydantic import BaseModel


class FaultCount(BaseModel):
    """Faults of one kind on the bus of a slave. code: with which it refused."""

    kind: str
    code: int | None = None
    count: int
    last_ms: int


class SlaveRequests(BaseModel):
    """Requests to a slave in the minute before the last pulse, and its faults since since_ms.

    faults: the newest first. failures: requests without a value. mean_ms, max_ms: until the answer; null
    without one.
    """

    requests: int
    failures: int
    mean_ms: float | None = None
    max_ms: float | None = None
    since_ms: int
    faults: list[FaultCount] = []
