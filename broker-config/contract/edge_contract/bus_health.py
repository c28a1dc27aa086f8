"""What a pulse says of the requests to a slave (C-150, C-151)."""

from __future__ import annotations

from typing import Annotated

import msgspec

from edge_contract.fields import ControlMessage, Count, Duration, Millis, Name


class FaultCount(ControlMessage, frozen=True, kw_only=True):
    """Faults of one kind on the bus. code: with which the slave refused.

    kind: checksum, foreign_answer, bad_frame, exception, no_answer, port_down, connection_refused ...
    """

    kind: Name
    code: Count | None = None
    count: Count
    last_ms: Millis


class SlaveRequests(ControlMessage, frozen=True, kw_only=True):
    """Requests to a slave in the last minute, and its faults since since_ms.

    failures: requests that brought no value. mean_ms, max_ms: until the answer; absent without one.
    faults: the newest first.
    """

    requests: Count
    failures: Count
    mean_ms: Duration | None = None
    max_ms: Duration | None = None
    since_ms: Millis
    faults: Annotated[list[FaultCount], msgspec.Meta(max_length=32)] = []
