"""Projects, products, and what the specification says of a device"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

TEXTS = {
    "model": 64, "imei": 20, "iccid": 22, "binder_title": 200, "province": 64, "city": 64, "district": 64,
    "address": 200, "floorroom": 100, "remark": 500,
}  # fmt: skip
NUMBERS = {"mst": 0, "gateway_type": 3}
SWITCHES = {"gis_show": False, "auto_position": False, "scan_bind": True, "low_power": False}


def upgrade() -> None:
    op.create_table(
        "project",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("path", sa.String(length=300), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("title", sa.String(length=100), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=True),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("remark", sa.String(length=500), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["project.id"], name=op.f("fk_project_parent_id"), ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["user.id"], name=op.f("fk_project_owner_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_project")),
    )
    op.create_table(
        "product",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column("title", sa.String(length=100), nullable=False),
        sa.Column("key_hash", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=True),
        sa.Column("remark", sa.String(length=500), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["owner_id"], ["user.id"], name=op.f("fk_product_owner_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_product")),
        sa.UniqueConstraint("code", name=op.f("uq_product_code")),
    )
    for table, columns in (("project", ("parent_id", "path", "owner_id")), ("product", ("owner_id",))):
        with op.batch_alter_table(table, schema=None) as batch_op:
            for name in columns:
                batch_op.create_index(batch_op.f(f"ix_{table}_{name}"), [name], unique=False)
    with op.batch_alter_table("device", schema=None) as batch_op:
        for table in ("project", "product"):
            batch_op.add_column(sa.Column(f"{table}_id", sa.Integer(), nullable=True))
            batch_op.create_foreign_key(
                batch_op.f(f"fk_device_{table}_id"), table, [f"{table}_id"], ["id"], ondelete="SET NULL"
            )
            batch_op.create_index(batch_op.f(f"ix_device_{table}_id"), [f"{table}_id"], unique=False)
        for name, value in NUMBERS.items():
            kind = sa.Integer() if name == "mst" else sa.SmallInteger()
            batch_op.add_column(sa.Column(name, kind, nullable=False, server_default=str(value)))
        for name, length in TEXTS.items():
            batch_op.add_column(sa.Column(name, sa.String(length=length), nullable=False, server_default=""))
        for name, on in SWITCHES.items():
            batch_op.add_column(
                sa.Column(name, sa.Boolean(), nullable=False, server_default=sa.true() if on else sa.false())
            )
        batch_op.add_column(sa.Column("modbus_type", sa.SmallInteger(), nullable=True))
        for name in ("longitude", "latitude"):
            batch_op.add_column(sa.Column(name, sa.Float(), nullable=True))
        for name in ("positioned_ms", "expire_ms"):
            batch_op.add_column(sa.Column(name, sa.BigInteger(), nullable=True))
        for name in ("collect_interval_s", "report_interval_s", "slave_timeout_ms"):
            batch_op.add_column(sa.Column(name, sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("bind_code", sa.String(length=40), nullable=True))
        batch_op.create_unique_constraint(batch_op.f("uq_device_bind_code"), ["bind_code"])
    with op.batch_alter_table("device", schema=None) as batch_op:
        for name in (*TEXTS, *NUMBERS, *SWITCHES):
            batch_op.alter_column(name, server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("device", schema=None) as batch_op:
        batch_op.drop_constraint(batch_op.f("uq_device_bind_code"), type_="unique")
        for table in ("project", "product"):
            batch_op.drop_index(batch_op.f(f"ix_device_{table}_id"))
            batch_op.drop_constraint(batch_op.f(f"fk_device_{table}_id"), type_="foreignkey")
            batch_op.drop_column(f"{table}_id")
        for name in (
            *TEXTS, *NUMBERS, *SWITCHES, "modbus_type", "longitude", "latitude", "positioned_ms", "expire_ms",
            "collect_interval_s", "report_interval_s", "slave_timeout_ms", "bind_code",
        ):  # fmt: skip
            batch_op.drop_column(name)
    op.drop_table("product")
    op.drop_table("project")
