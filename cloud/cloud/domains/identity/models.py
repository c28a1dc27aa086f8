"""Tables of users and their sessions. Times are UTC milliseconds."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class User(Base):
    """A person. user_type: 0 platform, 1 factory, 2 agent, 3 enterprise, 4 personal, 5 and 6 registered."""

    __tablename__ = "user"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_name: Mapped[str] = mapped_column(String(64), unique=True)
    nick_name: Mapped[str] = mapped_column(String(64), default="")
    password_hash: Mapped[str] = mapped_column(String(200))
    user_type: Mapped[int] = mapped_column(SmallInteger)
    status: Mapped[int] = mapped_column(SmallInteger, default=1)  # 0 disabled, 1 normal
    expire_ms: Mapped[int | None] = mapped_column(BigInteger)
    bigscreen_title: Mapped[str] = mapped_column(String(100), default="")
    created_ms: Mapped[int] = mapped_column(BigInteger)


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
