"""Writes of unknown effect are few among all commands: they are found by an index of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    condition = sa.text("outcome = 'unknown'")
    op.create_index(
        "ix_command_unknown",
        "command",
        ["finished_ms"],
        sqlite_where=condition,
        postgresql_where=condition,
    )


def downgrade() -> None:
    op.drop_index("ix_command_unknown", table_name="command")
