"""Rules at gateways: what each evaluates, and which of its events are recorded; linkages done there."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gateway_rules",
        sa.Column(
            "device_id",
            sa.Integer,
            sa.ForeignKey("device.id", name="fk_gateway_rules_device_id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("takes", sa.Boolean, nullable=False),
        sa.Column("hash", sa.String(64), nullable=True),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("problems", sa.JSON, nullable=False),
        sa.Column("sent_hash", sa.String(64), nullable=True),
        sa.Column("sent_rules", sa.JSON, nullable=False),
        sa.Column("alarms", sa.JSON, nullable=False),
        sa.Column("stream", sa.String(16), nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("dropped", sa.BigInteger, nullable=False),
    )
    op.add_column(
        "linkage_run", sa.Column("at_gateway", sa.Boolean, nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    with op.batch_alter_table("linkage_run", table_kwargs={"sqlite_autoincrement": True}) as table:
        table.drop_column("at_gateway")
    op.drop_table("gateway_rules")
