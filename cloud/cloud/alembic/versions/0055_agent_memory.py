"""Resident memory of each gateway's agent, as its pulses say it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("device") as batch_op:
        batch_op.add_column(sa.Column("memory_bytes", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("device") as batch_op:
        batch_op.drop_column("memory_bytes")
