"""Gateways by title with numbers by value"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from cloud.core.natural_order import natural_key

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

AT_ONCE = 1000

DEVICE = sa.table("device", sa.column("id", sa.Integer), sa.column("title", sa.String),
                  sa.column("title_key", sa.LargeBinary))  # fmt: skip


def upgrade() -> None:
    op.add_column("device", sa.Column("title_key", sa.LargeBinary(), nullable=True))
    _fill()
    with op.batch_alter_table("device", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.alter_column("title_key", existing_type=sa.LargeBinary(), nullable=False)
        batch.drop_index(op.f("ix_device_title"))
        batch.create_index(op.f("ix_device_title_key"), ["title_key"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("device", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_index(op.f("ix_device_title_key"))
        batch.create_index(op.f("ix_device_title"), ["title"], unique=False)
        batch.drop_column("title_key")


def _fill() -> None:
    bind = op.get_bind()
    rows = bind.execute(sa.select(DEVICE.c.id, DEVICE.c.title)).all()
    change = sa.update(DEVICE).where(DEVICE.c.id == sa.bindparam("number"))
    change = change.values(title_key=sa.bindparam("key"))
    for start in range(0, len(rows), AT_ONCE):
        part = rows[start : start + AT_ONCE]
        bind.execute(change, [{"number": row.id, "key": natural_key(row.title)} for row in part])
