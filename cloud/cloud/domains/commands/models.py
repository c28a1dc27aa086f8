"""Every command that was asked for, with who asked: the audit. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class CommandRow(Base):
    """One command. value: asked for; result_value: read back by the gateway."""

    __tablename__ = "command"

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), index=True)
    dsid: Mapped[int] = mapped_column(Integer)
    user_id: Mapped[int] = mapped_column(Integer)
    user_name: Mapped[str] = mapped_column(String(64))
    action: Mapped[str] = mapped_column(String(1))
    value: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)
    status: Mapped[str] = mapped_column(String(20), index=True)
    wait: Mapped[bool] = mapped_column(default=False)
    created_ms: Mapped[int] = mapped_column(BigInteger)
    expires_ms: Mapped[int] = mapped_column(BigInteger)
    sent_ms: Mapped[int | None] = mapped_column(BigInteger)
    finished_ms: Mapped[int | None] = mapped_column(BigInteger)
    result_value: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)
    quality: Mapped[int | None] = mapped_column(SmallInteger)
    latency_ms: Mapped[int | None] = mapped_column(Integer)
    code: Mapped[str] = mapped_column(String(200), default="")
    detail: Mapped[str] = mapped_column(String(200), default="")
