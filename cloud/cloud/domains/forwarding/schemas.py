"""Shapes of delivery ledgers. Times are UTC milliseconds, 0 for never."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

Condition = Literal["up", "connected", "down", "off"]
Wanted = Literal[Condition, "trouble"]
"""trouble: those that have taken nothing for so long that there is an alarm."""


class RefusedRecord(BaseModel):
    """given_up: the record never goes to the target; else an attempt failed, and it waits. count: how many
    for this reason; t_ms, record: of the newest.
    """

    t_ms: int
    record: str
    reason: str
    count: int
    given_up: bool


class TargetRow(BaseModel):
    """One target of a gateway, as the gateway said at reported_ms. Counts are of the target's own records.

    condition: up, connected (nothing of this connection was acknowledged yet), down or off; an agent may say
    another one. waiting_batches: that wait at the gateway for this target; lost: that its bound took from it.
    waiting_records: of what it sends; batches where that is not known. late: of the delivered ones, sent
    after the connection in which they were made. given_up: records that never go; failed: attempts, whose
    records wait. next_try_ms: by the gateway's clock, when one that is down is tried again, 0 for no time.
    trouble_since_ms: since when it takes nothing, 0 when it does. rejects: the newest first.
    """

    name: str
    kind: str
    condition: str
    since_ms: int
    reason: str
    waiting_batches: int
    waiting_bytes: int
    waiting_records: int
    lost_batches: int
    delivered: int
    late: int
    repeated: int
    given_up: int
    failed: int
    last_ack_ms: int
    next_try_ms: int
    trouble_since_ms: int
    rejects: list[RefusedRecord]
    reported_ms: int


class GatewayTargetRow(TargetRow):
    """With the gateway. online: whether what it said last may be of now."""

    device_id: int
    device_title: str
    gateway_id: str
    online: bool
