"""Collection and reporting are the gateway's: their columns, which nothing read, go

What stood in them never ran on a gateway and is not put into drafts: nobody would have asked for that change.
New are what a gateway says of its report interval, and until when one that saves power is asleep.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

GONE = ("collect_interval_s", "report_interval_s", "slave_timeout_ms")


def upgrade() -> None:
    op.add_column("device", sa.Column("reports_every_s", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("device", sa.Column("asleep_until_ms", sa.BigInteger()))
    with op.batch_alter_table("device", table_kwargs={"sqlite_autoincrement": True}) as batch:
        for name in ("low_power", *GONE):
            batch.drop_column(name)


def downgrade() -> None:
    op.add_column("device", sa.Column("low_power", sa.Boolean(), nullable=False, server_default=sa.false()))
    for name in GONE:
        op.add_column("device", sa.Column(name, sa.Integer()))
    with op.batch_alter_table("device", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_column("asleep_until_ms")
        batch.drop_column("reports_every_s")
