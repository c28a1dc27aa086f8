"""Silent slaves are few among all: the landing page finds them by an index of their own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

SILENT = "online IS false AND removed IS false"


def upgrade() -> None:
    condition = sa.text(SILENT)
    op.create_index(
        "ix_slave_device_silent",
        "slave_device",
        ["device_id"],
        sqlite_where=condition,
        postgresql_where=condition,
    )


def downgrade() -> None:
    op.drop_index("ix_slave_device_silent", table_name="slave_device")
