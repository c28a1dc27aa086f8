"""Tree of users, groups, rules, sign-in log, owners and shares of devices"""

from __future__ import annotations

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def _fill_keys() -> None:
    """Names are unique however they are written; of twins the oldest has the name as its key."""
    connection = op.get_bind()
    user = sa.table("user", sa.column("id", sa.Integer), sa.column("user_name"), sa.column("name_key"))
    taken: set[str] = set()
    for number, name in connection.execute(sa.select(user.c.id, user.c.user_name).order_by(user.c.id)).all():
        folded = unicodedata.normalize("NFKC", name).casefold()
        key = unicodedata.normalize("NFKC", folded)[:64]
        if key in taken:
            key = f"{key}~{number}"
        taken.add(key)
        connection.execute(user.update().where(user.c.id == number).values(name_key=key))


def upgrade() -> None:
    with op.batch_alter_table("user", schema=None) as batch_op:
        batch_op.add_column(sa.Column("name_key", sa.String(length=80), nullable=True))
        batch_op.add_column(sa.Column("parent_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("path", sa.String(length=400), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("group_id", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("phone", sa.String(length=40), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("email", sa.String(length=200), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("remark", sa.String(length=500), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("last_login_ms", sa.BigInteger(), nullable=True))
        batch_op.create_index(batch_op.f("ix_user_parent_id"), ["parent_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_user_path"), ["path"], unique=False)
        batch_op.create_foreign_key(batch_op.f("fk_user_parent_id"), "user", ["parent_id"], ["id"])
    op.execute("UPDATE \"user\" SET path = '/' || id || '/'")
    _fill_keys()
    with op.batch_alter_table("user", schema=None) as batch_op:
        batch_op.alter_column("name_key", existing_type=sa.String(length=80), nullable=False)
        batch_op.create_unique_constraint(batch_op.f("uq_user_name_key"), ["name_key"])
        for name in ("path", "phone", "email", "remark"):
            batch_op.alter_column(name, server_default=None)
    op.create_table(
        "auth_group",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=100), nullable=False),
        sa.Column("user_type", sa.SmallInteger(), nullable=False),
        sa.Column("permissions", sa.JSON(), nullable=False),
        sa.Column("remark", sa.String(length=500), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["user.id"], name=op.f("fk_auth_group_owner_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_auth_group")),
    )
    with op.batch_alter_table("auth_group", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_auth_group_owner_id"), ["owner_id"], unique=False)
    op.create_table(
        "auth_rule",
        sa.Column("code", sa.String(length=64), nullable=False),
        sa.Column("zh", sa.String(length=100), nullable=True),
        sa.Column("en", sa.String(length=100), nullable=True),
        sa.Column("types", sa.String(length=7), nullable=True),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("code", name=op.f("pk_auth_rule")),
    )
    op.create_table(
        "login_log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("user_name", sa.String(length=64), nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("agent", sa.String(length=200), nullable=False),
        sa.Column("result", sa.String(length=20), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_login_log_user_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_log")),
    )
    with op.batch_alter_table("login_log", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_login_log_at_ms"), ["at_ms"], unique=False)
        batch_op.create_index(batch_op.f("ix_login_log_user_id"), ["user_id", "result", "id"], unique=False)
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.add_column(sa.Column("owner_id", sa.Integer(), nullable=True))
        batch_op.create_index(batch_op.f("ix_device_owner_id"), ["owner_id"], unique=False)
        batch_op.create_foreign_key(
            batch_op.f("fk_device_owner_id"), "user", ["owner_id"], ["id"], ondelete="SET NULL"
        )
    op.create_table(
        "device_share",
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=8), nullable=False),
        sa.Column("writes", sa.Boolean(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_device_share_device_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_device_share_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("device_id", "user_id", name=op.f("pk_device_share")),
    )
    with op.batch_alter_table("device_share", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_device_share_user_id"), ["user_id"], unique=False)


def downgrade() -> None:
    op.drop_table("device_share")
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("fk_device_owner_id"), type_="foreignkey")
        batch_op.drop_index(batch_op.f("ix_device_owner_id"))
        batch_op.drop_column("owner_id")
    op.drop_table("login_log")
    op.drop_table("auth_rule")
    op.drop_table("auth_group")
    with op.batch_alter_table("user", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("fk_user_parent_id"), type_="foreignkey")
        batch_op.drop_constraint(batch_op.f("uq_user_name_key"), type_="unique")
        for name in ("ix_user_parent_id", "ix_user_path"):
            batch_op.drop_index(batch_op.f(name))
        for name in (
            "name_key",
            "parent_id",
            "path",
            "group_id",
            "phone",
            "email",
            "remark",
            "last_login_ms",
        ):
            batch_op.drop_column(name)
