"""What processes of one cloud tell each other, so that a browser at any of them sees what came in at another.

All of them speak and listen on one topic (C-110 to C-113); no gateway may do either.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import msgspec

from edge_contract.fields import ControlMessage, Hex16, Millis
from edge_contract.model import Value

PUSH_TOPIC = "edge/v1/cloud/push"

NOTICE_S = 10.0
"""A process with browsers repeats its notice this often."""

NOTICE_EXPIRES_S = 25.0
"""A notice that was not repeated for so long counts no more: its process is gone."""

MAX_NOTICE_POINTS = 20_000
MAX_PUSH_ROWS = 2000

Number = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]
Quality = Annotated[int, msgspec.Meta(ge=0, le=255)]
Word = Annotated[str, msgspec.Meta(max_length=64)]
Path = Annotated[str, msgspec.Meta(max_length=400)]


class PushKind(StrEnum):
    """What a message is, and which fields it has."""

    ASK = "ask"  # a process that has just connected: every other one sends its notice
    NOTICE = "notice"  # clients, points or every_point: what the sender's browsers listen to
    VALUES = "values"  # device, rows
    SUBSCRIBED = "subscribed"  # device, message: to those who subscribed to the gateway
    SEEN = "seen"  # message, permission, owner_path, shared_with: to those who see a gateway
    USER = "user"  # user, message: to every socket of one user
    ENDED = "ended"  # sign_in: its sockets are closed
    INVALIDATED = "doubted"  # device, user or neither for all: what their sockets may see is checked anew


NEEDED: dict[PushKind, tuple[str, ...]] = {
    PushKind.VALUES: ("device", "rows"),
    PushKind.SUBSCRIBED: ("device", "message"),
    PushKind.SEEN: ("permission", "message"),
    PushKind.USER: ("user", "message"),
    PushKind.ENDED: ("sign_in",),
}


class Push(ControlMessage, frozen=True, kw_only=True):
    """process: random number of the sender, of this start. rows: (dsid, t_ms, value, quality)."""

    process: Hex16
    kind: PushKind
    clients: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    points: Annotated[list[Number], msgspec.Meta(max_length=MAX_NOTICE_POINTS)] = []
    every_point: bool = False  # more points than a notice can name
    device: Number | None = None
    rows: Annotated[list[tuple[Number, Millis, Value, Quality]], msgspec.Meta(max_length=MAX_PUSH_ROWS)] = []
    message: dict[str, Any] = {}  # as a browser gets it
    permission: Word = ""
    owner_path: Path = ""  # of the user that the gateway belongs to
    shared_with: Annotated[list[Number], msgspec.Meta(max_length=1000)] = []
    user: Number | None = None
    sign_in: Word = ""

    def __post_init__(self) -> None:
        for name in NEEDED.get(self.kind, ()):
            if not getattr(self, name):
                raise ValueError(f"{name} is needed in a message of kind {self.kind.value}")
