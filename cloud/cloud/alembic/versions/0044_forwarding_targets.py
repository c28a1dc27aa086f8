"""What gateways said last of the targets that they forward to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "forwarding_target",
        sa.Column(
            "device_id",
            sa.Integer,
            sa.ForeignKey("device.id", name="fk_forwarding_target_device_id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("condition", sa.String(64), nullable=False),
        sa.Column("since_ms", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.Column("waiting_batches", sa.BigInteger, nullable=False),
        sa.Column("waiting_bytes", sa.BigInteger, nullable=False),
        sa.Column("lost_batches", sa.BigInteger, nullable=False),
        sa.Column("delivered", sa.BigInteger, nullable=False),
        sa.Column("repeated", sa.BigInteger, nullable=False),
        sa.Column("rejected", sa.BigInteger, nullable=False),
        sa.Column("last_ack_ms", sa.BigInteger, nullable=False),
        sa.Column("rejects", sa.JSON, nullable=False),
        sa.Column("reported_ms", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_forwarding_target_condition", "forwarding_target", ["condition"])


def downgrade() -> None:
    op.drop_table("forwarding_target")
