"""How many linkages were left out while a rule's rested."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("linkage_run", sa.Column("left_out", sa.Integer, nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("linkage_run", table_kwargs={"sqlite_autoincrement": True}) as table:
        table.drop_column("left_out")
