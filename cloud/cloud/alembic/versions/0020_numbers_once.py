"""Numbers of deleted users, groups, projects, products, templates and slave devices are not given again"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

TABLES = ("user", "auth_group", "project", "product", "template_node", "slave_device")


def upgrade() -> None:
    _count_on(True)
    if op.get_bind().dialect.name == "sqlite":  # of those who are gone already
        op.execute(
            "UPDATE sqlite_sequence SET seq = max(seq, (SELECT coalesce(max(user_id), 0) FROM audit_entry))"
            " WHERE name = 'user'"
        )


def downgrade() -> None:
    _count_on(False)


def _count_on(wanted: bool) -> None:
    """PostgreSQL's numbers only rise."""
    if op.get_bind().dialect.name == "sqlite":
        for table in TABLES:
            with op.batch_alter_table(
                table, recreate="always", table_kwargs={"sqlite_autoincrement": wanted}
            ) as batch:
                batch.alter_column("id", existing_type=sa.Integer(), nullable=False)
