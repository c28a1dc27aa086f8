"""Shapes of sign-in and of the signed-in user."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BaseModel, Field

from cloud.core.scope import Scope
from cloud.core.secret import Secret


class LoginBody(BaseModel):
    """Sign-in. The user name is trimmed."""

    username: str = Field(max_length=64)
    password: Annotated[str, Secret()]


class RefreshBody(BaseModel):
    """Both tokens of the running session."""

    token: Annotated[str, Secret(max_length=100)]
    refresh_token: Annotated[str, Secret(max_length=100)]


class Tokens(BaseModel):
    """expires_in: seconds until the token ends."""

    token: str
    refresh_token: str
    expires_in: int


class UserInfo(BaseModel):
    """The signed-in user. user_expire: UTC milliseconds, null for never."""

    user_id: int
    user_name: str
    nick_name: str
    status: int
    user_type: int
    bigscreen_title: str
    user_expire: int | None


@dataclass(frozen=True)
class CurrentUser:
    """Who is asking, what they may do and see. sign_in: names every session that came from one sign-in.

    given: access passwords of gateways that came with the request. granted: what stands for one in the user's
    absence, as devices.access_passwords.refuse returned when he gave it.
    """

    id: int
    name: str
    user_type: int
    permissions: frozenset[str]
    sign_in: str
    scope: Scope
    given: Mapping[int, str] = field(default_factory=dict, repr=False, compare=False)
    granted: Mapping[int, int] = field(default_factory=dict, repr=False, compare=False)

    def may(self, permission: str) -> bool:
        return permission in self.permissions
