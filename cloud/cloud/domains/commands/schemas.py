"""Shapes of commands. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

Scalar = float | int | bool | str | None


class CommandBody(BaseModel):
    """W writes value to a data point, R reads the point now. wait: keep it for an offline gateway."""

    dsid: int = Field(ge=1, le=2**31 - 1)
    action: Literal["W", "R"]
    value: Scalar = None
    expires_s: int = Field(default=20, ge=1, le=300)
    wait: bool = False


class CommandRef(BaseModel):
    """A command that was taken."""

    id: str
    status: str


class CommandStatus(BaseModel):
    """create, send, then resp, fail, networkError, notAuthorized or error.

    result_value: what the gateway read back; code and detail: why it failed, in the gateway's words.
    """

    id: str
    status: str
    dsid: int
    action: str
    value: Scalar
    result_value: Scalar
    quality: int | None
    latency_ms: int | None
    code: str
    detail: str
    created_ms: int
    sent_ms: int | None
    finished_ms: int | None
    user: str
