"""Tunnel leases"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tunnel_lease",
        sa.Column("id", sa.String(length=16), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("port", sa.String(length=64), nullable=False),
        sa.Column("mode", sa.String(length=8), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("user_name", sa.String(length=64), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("opened_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("ended_ms", sa.BigInteger(), nullable=True),
        sa.Column("why", sa.String(length=20), nullable=False),
        sa.Column("detail", sa.String(length=200), nullable=False),
        sa.Column("bytes_to_gateway", sa.BigInteger(), nullable=False),
        sa.Column("bytes_from_gateway", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_tunnel_lease_device_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tunnel_lease")),
    )
    with op.batch_alter_table("tunnel_lease", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tunnel_lease_device_id"), ["device_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_tunnel_lease_ended_ms"), ["ended_ms"], unique=False)


def downgrade() -> None:
    op.drop_table("tunnel_lease")
