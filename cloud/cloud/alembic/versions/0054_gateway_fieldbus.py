"""What gateways said last of their internal slave and their loop-write tasks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "gateway_fieldbus",
        sa.Column(
            "device_id",
            sa.Integer,
            sa.ForeignKey("device.id", name="fk_gateway_fieldbus_device_id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("figures", sa.JSON, nullable=False),
        sa.Column("reported_ms", sa.BigInteger, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("gateway_fieldbus")
