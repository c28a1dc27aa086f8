"""Parameter plans, and what receipts say of parameter groups."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "parameter_plan",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer()),
        sa.Column("title", sa.String(100), nullable=False),
        sa.Column("remark", sa.String(500), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("project_ids", sa.JSON(), nullable=False),
        sa.Column("device_ids", sa.JSON(), nullable=False),
        sa.Column("agent_min", sa.String(40), nullable=False),
        sa.Column("agent_max", sa.String(40), nullable=False),
        sa.Column("changes", sa.JSON(), nullable=False),
        sa.Column("author", sa.String(64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_parameter_plan")),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["user.id"], name=op.f("fk_parameter_plan_owner_id"), ondelete="SET NULL"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_parameter_plan_owner_id", "parameter_plan", ["owner_id"])
    op.create_table(
        "parameter_plan_gateway",
        sa.Column("plan_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("device_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("deployment_id", sa.String(40), nullable=False),
        sa.Column("code", sa.String(60), nullable=False),
        sa.Column("begun_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("plan_id", "device_id", name=op.f("pk_parameter_plan_gateway")),
        sa.ForeignKeyConstraint(
            ["plan_id"],
            ["parameter_plan.id"],
            name=op.f("fk_parameter_plan_gateway_plan_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["device_id"],
            ["device.id"],
            name=op.f("fk_parameter_plan_gateway_device_id"),
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_parameter_plan_gateway_device_id", "parameter_plan_gateway", ["device_id"])
    op.add_column("deployment_receipt", sa.Column("parameters", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("deployment_receipt") as table:
        table.drop_column("parameters")
    op.drop_table("parameter_plan_gateway")
    op.drop_table("parameter_plan")
