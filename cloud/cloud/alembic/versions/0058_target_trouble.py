"""What of forwarding targets waits, is late, failed and was given up, the next try, and their trouble."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None

COUNTS = ("waiting_records", "late", "failed", "next_try_ms", "trouble_since_ms")


def upgrade() -> None:
    with op.batch_alter_table("forwarding_target") as batch_op:
        for name in COUNTS:
            batch_op.add_column(sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("in_trouble", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.alter_column("rejected", new_column_name="given_up", existing_type=sa.BigInteger())
        batch_op.alter_column("reason", type_=sa.String(500), existing_type=sa.String(200))
        batch_op.create_index("ix_forwarding_target_in_trouble", ["in_trouble"])
    op.execute("UPDATE forwarding_target SET waiting_records = waiting_batches")


def downgrade() -> None:
    op.execute("UPDATE forwarding_target SET reason = substr(reason, 1, 200)")
    with op.batch_alter_table("forwarding_target") as batch_op:
        batch_op.drop_index("ix_forwarding_target_in_trouble")
        batch_op.alter_column("reason", type_=sa.String(200), existing_type=sa.String(500))
        batch_op.alter_column("given_up", new_column_name="rejected", existing_type=sa.BigInteger())
        batch_op.drop_column("in_trouble")
        for name in COUNTS:
            batch_op.drop_column(name)
