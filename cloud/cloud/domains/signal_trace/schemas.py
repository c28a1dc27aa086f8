"""Shapes of traces. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

GatewayState = Literal["waiting", "running", "silent", "offline", "not_supported"]
"""Of what the gateway sends: it was asked; it sends; it did not answer; it is away; its agent is too old."""


class TraceState(BaseModel):
    """A trace that runs. It ends expires_s after this answer unless it is renewed, which is wanted every
    renew_s. Entries come over the WebSocket as messages of type `strace`.
    """

    trace: str
    state: GatewayState
    renew_s: int
    expires_s: int


class TraceRow(BaseModel):
    """A trace on record. ended_ms: null while it runs; why: done (ended by the user), expired, access (taken
    away), user (may trace no more), stopped or restart (of the cloud). entries: that the user was sent.
    """

    trace: str
    device_id: int
    device_title: str
    gateway_id: str
    user: str
    address: str
    started_ms: int
    ended_ms: int | None
    why: str
    entries: int
