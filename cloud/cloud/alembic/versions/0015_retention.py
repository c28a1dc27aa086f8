"""How long history is kept"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def _days() -> list[sa.Column[int]]:
    names = ("raw_days", "minute_days", "quarter_days", "hour_days", "day_days")
    return [sa.Column(name, sa.Integer(), nullable=False) for name in names]


def upgrade() -> None:
    op.create_table(
        "retention",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        *_days(),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_retention_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_retention")),
        sa.UniqueConstraint("user_id", name=op.f("uq_retention_user_id")),
    )
    op.create_table(
        "point_retention",
        sa.Column("dsid", sa.Integer(), autoincrement=False, nullable=False),
        *_days(),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["dsid"], ["data_point.id"], name=op.f("fk_point_retention_dsid"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("dsid", name=op.f("pk_point_retention")),
    )
    op.create_table(
        "dead_series",
        sa.Column("dsid", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("dsid", name=op.f("pk_dead_series")),
    )


def downgrade() -> None:
    op.drop_table("dead_series")
    op.drop_table("point_retention")
    op.drop_table("retention")
