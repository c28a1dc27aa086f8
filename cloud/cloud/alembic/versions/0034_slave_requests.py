"""What a gateway says of the requests to its slaves: response times, failures, faults by kind"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("slave_device", sa.Column("requests", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("slave_device", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_column("requests")
