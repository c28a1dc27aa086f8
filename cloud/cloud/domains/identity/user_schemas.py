"""Shapes of users and of the sign-in log. Times are UTC milliseconds; an absent field of a change stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from cloud.core.secret import Secret

MAX_MS = 2**53

Name = Annotated[str, Field(max_length=64)]
Word = Annotated[str, Secret()]
Nick = Annotated[str, Field(max_length=64, pattern=r"^[^\x00]*$")]
Phone = Annotated[str, Field(max_length=40, pattern=r"^[0-9+() -]*$")]
Email = Annotated[str, Field(max_length=200, pattern=r"^([^@\s\x00]+@[^@\s\x00]+)?$")]
Remark = Annotated[str, Field(max_length=500, pattern=r"^[^\x00]*$")]
Title = Annotated[str, Field(max_length=100, pattern=r"^[^\x00]*$")]
Type = Annotated[int, Field(ge=0, le=6)]
Key = Annotated[int, Field(ge=1, le=2**31 - 1)]
Expiry = Annotated[int, Field(ge=0, le=MAX_MS)]
Status = Literal[0, 1]
Maximum = Annotated[int, Field(strict=True, ge=0, le=1_000_000)]


@dataclass(frozen=True)
class UserQuery:
    """search looks into names, phone and address; sort takes '-' to reverse. Empty: everything.

    expired: False also for users without an expiry.
    """

    search: str = ""
    types: frozenset[int] = frozenset()
    status: int | None = None
    sort: str = ""
    expired: bool | None = None


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class UserLimits(_Body):
    """Most projects and gateways of a user and everybody below him together; null: no limit of his own.

    An absent field stays.
    """

    projects: Maximum | None = None
    devices: Maximum | None = None


class UserRow(BaseModel):
    """A user in a list. status: 0 disabled, 1 normal. parent: null when whoever asks may not see it."""

    user_id: int
    user_name: str
    nick_name: str
    user_type: int
    status: int
    user_expire: int | None
    phone: str
    email: str
    group_id: int | None
    group_title: str | None
    parent_id: int | None
    parent_name: str | None
    bigscreen_title: str
    created_ms: int
    last_login_ms: int | None
    remark: str
    limits: UserLimits


class LimitState(BaseModel):
    """One resource. limit: the user's own, null is none. bound: the least of his and those above him.

    used: what belongs to him and to everybody below him.
    """

    resource: Literal["projects", "devices"]
    limit: int | None
    bound: int | None
    used: int


class MadeUser(UserRow):
    """A new user. password: the one that was made for it, returned once; null when it was given."""

    password: str | None


class NewPassword(BaseModel):
    """password: the one that was made, returned once; null when it was given."""

    password: str | None


class UserBody(_Body):
    """A new user. parent_id: below whom, the asker when left out; password: made when left out."""

    user_name: Name
    user_type: Type
    password: Word | None = None
    nick_name: Nick = ""
    status: Status = 1
    user_expire: Expiry | None = None
    phone: Phone = ""
    email: Email = ""
    group_id: Key | None = None
    parent_id: Key | None = None
    bigscreen_title: Title = ""
    remark: Remark = ""
    limits: UserLimits = UserLimits()


class UserChange(_Body):
    """What is to change of a user; parent_id moves him and everybody below him."""

    user_type: Type = 0
    nick_name: Nick = ""
    user_expire: Expiry | None = None
    phone: Phone = ""
    email: Email = ""
    group_id: Key | None = None
    parent_id: Key = 1
    bigscreen_title: Title = ""
    remark: Remark = ""
    limits: UserLimits = UserLimits()


class PasswordBody(_Body):
    """A password for somebody else; one is made when left out."""

    password: Word | None = None


class UserStatusBody(_Body):
    """0 disabled, 1 normal."""

    status: Status


class Profile(BaseModel):
    """The signed-in user's own data. demo: nothing of it may be changed."""

    user_id: int
    user_name: str
    nick_name: str
    user_type: int
    user_expire: int | None
    phone: str
    email: str
    group_title: str | None
    bigscreen_title: str
    created_ms: int
    last_login_ms: int | None
    demo: bool


class ProfileChange(_Body):
    """What is to change of one's own data."""

    nick_name: Nick = ""
    phone: Phone = ""
    email: Email = ""
    bigscreen_title: Title = ""


class OwnPassword(_Body):
    """old: the present password; both may be transformed."""

    old: Word
    new: Word


class SignInRow(BaseModel):
    """One attempt to sign in. result: ok, wrong, locked, disabled, expired, refused_type or above
    (a user above him is disabled or expired).
    """

    id: int
    at_ms: int
    user_id: int | None
    user_name: str
    address: str
    agent: str
    result: str
