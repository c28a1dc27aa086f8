"""Where rules of data exchange run, and what gateways hold of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gateway_exchange",
        sa.Column(
            "device_id",
            sa.Integer,
            sa.ForeignKey("device.id", name="fk_gateway_exchange_device_id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("takes", sa.Boolean, nullable=False),
        sa.Column("hash", sa.String(64), nullable=True),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("problems", sa.JSON, nullable=False),
        sa.Column("sent_hash", sa.String(64), nullable=True),
        sa.Column("sent_rules", sa.JSON, nullable=False),
    )
    op.add_column("exchange_rule", sa.Column("home", sa.String(10), nullable=False, server_default="cloud"))
    op.add_column("exchange_rule", sa.Column("home_reason", sa.String(40), nullable=False, server_default=""))
    op.add_column("exchange_rule", sa.Column("gateway_ms", sa.BigInteger, nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("exchange_rule") as table:
        for name in ("gateway_ms", "home_reason", "home"):
            table.drop_column(name)
    op.drop_table("gateway_exchange")
