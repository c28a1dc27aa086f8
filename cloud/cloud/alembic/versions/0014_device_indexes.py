"""Indexes of the device list and of what a deletion looks for; numbers of deleted rows are not given again"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

INDEXES = (
    ("device", "title"),
    ("device", "model"),
    ("device", "expire_ms"),
    ("on_offline_log", "slave_id"),
    ("alarm_event", "slave_id"),
    ("alarm_event", "dsid"),
)


def upgrade() -> None:
    _count_on(True)
    for table, column in INDEXES:
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column], unique=False)


def downgrade() -> None:
    for table, column in reversed(INDEXES):
        op.drop_index(op.f(f"ix_{table}_{column}"), table_name=table)
    _count_on(False)


def _count_on(wanted: bool) -> None:
    """PostgreSQL's numbers only rise; SQLite gives that of the newest row again unless told so."""
    if op.get_bind().dialect.name == "sqlite":
        for table in ("device", "data_point"):
            with op.batch_alter_table(
                table, recreate="always", table_kwargs={"sqlite_autoincrement": wanted}
            ) as batch:
                batch.alter_column("id", existing_type=sa.Integer(), nullable=False)
