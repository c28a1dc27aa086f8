"""Words of the agent: what a port, a slave and a point are at run time. Values are the contract's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Literal, Protocol

from edge_contract.model import Quality, Row, Sample, Value

__all__ = [
    "DeviceState",
    "Direction",
    "ExpectedLoad",
    "PointKey",
    "PointKind",
    "Quality",
    "Reads",
    "RecordMode",
    "Row",
    "Sample",
    "Seen",
    "Span",
    "Value",
]

Direction = Literal["request", "answer"]

Seen = Callable[[Direction, bytes], None]
"""Takes what a port sent or received, as it left or arrived."""

Span = tuple[float, float]
"""Beginning and end in seconds of the monotonic clock."""


class PointKind(StrEnum):
    """dsType of the specification."""

    NUMERIC = "num"
    STRING = "str"
    LOCATION = "loc"
    SWITCH = "swh"
    CALCULATED = "cal"


class RecordMode(IntEnum):
    """What of a point is stored."""

    NONE = 0
    ALWAYS = 1
    ON_CHANGE = 2


@dataclass(frozen=True)
class PointKey:
    """Name of a point within a gateway."""

    slave: str
    point: str

    def __str__(self) -> str:
        return f"{self.slave}.{self.point}"


@dataclass(frozen=True)
class RefusedBlock:
    """Points that a slave refused to be asked together, by name, and the code with which it did."""

    points: list[str]
    device_code: int


@dataclass(frozen=True)
class FaultCount:
    """Faults of one kind (errors.FieldbusError.kind). code: with which a slave refused; None for others."""

    kind: str
    code: int | None
    count: int
    last_ms: int


@dataclass(frozen=True)
class RequestState:
    """What became of the requests to a slave in the last minute, and its faults since since_ms.

    failures: without a value, refused ones included. mean_ms, max_ms: until the answer; None without one.
    faults: the newest first.
    """

    requests: int
    failures: int
    mean_ms: float | None
    max_ms: float | None
    since_ms: int
    faults: tuple[FaultCount, ...] = ()


@dataclass(frozen=True)
class DeviceState:
    """Bus layer of presence of one slave. last_good_ms: last good frame, 0 when there was none.

    heard: it answered when it was last asked, also when its port is locked now.
    """

    slave: str
    online: bool
    last_good_ms: int
    reason: str
    reads: int = 0
    failures: int = 0
    turnaround_ms: float = 0.0
    heard: bool = False
    bus: RequestState | None = None


@dataclass(frozen=True)
class Reads:
    """Consecutive periods of points that are read together, with one outcome.

    A read is one point in one period. grid: which points of the slave. slots: how many periods, 0 when this
    describes a part of some that are described by another. reason: why reads are missing
    (edge_contract.collection.Missed); by: who locked the port; points: that are missing, none when the
    slave is.
    """

    slave: str
    grid: int
    from_s: float
    to_s: float
    slots: int
    expected: int
    good: int
    missed: int = 0
    reason: str = ""
    by: str = ""
    points: tuple[str, ...] = ()


class ExpectedLoad(Protocol):
    """What a port will have to do (bus.budget). used_percent: of its time."""

    @property
    def port(self) -> str: ...
    @property
    def used_percent(self) -> float: ...
    @property
    def fits(self) -> bool: ...
