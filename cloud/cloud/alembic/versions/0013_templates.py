"""Templates, their versions, and which documents of gateways were made with them"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

INDEXES = {
    "template_node": ("parent_id", "path", "owner_id"),
    "template_reference": ("version_id", "template_id"),
    "template_link": ("template_id",),
}


def upgrade() -> None:
    op.create_table(
        "template_node",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("path", sa.String(length=120), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("category", sa.String(length=8), nullable=False),
        sa.Column("title", sa.String(length=100), nullable=False),
        sa.Column("protocol", sa.String(length=64), nullable=False),
        sa.Column("remark", sa.String(length=500), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=True),
        sa.Column("shared", sa.Boolean(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("newest", sa.Integer(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["template_node.id"], name=op.f("fk_template_node_parent_id"), ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["user.id"], name=op.f("fk_template_node_owner_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_template_node")),
    )
    op.create_table(
        "template_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("template_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("slaves", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(length=64), nullable=False),
        sa.Column("note", sa.String(length=200), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["template_id"],
            ["template_node.id"],
            name=op.f("fk_template_version_template_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_template_version")),
        sa.UniqueConstraint("template_id", "number", name=op.f("uq_template_version_template_id")),
    )
    op.create_table(
        "template_reference",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("slave", sa.String(length=64), nullable=False),
        sa.Column("template_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["version_id"],
            ["template_version.id"],
            name=op.f("fk_template_reference_version_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["template_id"],
            ["template_node.id"],
            name=op.f("fk_template_reference_template_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_template_reference")),
    )
    op.create_table(
        "template_set",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("author", sa.String(length=64), nullable=False),
        sa.Column("set_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_template_set_device_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_template_set")),
        sa.UniqueConstraint("device_id", "hash", name=op.f("uq_template_set_device_id")),
    )
    op.create_table(
        "template_link",
        sa.Column("set_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("slave", sa.String(length=64), nullable=False),
        sa.Column("template_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["set_id"], ["template_set.id"], name=op.f("fk_template_link_set_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["template_id"],
            ["template_node.id"],
            name=op.f("fk_template_link_template_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("set_id", "slave", name=op.f("pk_template_link")),
    )
    for table, columns in INDEXES.items():
        with op.batch_alter_table(table, schema=None) as batch_op:
            for column in columns:
                batch_op.create_index(batch_op.f(f"ix_{table}_{column}"), [column], unique=False)


def downgrade() -> None:
    for table in ("template_link", "template_set", "template_reference", "template_version", "template_node"):
        op.drop_table(table)
