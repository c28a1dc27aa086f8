"""Runs of timed tasks that gateways lost before they could report them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("gateway_tasks") as batch_op:
        batch_op.add_column(sa.Column("dropped", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("gateway_tasks") as batch_op:
        batch_op.drop_column("dropped")
