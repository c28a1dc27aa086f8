"""Tables of timed tasks. Times are UTC milliseconds."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, ForeignKey, Index, Integer, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from cloud.db import NUMBERS_ONCE, Base


class HolidayCalendar(Base):
    """off: days on which tasks do not run; on: days on which they do whatever their weekday is."""

    __tablename__ = "holiday_calendar"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    title: Mapped[str] = mapped_column(String(100))
    off: Mapped[list[str]] = mapped_column(JSON)
    on: Mapped[list[str]] = mapped_column(JSON)
    created_ms: Mapped[int] = mapped_column(BigInteger)
    changed_ms: Mapped[int] = mapped_column(BigInteger)


class Task(Base):
    """schedule: a ScheduleBody; actions: ActionBody each. version: rises with each change.

    after_ms: runs up to here have been decided; next_ms: the next one, null for none. user_id: who saved it
    last, with whose rights it runs. granted: which access passwords (their changed_ms) that user gave, by
    gateway; another password needs another grant. home: where it runs (core.gateway_work.HomeKind); the cloud
    decides its runs in the cloud alone. home_reason: why, as a code.
    """

    __tablename__ = "task"
    __table_args__ = NUMBERS_ONCE

    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str] = mapped_column(String(100))
    enabled: Mapped[bool] = mapped_column(Boolean)
    version: Mapped[int] = mapped_column(Integer)
    schedule: Mapped[dict[str, Any]] = mapped_column(JSON)
    actions: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    calendar_id: Mapped[int | None] = mapped_column(
        ForeignKey("holiday_calendar.id", ondelete="SET NULL"), index=True
    )
    after_ms: Mapped[int] = mapped_column(BigInteger)
    next_ms: Mapped[int | None] = mapped_column(BigInteger, index=True)
    user_id: Mapped[int | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), index=True)
    user_name: Mapped[str] = mapped_column(String(64))
    granted: Mapped[dict[str, int]] = mapped_column(JSON)
    home: Mapped[str] = mapped_column(String(10), default="cloud", server_default="cloud")
    home_reason: Mapped[str] = mapped_column(String(40), default="", server_default="")
    created_ms: Mapped[int] = mapped_column(BigInteger)
    changed_ms: Mapped[int] = mapped_column(BigInteger)


class TaskGateway(Base):
    """A gateway that a task reads or acts on; a task is seen by who sees all of them."""

    __tablename__ = "task_gateway"

    task_id: Mapped[int] = mapped_column(
        ForeignKey("task.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False, index=True
    )


class TaskRun(Base):
    """One run, or runs that were left out (problem missed). planned_ms: of the schedule, null when somebody
    wanted it now. is_due: nothing is requested yet. steps: what each action became, null before it is known;
    status: a RunStatus; problem: why nothing was done, as a code; missed: runs that were left out before this
    one, or by it. user_id, granted: with whose rights.

    Its number is never given again: its commands are requested under it, once. The unique columns make a run
    of the schedule, and a run that somebody wants, once: also one that its gateway tells again.
    """

    __tablename__ = "task_run"
    __table_args__ = (
        Index("uq_task_run_planned", "task_id", "version", "planned_ms", unique=True),
        Index("uq_task_run_request", "task_id", "request_id", unique=True),
        NUMBERS_ONCE,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    task_id: Mapped[int] = mapped_column(ForeignKey("task.id", ondelete="CASCADE"))
    version: Mapped[int] = mapped_column(Integer)
    planned_ms: Mapped[int | None] = mapped_column(BigInteger)
    request_id: Mapped[str | None] = mapped_column(String(64))
    noted_ms: Mapped[int] = mapped_column(BigInteger, index=True)
    finished_ms: Mapped[int | None] = mapped_column(BigInteger)
    is_due: Mapped[bool] = mapped_column(Boolean, index=True)
    steps: Mapped[list[dict[str, Any]] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    status: Mapped[int] = mapped_column(SmallInteger, index=True)
    problem: Mapped[str] = mapped_column(String(80), default="")
    missed: Mapped[int] = mapped_column(Integer, default=0)
    user_id: Mapped[int | None] = mapped_column(Integer)
    user_name: Mapped[str] = mapped_column(String(64))
    granted: Mapped[dict[str, int]] = mapped_column(JSON)


class TaskHome(Base):
    """Tasks that a gateway runs itself (core.gateway_work.GatewayHolding). past: tasks that it was sent
    before, of which runs may still come. dropped: runs that it lost unsent, because too many waited.
    """

    __tablename__ = "gateway_tasks"

    device_id: Mapped[int] = mapped_column(
        ForeignKey("device.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    takes: Mapped[bool] = mapped_column(Boolean)
    hash: Mapped[str | None] = mapped_column(String(64))
    numbers: Mapped[list[int]] = mapped_column(JSON)
    problems: Mapped[dict[str, str]] = mapped_column(JSON)
    sent_hash: Mapped[str | None] = mapped_column(String(64))
    sent_numbers: Mapped[list[int]] = mapped_column(JSON)
    past: Mapped[list[int]] = mapped_column(JSON)
    dropped: Mapped[int] = mapped_column(BigInteger, default=0)
