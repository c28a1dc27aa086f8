"""The audit keeps the names of what each row is about, so that a deleted thing keeps the name that it had

Rows of before stay as they are: their things are told by number.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("audit_entry") as table:
        table.add_column(sa.Column("thing", sa.String(300), nullable=False, server_default=""))
        table.add_column(sa.Column("things", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    with op.batch_alter_table("audit_entry") as table:
        table.drop_column("things")
        table.drop_column("thing")
