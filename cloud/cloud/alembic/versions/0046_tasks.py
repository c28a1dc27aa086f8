"""Timed tasks, their runs, and holiday calendars."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def _key(table: str, column: str, of: str, ondelete: str = "CASCADE") -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{of}.id"], name=op.f(f"fk_{table}_{column}"), ondelete=ondelete
    )


def upgrade() -> None:
    op.create_table(
        "holiday_calendar",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer()),
        sa.Column("title", sa.String(100), nullable=False),
        sa.Column("off", sa.JSON(), nullable=False),
        sa.Column("on", sa.JSON(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_holiday_calendar")),
        _key("holiday_calendar", "owner_id", "user", "SET NULL"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_holiday_calendar_owner_id", "holiday_calendar", ["owner_id"])
    op.create_table(
        "task",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(100), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("schedule", sa.JSON(), nullable=False),
        sa.Column("actions", sa.JSON(), nullable=False),
        sa.Column("calendar_id", sa.Integer()),
        sa.Column("after_ms", sa.BigInteger(), nullable=False),
        sa.Column("next_ms", sa.BigInteger()),
        sa.Column("user_id", sa.Integer()),
        sa.Column("user_name", sa.String(64), nullable=False),
        sa.Column("granted", sa.JSON(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task")),
        _key("task", "calendar_id", "holiday_calendar", "SET NULL"),
        _key("task", "user_id", "user", "SET NULL"),
        sqlite_autoincrement=True,
    )
    for column in ("calendar_id", "next_ms", "user_id"):
        op.create_index(f"ix_task_{column}", "task", [column])
    op.create_table(
        "task_gateway",
        sa.Column("task_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("device_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.PrimaryKeyConstraint("task_id", "device_id", name=op.f("pk_task_gateway")),
        _key("task_gateway", "task_id", "task"),
        _key("task_gateway", "device_id", "device"),
    )
    op.create_index("ix_task_gateway_device_id", "task_gateway", ["device_id"])
    op.create_table(
        "task_run",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("planned_ms", sa.BigInteger()),
        sa.Column("request_id", sa.String(64)),
        sa.Column("noted_ms", sa.BigInteger(), nullable=False),
        sa.Column("finished_ms", sa.BigInteger()),
        sa.Column("is_due", sa.Boolean(), nullable=False),
        sa.Column("steps", sa.JSON(none_as_null=True)),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("problem", sa.String(80), nullable=False),
        sa.Column("missed", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer()),
        sa.Column("user_name", sa.String(64), nullable=False),
        sa.Column("granted", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_run")),
        _key("task_run", "task_id", "task"),
        sqlite_autoincrement=True,
    )
    op.create_index("uq_task_run_planned", "task_run", ["task_id", "planned_ms"], unique=True)
    op.create_index("uq_task_run_request", "task_run", ["task_id", "request_id"], unique=True)
    for column in ("noted_ms", "is_due", "status"):
        op.create_index(f"ix_task_run_{column}", "task_run", [column])


def downgrade() -> None:
    for table in ("task_run", "task_gateway", "task", "holiday_calendar"):
        op.drop_table(table)
