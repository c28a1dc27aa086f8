"""Settings by name: of the platform, of the cloud (dictionary), of each user. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class PlatformOption(Base):
    """An option that the platform set; without a row it has its default."""

    __tablename__ = "platform_option"

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)
    changed_ms: Mapped[int] = mapped_column(BigInteger)
    user_name: Mapped[str] = mapped_column(String(64))


class UserOption(Base):
    """An option that a user set for himself."""

    __tablename__ = "user_option"

    user_id: Mapped[int] = mapped_column(
        ForeignKey("user.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[Any] = mapped_column(JSON)
    changed_ms: Mapped[int] = mapped_column(BigInteger)
