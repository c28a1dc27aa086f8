"""Limits of projects and gateways by user"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "user_limit",
        sa.Column(
            "user_id",
            sa.Integer(),
            sa.ForeignKey("user.id", ondelete="CASCADE", name="fk_user_limit_user_id"),
            nullable=False,
        ),
        sa.Column("resource", sa.String(20), nullable=False),
        sa.Column("maximum", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "resource", name="pk_user_limit"),
    )


def downgrade() -> None:
    op.drop_table("user_limit")
