"""Completeness, presence settings and the on-offline log"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

RowId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    counts = ("batches", "samples", "late_batches", "late_samples", "duplicates", "dropped_samples")
    op.create_table(
        "link_hour",
        sa.Column("gateway", sa.String(length=40), nullable=False),
        sa.Column("hour_ms", sa.BigInteger(), autoincrement=False, nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in counts),
        sa.PrimaryKeyConstraint("gateway", "hour_ms", name=op.f("pk_link_hour")),
    )
    op.create_table(
        "link_booked",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("last_batch", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_link_booked")),
    )
    op.create_table(
        "link_told",
        sa.Column("gateway", sa.String(length=40), nullable=False),
        sa.Column("stream", sa.String(length=16), nullable=False),
        sa.Column("boot", sa.String(length=16), nullable=False),
        sa.Column("first_seq", sa.BigInteger(), nullable=False),
        sa.Column("next_seq", sa.BigInteger(), nullable=False),
        sa.Column("dropped_samples", sa.BigInteger(), nullable=False),
        sa.Column("duplicates", sa.BigInteger(), nullable=False),
        sa.Column("told_ms", sa.BigInteger(), nullable=False),
        sa.Column("replaced_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("gateway", "stream", name=op.f("pk_link_told")),
    )
    op.create_table(
        "link_gap",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("gateway", sa.String(length=40), nullable=False),
        sa.Column("stream", sa.String(length=16), nullable=False),
        sa.Column("first_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("missing", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.String(length=12), nullable=False),
        sa.Column("found_ms", sa.BigInteger(), nullable=False),
        sa.Column("filled_ms", sa.BigInteger(), nullable=True),
        sa.Column("from_ms", sa.BigInteger(), nullable=False),
        sa.Column("to_ms", sa.BigInteger(), nullable=False),
        sa.Column("asked", sa.SmallInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_link_gap")),
    )
    op.create_index("ix_link_gap_gateway", "link_gap", ["gateway", "to_ms"], unique=False)
    op.create_table(
        "on_offline_log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("slave_id", sa.Integer(), nullable=True),
        sa.Column("offline_ms", sa.BigInteger(), nullable=False),
        sa.Column("online_ms", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_on_offline_log_device_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["slave_id"], ["slave_device.id"], name=op.f("fk_on_offline_log_slave_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_on_offline_log")),
    )
    op.create_index("ix_on_offline_log_device", "on_offline_log", ["device_id", "offline_ms"], unique=False)
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.add_column(
            sa.Column("offline_notify", sa.Boolean(), nullable=False, server_default=sa.false())
        )
        batch_op.add_column(
            sa.Column("offline_clear_data", sa.Boolean(), nullable=False, server_default=sa.true())
        )
        batch_op.add_column(
            sa.Column("offline_alarm_delay_s", sa.Integer(), nullable=False, server_default="0")
        )
        batch_op.add_column(sa.Column("offline_entry", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("clock_set", sa.Boolean(), nullable=False, server_default=sa.true()))
        batch_op.add_column(sa.Column("dropped_samples", sa.BigInteger(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("dropped_ms", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("evicted", sa.JSON(), nullable=False, server_default="[]"))
        batch_op.add_column(sa.Column("evicted_ms", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("written_bytes_day", sa.BigInteger(), nullable=True))
    with op.batch_alter_table("slave_device", schema=None) as batch_op:
        batch_op.add_column(sa.Column("since_ms", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("offline_entry", sa.Integer(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("slave_device", schema=None) as batch_op:
        batch_op.drop_column("offline_entry")
        batch_op.drop_column("since_ms")
    with op.batch_alter_table("device", schema=None) as batch_op:
        for name in (
            "written_bytes_day", "evicted_ms", "evicted", "dropped_ms", "dropped_samples", "clock_set",
            "offline_entry", "offline_alarm_delay_s", "offline_clear_data", "offline_notify",
        ):  # fmt: skip
            batch_op.drop_column(name)
    op.drop_index("ix_on_offline_log_device", table_name="on_offline_log")
    op.drop_table("on_offline_log")
    op.drop_index("ix_link_gap_gateway", table_name="link_gap")
    for name in ("link_gap", "link_told", "link_booked", "link_hour"):
        op.drop_table(name)
