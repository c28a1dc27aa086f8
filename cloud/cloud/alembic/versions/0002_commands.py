"""Commands: batches, presets, actions of the gateway, access passwords"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("command", schema=None) as batch_op:
        batch_op.alter_column("dsid", existing_type=sa.Integer(), nullable=True)
        batch_op.alter_column(
            "action", existing_type=sa.String(length=1), type_=sa.String(length=20), existing_nullable=False
        )
        batch_op.add_column(sa.Column("slave", sa.String(length=64), nullable=True))
        batch_op.add_column(sa.Column("arguments", sa.JSON(none_as_null=True), nullable=True))
        batch_op.add_column(sa.Column("batch_id", sa.String(length=40), nullable=True))
        batch_op.add_column(sa.Column("preset_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("address", sa.String(length=64), nullable=False, server_default=""))
        batch_op.create_index(batch_op.f("ix_command_batch_id"), ["batch_id"], unique=False)

    op.create_table(
        "command_preset",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=64), nullable=False),
        sa.Column("writes", sa.JSON(), nullable=False),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.Column("user_name", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_command_preset_device_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_command_preset")),
        sa.UniqueConstraint("device_id", "title", name=op.f("uq_command_preset_device_id")),
    )
    op.create_table(
        "access_password",
        sa.Column("device_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.Column("user_name", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_access_password_device_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("device_id", name=op.f("pk_access_password")),
    )


def downgrade() -> None:
    op.drop_table("access_password")
    op.drop_table("command_preset")
    op.execute("DELETE FROM command WHERE dsid IS NULL")  # the older tables have no room for these
    with op.batch_alter_table("command", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_command_batch_id"))
        for column in ("address", "preset_id", "batch_id", "arguments", "slave"):
            batch_op.drop_column(column)
        batch_op.alter_column(
            "action", existing_type=sa.String(length=20), type_=sa.String(length=1), existing_nullable=False
        )
        batch_op.alter_column("dsid", existing_type=sa.Integer(), nullable=False)
