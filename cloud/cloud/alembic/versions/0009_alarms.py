"""Alarm events, what users have read, and what the list over all gateways needs of the on-offline log"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

COLUMNS = ("offline_ms", "online_ms", "noted_ms")


def upgrade() -> None:
    op.create_table(
        "alarm_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("noted_ms", sa.BigInteger(), nullable=False),
        sa.Column("alarm_type", sa.Integer(), nullable=False),
        sa.Column("level", sa.Integer(), nullable=True),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("slave_id", sa.Integer(), nullable=True),
        sa.Column("dsid", sa.Integer(), nullable=True),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("cause", sa.String(length=200), nullable=False),
        sa.Column("value", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("since_ms", sa.BigInteger(), nullable=True),
        sa.Column("recovered_ms", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("handled_by", sa.Integer(), nullable=True),
        sa.Column("handled_name", sa.String(length=64), nullable=False),
        sa.Column("handled_ms", sa.BigInteger(), nullable=True),
        sa.Column("note", sa.String(length=500), nullable=False),
        sa.Column("origin", sa.String(length=80), nullable=True),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_alarm_event_device_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["slave_id"], ["slave_device.id"], name=op.f("fk_alarm_event_slave_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["dsid"], ["data_point.id"], name=op.f("fk_alarm_event_dsid"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["handled_by"], ["user.id"], name=op.f("fk_alarm_event_handled_by"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alarm_event")),
        sa.UniqueConstraint("origin", name=op.f("uq_alarm_event_origin")),
    )
    with op.batch_alter_table("alarm_event", schema=None) as batch_op:
        batch_op.create_index("ix_alarm_event_device", ["device_id", "at_ms"], unique=False)
        batch_op.create_index(batch_op.f("ix_alarm_event_at_ms"), ["at_ms"], unique=False)
        batch_op.create_index(batch_op.f("ix_alarm_event_noted_ms"), ["noted_ms"], unique=False)
    op.create_table(
        "event_mark",
        sa.Column("user_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("read_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_event_mark_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "kind", name=op.f("pk_event_mark")),
    )
    with op.batch_alter_table("on_offline_log", schema=None) as batch_op:
        batch_op.add_column(sa.Column("noted_ms", sa.BigInteger(), nullable=False, server_default="0"))
    op.execute("UPDATE on_offline_log SET noted_ms = offline_ms")
    with op.batch_alter_table("on_offline_log", schema=None) as batch_op:
        batch_op.alter_column("noted_ms", server_default=None)
        for name in COLUMNS:
            batch_op.create_index(batch_op.f(f"ix_on_offline_log_{name}"), [name], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("on_offline_log", schema=None) as batch_op:
        for name in COLUMNS:
            batch_op.drop_index(batch_op.f(f"ix_on_offline_log_{name}"))
        batch_op.drop_column("noted_ms")
    op.drop_table("event_mark")
    op.drop_table("alarm_event")
