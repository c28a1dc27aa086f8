"""Who else has a gateway, and what they may do with it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class ShareBody(BaseModel):
    """Share a gateway with a user, or change what he may do. writes: read and write, else read only."""

    model_config = ConfigDict(extra="forbid")

    user_name: Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\x00]*$")]
    role: Literal["owner", "visitor"] = "visitor"
    writes: bool = False


class OwnerBody(BaseModel):
    """The user that a gateway is to belong to; null for the platform."""

    model_config = ConfigDict(extra="forbid")

    user_id: Annotated[int, Field(ge=1, le=2**31 - 1)] | None


class Share(BaseModel):
    """Another user's part in a gateway."""

    user_id: int
    user_name: str
    nick_name: str
    role: str
    writes: bool
    created_ms: int
