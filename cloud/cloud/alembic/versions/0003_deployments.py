"""Configurations and their deployments"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "configuration_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(length=8), nullable=False),
        sa.Column("parent", sa.String(length=64), nullable=True),
        sa.Column("author", sa.String(length=64), nullable=False),
        sa.Column("note", sa.String(length=200), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_configuration_version_device_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_configuration_version")),
        sa.UniqueConstraint("device_id", "hash", name=op.f("uq_configuration_version_device_id")),
    )
    op.create_table(
        "configuration_standing",
        sa.Column("device_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("running", sa.String(length=64), nullable=True),
        sa.Column("origin", sa.String(length=8), nullable=True),
        sa.Column("since_ms", sa.BigInteger(), nullable=True),
        sa.Column("accepted", sa.String(length=64), nullable=True),
        sa.Column("newest", sa.String(length=64), nullable=True),
        sa.Column("draft", sa.String(length=64), nullable=True),
        sa.Column("draft_base", sa.String(length=64), nullable=True),
        sa.Column("draft_author", sa.String(length=64), nullable=True),
        sa.Column("draft_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_configuration_standing_device_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("device_id", name=op.f("pk_configuration_standing")),
    )
    op.create_table(
        "deployment",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("base", sa.String(length=64), nullable=True),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("check_only", sa.Boolean(), nullable=False),
        sa.Column("wait", sa.Boolean(), nullable=False),
        sa.Column("confirm_s", sa.Integer(), nullable=False),
        sa.Column("healthy_share", sa.Float(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("user_name", sa.String(length=64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("sent_ms", sa.BigInteger(), nullable=True),
        sa.Column("finished_ms", sa.BigInteger(), nullable=True),
        sa.Column("code", sa.String(length=200), nullable=False),
        sa.Column("detail", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_deployment_device_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deployment")),
    )
    with op.batch_alter_table("deployment", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_deployment_device_id"), ["device_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_deployment_state"), ["state"], unique=False)

    op.create_table(
        "deployment_receipt",
        sa.Column("deployment_id", sa.String(length=40), nullable=False),
        sa.Column("step", sa.String(length=20), nullable=False),
        sa.Column("t_ms", sa.BigInteger(), nullable=False),
        sa.Column("received_ms", sa.BigInteger(), nullable=False),
        sa.Column("running", sa.String(length=64), nullable=False),
        sa.Column("code", sa.String(length=200), nullable=False),
        sa.Column("detail", sa.String(length=200), nullable=False),
        sa.Column("faults", sa.JSON(), nullable=False),
        sa.Column("change", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["deployment_id"],
            ["deployment.id"],
            name=op.f("fk_deployment_receipt_deployment_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("deployment_id", "step", name=op.f("pk_deployment_receipt")),
    )


def downgrade() -> None:
    op.drop_table("deployment_receipt")
    with op.batch_alter_table("deployment", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_deployment_state"))
        batch_op.drop_index(batch_op.f("ix_deployment_device_id"))

    op.drop_table("deployment")
    op.drop_table("configuration_standing")
    op.drop_table("configuration_version")
