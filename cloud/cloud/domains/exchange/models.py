"""The tables of exchange rules. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, Float, ForeignKey, Integer, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class ExchangeRule(Base):
    """Values of one point for another: value * ratio + bias. A target has one rule.

    every_s: 0 sends each change; else at most one value in so many seconds. user_id: who saved it last, with
    whose rights it writes. granted_...: that user gave the access password of the target's gateway, when, and
    which one it was (its changed_ms); another password needs another grant. last_...: the newest command that
    came of it.

    home: where it runs (core.gateway_work.HomeKind); home_reason: why, as a code. gateway_ms: of the newest
    result of its gateway that was recorded.
    """

    __tablename__ = "exchange_rule"

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(100))
    enabled: Mapped[bool] = mapped_column(Boolean)
    source_device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), index=True)
    source_dsid: Mapped[int] = mapped_column(ForeignKey("data_point.id", ondelete="CASCADE"), index=True)
    target_device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), index=True)
    target_dsid: Mapped[int] = mapped_column(ForeignKey("data_point.id", ondelete="CASCADE"), unique=True)
    ratio: Mapped[float] = mapped_column(Float)
    bias: Mapped[float] = mapped_column(Float)
    every_s: Mapped[int] = mapped_column(Integer)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    created_ms: Mapped[int] = mapped_column(BigInteger)
    granted_ms: Mapped[int | None] = mapped_column(BigInteger)
    granted_user: Mapped[str] = mapped_column(String(64), default="")
    granted_password_ms: Mapped[int | None] = mapped_column(BigInteger)
    last_ms: Mapped[int | None] = mapped_column(BigInteger)
    last_value: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)
    last_command: Mapped[str | None] = mapped_column(String(40))
    last_problem: Mapped[str] = mapped_column(String(80), default="")
    home: Mapped[str] = mapped_column(String(10), default="cloud", server_default="cloud")
    home_reason: Mapped[str] = mapped_column(String(40), default="", server_default="")
    gateway_ms: Mapped[int | None] = mapped_column(BigInteger)


class ExchangeHome(Base):
    """Rules that a gateway runs itself (core.gateway_work.GatewayHolding)."""

    __tablename__ = "gateway_exchange"

    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    takes: Mapped[bool] = mapped_column(Boolean)
    hash: Mapped[str | None] = mapped_column(String(64))
    numbers: Mapped[list[int]] = mapped_column("rules", JSON, default=list)
    problems: Mapped[dict[str, str]] = mapped_column(JSON, default=dict)
    sent_hash: Mapped[str | None] = mapped_column(String(64))
    sent_numbers: Mapped[list[int]] = mapped_column("sent_rules", JSON, default=list)
