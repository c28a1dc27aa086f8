"""Who traced the signals and frames of which gateway."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None

TABLE = "signal_trace"


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("device_id", sa.Integer, nullable=False),
        sa.Column("user_id", sa.Integer, nullable=False),
        sa.Column("user_name", sa.String(64), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
        sa.Column("started_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_ms", sa.BigInteger, nullable=True),
        sa.Column("why", sa.String(20), nullable=False),
        sa.Column("entries", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name="fk_signal_trace_device_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_signal_trace"),
    )
    for column in ("device_id", "started_ms", "ended_ms"):
        op.create_index(f"ix_signal_trace_{column}", TABLE, [column])


def downgrade() -> None:
    op.drop_table(TABLE)
