"""Every command with who requested it; presets. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    ForeignKey,
    Index,
    Integer,
    SmallInteger,
    String,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base

_UNKNOWN = text("outcome = 'unknown'")


class CommandRow(Base):
    """One command. value: requested; result_value: read back by the gateway; result_values: of a try, outputs
    and state by name.

    dsid: None for an action of the gateway itself; then slave and arguments belong to that action. address:
    where the request came from, empty for the cloud's own. outcome: of the contract, empty while it waits;
    seen_ms: when the value that resolved an unknown outcome was read. sent_ms: when it was given to the
    broker, which may have taken it. target: the names of whom it is for, as they were. request_id: the
    client's own, of the first command of a request; request_hash: of that request's content. origin_kind,
    origin_id, origin_title: of a CommandOrigin, the rule or task that requested it as it was called then.
    audit_due: the audit has yet to be told.
    """

    __tablename__ = "command"
    __table_args__ = (
        Index("uq_command_request", "user_id", "request_id", unique=True),
        Index("ix_command_device", "device_id", "origin_kind", "created_ms"),
        Index("ix_command_origin", "origin_kind", "origin_id", "created_ms"),
        Index("ix_command_unknown", "finished_ms", sqlite_where=_UNKNOWN, postgresql_where=_UNKNOWN),
    )

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"))
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
    result_values: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    quality: Mapped[int | None] = mapped_column(SmallInteger)
    latency_ms: Mapped[int | None] = mapped_column(Integer)
    code: Mapped[str] = mapped_column(String(200), default="")
    detail: Mapped[str] = mapped_column(String(200), default="")
    outcome: Mapped[str] = mapped_column(String(20), default="")
    seen_ms: Mapped[int | None] = mapped_column(BigInteger)
    target: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    request_id: Mapped[str | None] = mapped_column(String(64))
    request_hash: Mapped[str | None] = mapped_column(String(64))
    origin_kind: Mapped[str | None] = mapped_column(String(10))
    origin_id: Mapped[int | None] = mapped_column(Integer)
    origin_title: Mapped[str] = mapped_column(String(200), default="", server_default="")
    audit_due: Mapped[bool] = mapped_column(default=False, index=True)


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
