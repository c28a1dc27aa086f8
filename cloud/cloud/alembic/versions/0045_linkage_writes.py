"""Which alarm a linkage answers to, and which rule a command comes from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("command", sa.Column("origin", sa.JSON))
    op.add_column("linkage_run", sa.Column("version", sa.Integer))
    op.add_column("linkage_run", sa.Column("raised_ms", sa.BigInteger))
    op.create_index("ix_linkage_run_rule", "linkage_run", ["rule_id", "at_ms"])


def downgrade() -> None:
    op.drop_index("ix_linkage_run_rule", "linkage_run")
    with op.batch_alter_table("linkage_run", table_kwargs={"sqlite_autoincrement": True}) as table:
        table.drop_column("raised_ms")
        table.drop_column("version")
    with op.batch_alter_table("command") as table:
        table.drop_column("origin")
