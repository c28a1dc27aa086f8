"""Tables of alarm events and of what users have read. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, ForeignKey, Index, Integer, SmallInteger, String
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base
from cloud.domains.alarms.codes import RECOVERIES
from cloud.domains.alarms.life_cycle import Facts, State, state_of


def _state(context: DefaultExecutionContext) -> str:
    """Of a new row."""
    columns: dict[str, Any] = context.get_current_parameters()  # type: ignore[no-untyped-call]
    if columns["alarm_type"] in RECOVERIES:
        return State.NORMAL.value
    facts = Facts(
        columns.get("quiet") or "",
        columns.get("recovered_ms") is not None,
        columns.get("acked_ms") is not None,
        bool(columns.get("latched")),
        columns.get("parent_id") is not None,
    )
    return state_of(facts).value


class AlarmEvent(Base):
    """Something happened at a gateway. alarm_type: a code of codes.py; status: one of states.py.

    level: an own level of the platform (option alarm_levels), when the event has one. cause: a reason code.
    origin: what it came from, so that it comes from there only once. rule_id: of the trigger's rule that made
    it, reason: what that rule said then. announced: how often, the first time included; last_ms: the last
    time.

    state: of life_cycle.py, follows from the others; quiet: shelved, suppressed, out_of_service or empty;
    latched: stands until it is acknowledged; parent_id: the event that is its root cause.
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
    since_ms: Mapped[int | None] = mapped_column(BigInteger)  # when its cause began
    recovered_ms: Mapped[int | None] = mapped_column(BigInteger)
    status: Mapped[int] = mapped_column(SmallInteger, default=0)
    handled_by: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"))
    handled_name: Mapped[str] = mapped_column(String(64), default="")
    handled_ms: Mapped[int | None] = mapped_column(BigInteger)
    note: Mapped[str] = mapped_column(String(500), default="")
    origin: Mapped[str | None] = mapped_column(String(80), unique=True)
    rule_id: Mapped[int | None] = mapped_column(Integer, index=True)
    reason: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    announced: Mapped[int] = mapped_column(Integer, default=1, server_default="1")
    last_ms: Mapped[int | None] = mapped_column(BigInteger)
    state: Mapped[str] = mapped_column(String(16), default=_state, index=True)
    quiet: Mapped[str] = mapped_column(String(16), default="")
    latched: Mapped[bool] = mapped_column(Boolean, default=False)
    acked_ms: Mapped[int | None] = mapped_column(BigInteger)
    acked_by: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"))
    acked_name: Mapped[str] = mapped_column(String(64), default="")
    parent_id: Mapped[int | None] = mapped_column(
        ForeignKey("alarm_event.id", ondelete="SET NULL"), index=True
    )


class AlarmChange(Base):
    """What happened to an alarm. what: a Change of life_cycle.py; before, after: its states; user_id,
    user_name: who, empty when time or values did.
    """

    __tablename__ = "alarm_change"

    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("alarm_event.id", ondelete="CASCADE"), index=True)
    what: Mapped[str] = mapped_column(String(16))
    before: Mapped[str] = mapped_column(String(16))
    after: Mapped[str] = mapped_column(String(16))
    at_ms: Mapped[int] = mapped_column(BigInteger)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"))
    user_name: Mapped[str] = mapped_column(String(64), default="")
    note: Mapped[str] = mapped_column(String(500), default="")


class Suppression(Base):
    """Alarms that are kept quiet for a time. kind: shelved, maintenance or out_of_service; rule_id: of which
    rule at the gateway; without one all its alarms (maintenance), or that of its outage (shelved).

    Its number is never given again: who ends one must not end the next.
    """

    __tablename__ = "alarm_suppression"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    device_id: Mapped[int] = mapped_column(ForeignKey("device.id", ondelete="CASCADE"), index=True)
    rule_id: Mapped[int | None] = mapped_column(Integer)
    title: Mapped[str] = mapped_column(String(200))
    reason: Mapped[str] = mapped_column(String(500))
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"))
    user_name: Mapped[str] = mapped_column(String(64))
    begin_ms: Mapped[int] = mapped_column(BigInteger)
    until_ms: Mapped[int] = mapped_column(BigInteger, index=True)
    ended_ms: Mapped[int | None] = mapped_column(BigInteger, index=True)  # None: it lasts
    ended_name: Mapped[str] = mapped_column(String(64), default="")  # empty: by itself


class EventMark(Base):
    """Up to when a user has read the events of a kind (alarm or onoffline)."""

    __tablename__ = "event_mark"

    user_id: Mapped[int] = mapped_column(
        ForeignKey("user.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    kind: Mapped[str] = mapped_column(String(10), primary_key=True)
    read_ms: Mapped[int] = mapped_column(BigInteger)
