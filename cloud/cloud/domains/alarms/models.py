"""Tables of alarm events and of what users have read. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import Base


class AlarmEvent(Base):
    """Something happened at a gateway. alarm_type: a code of codes.py; status: one of states.py.

    level: an own level of the platform (option alarm_levels), when the event has one. cause: a reason code.
    origin: what it came from, so that it comes from there only once.
    """

    __tablename__ = "alarm_event"
    __table_args__ = (Index("ix_alarm_event_device", "device_id", "at_ms"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    at_ms: Mapped[int] = mapped_column(BigInteger, index=True)
    noted_ms: Mapped[int] = mapped_column(BigInteger, index=True)  # when this row was made
    alarm_type: Mapped[int] = mapped_column(Integer)
    level: Mapped[int | None] = mapped_column(Integer)
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"))
    slave_id: Mapped[int | None] = mapped_column(
        ForeignKey("slave_device.id", ondelete="CASCADE"), index=True
    )
    dsid: Mapped[int | None] = mapped_column(ForeignKey("data_point.id", ondelete="SET NULL"), index=True)
    title: Mapped[str] = mapped_column(String(200), default="")
    cause: Mapped[str] = mapped_column(String(200), default="")
    value: Mapped[Any] = mapped_column(JSON(none_as_null=True), nullable=True)
    since_ms: Mapped[int | None] = mapped_column(BigInteger)  # when what it tells of began
    recovered_ms: Mapped[int | None] = mapped_column(BigInteger)
    status: Mapped[int] = mapped_column(SmallInteger, default=0)
    handled_by: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"))
    handled_name: Mapped[str] = mapped_column(String(64), default="")
    handled_ms: Mapped[int | None] = mapped_column(BigInteger)
    note: Mapped[str] = mapped_column(String(500), default="")
    origin: Mapped[str | None] = mapped_column(String(80), unique=True)


class EventMark(Base):
    """Up to when a user has read the events of a kind (alarm or onoffline)."""

    __tablename__ = "event_mark"

    user_id: Mapped[int] = mapped_column(
        ForeignKey("user.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    kind: Mapped[str] = mapped_column(String(10), primary_key=True)
    read_ms: Mapped[int] = mapped_column(BigInteger)
