"""Options, dictionary, options of users, uploaded files, looks by host name, audit"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table, key in (("platform_option", "name"), ("dictionary_entry", "key")):
        op.create_table(
            table,
            sa.Column(key, sa.String(length=40), nullable=False),
            sa.Column("value", sa.JSON(), nullable=False),
            sa.Column("changed_ms", sa.BigInteger(), nullable=False),
            sa.Column("user_name", sa.String(length=64), nullable=False),
            sa.PrimaryKeyConstraint(key, name=op.f(f"pk_{table}")),
        )
    op.create_table(
        "user_option",
        sa.Column("user_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_user_option_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", "name", name=op.f("pk_user_option")),
    )
    op.create_table(
        "stored_file",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("user_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("form", sa.String(length=8), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("width", sa.SmallInteger(), nullable=False),
        sa.Column("height", sa.SmallInteger(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_stored_file_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("sha256", "kind", "user_id", name=op.f("pk_stored_file")),
    )
    with op.batch_alter_table("stored_file", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_stored_file_user_id"), ["user_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_stored_file_created_ms"), ["created_ms"], unique=False)
    op.create_table(
        "customization",
        sa.Column("domain", sa.String(length=253), nullable=False),
        sa.Column("platform_title", sa.String(length=100), nullable=False),
        sa.Column("browser_title", sa.String(length=100), nullable=False),
        sa.Column("tkloc", sa.String(length=200), nullable=False),
        sa.Column("icp", sa.String(length=100), nullable=False),
        sa.Column("logo", sa.String(length=200), nullable=False),
        sa.Column("background", sa.String(length=200), nullable=False),
        sa.Column("carousel", sa.JSON(), nullable=False),
        sa.Column("demo", sa.Boolean(), nullable=False),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.Column("user_name", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_customization")),
    )
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("user_name", sa.String(length=64), nullable=False),
        sa.Column("user_path", sa.String(length=400), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("method", sa.String(length=8), nullable=False),
        sa.Column("path", sa.String(length=200), nullable=False),
        sa.Column("operation", sa.String(length=64), nullable=False),
        sa.Column("ids", sa.JSON(), nullable=False),
        sa.Column("query", sa.JSON(), nullable=False),
        sa.Column("changes", sa.JSON(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("code", sa.Integer(), nullable=False),
        sa.Column("duration_ms", sa.Integer(), nullable=False),
        sa.Column("request_id", sa.String(length=12), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entry")),
    )
    with op.batch_alter_table("audit_entry", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_audit_entry_at_ms"), ["at_ms"], unique=False)


def downgrade() -> None:
    for table in (
        "audit_entry",
        "customization",
        "stored_file",
        "user_option",
        "dictionary_entry",
        "platform_option",
    ):
        op.drop_table(table)
