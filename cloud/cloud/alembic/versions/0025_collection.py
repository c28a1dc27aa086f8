"""What gateways should have read and did read, by the hour, and the gaps; when a gateway was first online"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0023"
branch_labels = None
depends_on = None

RowId = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "link_collection",
        sa.Column("gateway", sa.String(length=40), nullable=False),
        sa.Column("stream", sa.String(length=16), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("first_ms", sa.BigInteger(), nullable=False),
        sa.Column("to_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("gateway", name=op.f("pk_link_collection")),
    )
    op.create_table(
        "link_collection_hour",
        sa.Column("gateway", sa.String(length=40), nullable=False),
        sa.Column("hour_ms", sa.BigInteger(), nullable=False),
        sa.Column("covered_ms", sa.Integer(), nullable=False),
        sa.Column("expected", sa.BigInteger(), nullable=False),
        sa.Column("good", sa.BigInteger(), nullable=False),
        sa.Column("reasons", sa.Text(), nullable=False),
        sa.Column("gaps", sa.Integer(), nullable=False),
        sa.Column("more_gaps", sa.BigInteger(), nullable=False),
        sa.Column("detail", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("gateway", "hour_ms", name=op.f("pk_link_collection_hour")),
    )
    op.create_table(
        "link_collection_gap",
        sa.Column("id", RowId, autoincrement=True, nullable=False),
        sa.Column("gateway", sa.String(length=40), nullable=False),
        sa.Column("slave", sa.String(length=64), nullable=False),
        sa.Column("points", sa.Text(), nullable=False),
        sa.Column("from_ms", sa.BigInteger(), nullable=False),
        sa.Column("to_ms", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.String(length=20), nullable=False),
        sa.Column("lent_to", sa.String(length=200), nullable=False),
        sa.Column("missed", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_link_collection_gap")),
    )
    op.create_index(
        "ix_link_collection_gap_gateway", "link_collection_gap", ["gateway", "to_ms"], unique=False
    )
    op.add_column("device", sa.Column("first_online_ms", sa.BigInteger(), nullable=True))
    # What was there before is not known better than by when it was added; without a boot it never said hello.
    op.execute("UPDATE device SET first_online_ms = created_ms WHERE boot <> '' AND since_ms IS NOT NULL")


def downgrade() -> None:
    with op.batch_alter_table("device") as batch:
        batch.drop_column("first_online_ms")
    op.drop_index("ix_link_collection_gap_gateway", table_name="link_collection_gap")
    for name in ("link_collection_gap", "link_collection_hour", "link_collection"):
        op.drop_table(name)
