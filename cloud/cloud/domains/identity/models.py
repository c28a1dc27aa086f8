"""Tables of users and their sessions. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, ForeignKey, Index, Integer, SmallInteger, String
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base
from cloud.domains.identity.names import name_key


def _key(inserted: DefaultExecutionContext) -> str:
    return name_key(inserted.get_current_parameters()["user_name"])  # type: ignore[no-untyped-call]


class User(Base):
    """A person. user_type: 0 platform, 1 factory, 2 agent, 3 enterprise, 4 personal, 5 and 6 registered.

    name_key: made of user_name, which stays; twins from before keys have '~' and their id behind it.
    """

    __tablename__ = "user"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    user_name: Mapped[str] = mapped_column(String(64), unique=True)
    name_key: Mapped[str] = mapped_column(String(80), unique=True, default=_key)
    nick_name: Mapped[str] = mapped_column(String(64), default="")
    password_hash: Mapped[str] = mapped_column(String(200))
    user_type: Mapped[int] = mapped_column(SmallInteger)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("user.id"), index=True)
    path: Mapped[str] = mapped_column(String(400), default="", index=True)  # /1/7/: all above, itself last
    group_id: Mapped[int | None] = mapped_column(Integer)  # of auth_group, which refers to this table
    phone: Mapped[str] = mapped_column(String(40), default="")
    email: Mapped[str] = mapped_column(String(200), default="")
    remark: Mapped[str] = mapped_column(String(500), default="")
    last_login_ms: Mapped[int | None] = mapped_column(BigInteger)
    status: Mapped[int] = mapped_column(SmallInteger, default=1)  # 0 disabled, 1 normal
    expire_ms: Mapped[int | None] = mapped_column(BigInteger)
    bigscreen_title: Mapped[str] = mapped_column(String(100), default="")
    created_ms: Mapped[int] = mapped_column(BigInteger)


class AuthGroup(Base):
    """A named set of permissions for users below its owner. permissions: codes."""

    __tablename__ = "auth_group"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), index=True)
    title: Mapped[str] = mapped_column(String(100))
    user_type: Mapped[int] = mapped_column(SmallInteger)
    permissions: Mapped[list[str]] = mapped_column(JSON, default=list)
    remark: Mapped[str] = mapped_column(String(500), default="")
    created_ms: Mapped[int] = mapped_column(BigInteger)


class AuthRule(Base):
    """What the platform changed of a permission. types: digits of user types; null where it did not."""

    __tablename__ = "auth_rule"

    code: Mapped[str] = mapped_column(String(64), primary_key=True)
    zh: Mapped[str | None] = mapped_column(String(100))
    en: Mapped[str | None] = mapped_column(String(100))
    types: Mapped[str | None] = mapped_column(String(7))
    enabled: Mapped[bool] = mapped_column(Boolean, default=True)


class UserLimit(Base):
    """How many of a resource a user and everybody below him may have together; no row is no limit."""

    __tablename__ = "user_limit"

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), primary_key=True)
    resource: Mapped[str] = mapped_column(String(20), primary_key=True)
    maximum: Mapped[int] = mapped_column(Integer)


class LoginLog(Base):
    """One attempt to sign in. result: ok, wrong, locked, disabled, expired, refused_type or above."""

    __tablename__ = "login_log"
    __table_args__ = (Index("ix_login_log_user_id", "user_id", "result", "id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at_ms: Mapped[int] = mapped_column(BigInteger, index=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"))
    user_name: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64))
    agent: Mapped[str] = mapped_column(String(200), default="")
    result: Mapped[str] = mapped_column(String(20))


class UserSession(Base):
    """One pair of tokens, as hashes. family: all pairs that came from one sign-in."""

    __tablename__ = "user_session"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"), index=True)
    family: Mapped[str] = mapped_column(String(32), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    refresh_hash: Mapped[str] = mapped_column(String(64), unique=True)
    expires_ms: Mapped[int] = mapped_column(BigInteger)
    refresh_expires_ms: Mapped[int] = mapped_column(BigInteger, index=True)
    rotated_ms: Mapped[int | None] = mapped_column(BigInteger)  # when the refresh token was used


class DictionaryEntry(Base):
    """An entry of the dictionary; without a row it has its default."""

    __tablename__ = "dictionary_entry"

    key: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)
    changed_ms: Mapped[int] = mapped_column(BigInteger)
    user_name: Mapped[str] = mapped_column(String(64))
