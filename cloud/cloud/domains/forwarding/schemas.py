"""Shapes of delivery ledgers. Times are UTC milliseconds, 0 for never."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

Condition = Literal["up", "down", "off"]


class RefusedRecord(BaseModel):
    """A record that the target refused. count: how many in a row for this reason; t_ms: of the newest."""

    t_ms: int
    record: str
    reason: str
    count: int


class TargetRow(BaseModel):
    """One target of a gateway, as the gateway said at reported_ms. Counts are of the target's own records.

    waiting: batches that wait at the gateway for this target; lost: batches that its bound took from it.
    condition: up, down or off; an agent may say another one. rejects: the newest first.
    """

    name: str
    kind: str
    condition: str
    since_ms: int
    reason: str
    waiting_batches: int
    waiting_bytes: int
    lost_batches: int
    delivered: int
    repeated: int
    rejected: int
    last_ack_ms: int
    rejects: list[RefusedRecord]
    reported_ms: int


class GatewayTargetRow(TargetRow):
    """With the gateway. online: whether what it said last may be of now."""

    device_id: int
    device_title: str
    gateway_id: str
    online: bool
