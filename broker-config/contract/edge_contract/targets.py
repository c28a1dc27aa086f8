"""What a pulse says of the targets that a gateway forwards to (C-155, C-156)."""

from __future__ import annotations

from typing import Annotated

import msgspec

from edge_contract.fields import ControlMessage, Count, Millis, Name, Text
from edge_contract.limits import MAX_TARGET_REASON

MAX_TARGETS = 20
MAX_TARGET_REJECTS = 5
"""In a pulse; the gateway keeps more."""


Reason = Annotated[str, msgspec.Meta(max_length=MAX_TARGET_REASON)]


class TargetReject(ControlMessage, frozen=True, kw_only=True):
    """What failed. given_up: the record never goes to the target; else an attempt failed, and it waits.

    count: how many for this reason; t_ms, record: of the newest.
    """

    t_ms: Millis
    record: Text
    reason: Reason
    count: Count = 1
    given_up: bool = False


class TargetState(ControlMessage, frozen=True, kw_only=True):
    """The delivery ledger of one target, in the target's own records (batches, packets, messages).

    condition: connected (nothing of this connection was acknowledged yet), up, down, off. since_ms: of the
    condition, 0 for none yet. waiting_batches: that it has not passed; lost: that its bound took from it.
    waiting_records: None: not said. late: of the delivered ones, sent after the connection in which they were
    made. given_up: records that never go; failed: attempts, whose records wait. last_ack_ms: 0 for never.
    next_try_ms: when one that is down is tried again, 0 for none planned. rejects: the newest last.
    """

    name: Name
    kind: Name
    condition: Name
    since_ms: Millis = 0
    reason: Reason = ""
    waiting_batches: Count = 0
    waiting_bytes: Count = 0
    waiting_records: Count | None = None
    lost_batches: Count = 0
    delivered: Count = 0
    late: Count = 0
    repeated: Count = 0
    given_up: Count = 0
    failed: Count = 0
    last_ack_ms: Millis = 0
    next_try_ms: Millis = 0
    rejects: Annotated[list[TargetReject], msgspec.Meta(max_length=MAX_TARGET_REJECTS)] = []


Targets = Annotated[list[TargetState], msgspec.Meta(max_length=MAX_TARGETS)]
