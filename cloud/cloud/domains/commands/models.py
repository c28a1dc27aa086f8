"""Every command that was asked for, with who asked: the audit; presets; access passwords. UTC in ms."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Integer, SmallInteger, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class CommandRow(Base):
    """One command. value: asked for; result_value: read back by the gateway.

    dsid: None for an action of the gateway as a whole; then slave and arguments belong to that action.
    address: where the request came from, empty for the cloud's own.
    """

    __tablename__ = "command"

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), index=True)
    dsid: Mapped[int | None] = mapped_column(Integer)
    user_id: Mapped[int] = mapped_column(Integer)
    user_name: Mapped[str] = mapped_column(String(64))
    address: Mapped[str] = mapped_column(String(64), default="")
    action: Mapped[str] = mapped_column(String(20))
    slave: Mapped[str | None] = mapped_column(String(64))
    arguments: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    batch_id: Mapped[str | None] = mapped_column(String(40), index=True)
    preset_id: Mapped[int | None] = mapped_column(Integer)
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


class CommandPreset(Base):
    """Writes that belong together, by name. writes: list of {"dsid", "value"} in the order of execution."""

    __tablename__ = "command_preset"
    __table_args__ = (UniqueConstraint("device_id", "title"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"))
    title: Mapped[str] = mapped_column(String(64))
    writes: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    changed_ms: Mapped[int] = mapped_column(BigInteger)
    user_name: Mapped[str] = mapped_column(String(64))


class AccessPassword(Base):
    """Asked for with every write to the gateway; no row: none is asked for. Argon2id."""

    __tablename__ = "access_password"

    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    password_hash: Mapped[str] = mapped_column(String(200))
    changed_ms: Mapped[int] = mapped_column(BigInteger)
    user_name: Mapped[str] = mapped_column(String(64))
