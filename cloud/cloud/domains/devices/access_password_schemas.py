"""Shapes of a gateway's access password."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel

from cloud.core.secret import Secret


class AccessPasswordBody(BaseModel):
    """password: the new one; null takes it away."""

    password: Annotated[str, Secret(min_length=6)] | None


class AccessPasswordState(BaseModel):
    """Whether writes to the gateway need a password. changeable: by who asks; only he reads the rest."""

    is_set: bool
    changeable: bool = False
    changed_ms: int | None = None
    user: str = ""
