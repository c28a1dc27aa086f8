"""What a pulse says of the targets that a gateway forwards to (C-155, C-156)."""

from __future__ import annotations

from typing import Annotated

import msgspec

from edge_contract.fields import ControlMessage, Count, Millis, Name, Text

MAX_TARGETS = 20
MAX_TARGET_REJECTS = 5
"""In a pulse; the gateway keeps more."""


class TargetReject(ControlMessage, frozen=True, kw_only=True):
    """A record that a target refused. count: how many in a row for this reason; t_ms: of the newest."""

    t_ms: Millis
    record: Text
    reason: Text
    count: Count = 1


class TargetState(ControlMessage, frozen=True, kw_only=True):
    """The delivery ledger of one target, in the target's own records (batches, packets, messages).

    condition: up, down, off. since_ms: of the condition, 0 for none yet. waiting: batches that it has not
    passed; lost: batches that its bound took from it. last_ack_ms: 0 for never. rejects: the newest last.
    """

    name: Name
    kind: Name
    condition: Name
    since_ms: Millis = 0
    reason: Text = ""
    waiting_batches: Count = 0
    waiting_bytes: Count = 0
    lost_batches: Count = 0
    delivered: Count = 0
    repeated: Count = 0
    rejected: Count = 0
    last_ack_ms: Millis = 0
    rejects: Annotated[list[TargetReject], msgspec.Meta(max_length=MAX_TARGET_REJECTS)] = []


Targets = Annotated[list[TargetState], msgspec.Meta(max_length=MAX_TARGETS)]
