"""Points that left the template of their slave"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "template_own_point",
        sa.Column("set_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("slave", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["set_id"],
            ["template_set.id"],
            name=op.f("fk_template_own_point_set_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("set_id", "slave", "name", name=op.f("pk_template_own_point")),
    )


def downgrade() -> None:
    op.drop_table("template_own_point")
