"""Exchange rules"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

POINTS = {"source_device_id": "device", "source_dsid": "data_point", "target_device_id": "device"}


def upgrade() -> None:
    op.create_table(
        "exchange_rule",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=100), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in (*POINTS, "target_dsid")),
        sa.Column("ratio", sa.Float(), nullable=False),
        sa.Column("bias", sa.Float(), nullable=False),
        sa.Column("every_s", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("last_ms", sa.BigInteger(), nullable=True),
        sa.Column("last_value", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("last_command", sa.String(length=40), nullable=True),
        sa.Column("last_problem", sa.String(length=80), nullable=False),
        *(
            sa.ForeignKeyConstraint(
                [name], [f"{table}.id"], name=op.f(f"fk_exchange_rule_{name}"), ondelete="CASCADE"
            )
            for name, table in {**POINTS, "target_dsid": "data_point"}.items()
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_exchange_rule_user_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_exchange_rule")),
        sa.UniqueConstraint("target_dsid", name=op.f("uq_exchange_rule_target_dsid")),
    )
    with op.batch_alter_table("exchange_rule", schema=None) as batch_op:
        for name in (*POINTS, "user_id"):
            batch_op.create_index(batch_op.f(f"ix_exchange_rule_{name}"), [name], unique=False)


def downgrade() -> None:
    op.drop_table("exchange_rule")
