"""Firmware: keys, files, plans, upgrades of gateways, and what gateways run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def _key(table: str, column: str, of: str, ondelete: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        [column], [f"{of}.id"], name=op.f(f"fk_{table}_{column}"), ondelete=ondelete
    )


def _id(table: str) -> tuple[sa.Column[int], sa.PrimaryKeyConstraint]:
    return sa.Column("id", sa.Integer(), nullable=False), sa.PrimaryKeyConstraint(
        "id", name=op.f(f"pk_{table}")
    )


def upgrade() -> None:
    number, key = _id("firmware_key")
    op.create_table(
        "firmware_key",
        number,
        sa.Column("owner_id", sa.Integer()),
        sa.Column("key_id", sa.String(64), nullable=False),
        sa.Column("public_key", sa.String(44), nullable=False),
        sa.Column("user_name", sa.String(64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        key,
        sa.UniqueConstraint("owner_id", "key_id", name=op.f("uq_firmware_key_owner_id")),
        _key("firmware_key", "owner_id", "user", "CASCADE"),
        sqlite_autoincrement=True,
    )
    number, key = _id("firmware_file")
    op.create_table(
        "firmware_file",
        number,
        sa.Column("owner_id", sa.Integer()),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("file_name", sa.String(200), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("version_text", sa.String(40), nullable=False),
        sa.Column("upgrade_type", sa.SmallInteger(), nullable=False),
        sa.Column("manifest", sa.Text(), nullable=False),
        sa.Column("public_key", sa.String(44), nullable=False),
        sa.Column("user_name", sa.String(64), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        key,
        _key("firmware_file", "owner_id", "user", "SET NULL"),
        sqlite_autoincrement=True,
    )
    for column in ("owner_id", "sha256"):
        op.create_index(f"ix_firmware_file_{column}", "firmware_file", [column])
    _plans()
    _upgrades()
    op.create_table(
        "gateway_firmware",
        sa.Column("device_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("model", sa.String(64), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("version_text", sa.String(200), nullable=False),
        sa.Column("security_version", sa.Integer(), nullable=False),
        sa.Column("upgrade_types", sa.JSON(), nullable=False),
        sa.Column("upgrade_id", sa.String(40)),
        sa.Column("step", sa.String(12)),
        sa.Column("reported_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("device_id", name=op.f("pk_gateway_firmware")),
        _key("gateway_firmware", "device_id", "device", "CASCADE"),
    )


def _plans() -> None:
    number, key = _id("firmware_plan")
    op.create_table(
        "firmware_plan",
        number,
        sa.Column("owner_id", sa.Integer()),
        sa.Column("name", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(100), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("range", sa.String(8), nullable=False),
        sa.Column("project_ids", sa.JSON(), nullable=False),
        sa.Column("device_ids", sa.JSON(), nullable=False),
        sa.Column("created_after_ms", sa.BigInteger()),
        sa.Column("scope", sa.SmallInteger(), nullable=False),
        sa.Column("control_count", sa.Integer()),
        sa.Column("firmware_id", sa.Integer(), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("changed_by", sa.Integer()),
        sa.Column("changed_name", sa.String(64), nullable=False),
        sa.Column("approved_version", sa.Integer()),
        sa.Column("approved_name", sa.String(64), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("reason", sa.String(40), nullable=False),
        sa.Column("is_back", sa.Boolean(), nullable=False),
        sa.Column("wave", sa.Integer(), nullable=False),
        sa.Column("wave_ms", sa.BigInteger()),
        sa.Column("user_id", sa.Integer()),
        sa.Column("user_name", sa.String(64), nullable=False),
        sa.Column("granted", sa.JSON(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.Column("started_ms", sa.BigInteger()),
        sa.Column("finished_ms", sa.BigInteger()),
        key,
        _key("firmware_plan", "owner_id", "user", "SET NULL"),
        _key("firmware_plan", "firmware_id", "firmware_file", "RESTRICT"),
        _key("firmware_plan", "changed_by", "user", "SET NULL"),
        _key("firmware_plan", "user_id", "user", "SET NULL"),
        sqlite_autoincrement=True,
    )
    for column in ("owner_id", "firmware_id", "changed_by", "state", "user_id"):
        op.create_index(f"ix_firmware_plan_{column}", "firmware_plan", [column])


def _upgrades() -> None:
    number, key = _id("firmware_upgrade")
    op.create_table(
        "firmware_upgrade",
        number,
        sa.Column("plan_id", sa.Integer()),
        sa.Column("plan_name", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("firmware_id", sa.Integer()),
        sa.Column("wave", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("is_back", sa.Boolean(), nullable=False),
        sa.Column("is_newest", sa.Boolean(), nullable=False),
        sa.Column("excused", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("upgrade_id", sa.String(40)),
        sa.Column("from_version", sa.Integer()),
        sa.Column("to_version", sa.Integer(), nullable=False),
        sa.Column("version_text", sa.String(40), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
        sa.Column("code", sa.String(40), nullable=False),
        sa.Column("detail", sa.String(200), nullable=False),
        sa.Column("window", sa.JSON(none_as_null=True)),
        sa.Column("expires_ms", sa.BigInteger()),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("ordered_ms", sa.BigInteger()),
        sa.Column("step_ms", sa.BigInteger()),
        sa.Column("watch_ms", sa.BigInteger()),
        sa.Column("ended_ms", sa.BigInteger()),
        sa.Column("before", sa.JSON(none_as_null=True)),
        sa.Column("after", sa.JSON(none_as_null=True)),
        sa.Column("worse", sa.JSON(), nullable=False),
        key,
        sa.UniqueConstraint("upgrade_id", name=op.f("uq_firmware_upgrade_upgrade_id")),
        _key("firmware_upgrade", "plan_id", "firmware_plan", "SET NULL"),
        _key("firmware_upgrade", "device_id", "device", "CASCADE"),
        _key("firmware_upgrade", "firmware_id", "firmware_file", "SET NULL"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_firmware_upgrade_plan", "firmware_upgrade", ["plan_id", "is_back", "state"])
    op.create_index(
        "uq_firmware_upgrade_open",
        "firmware_upgrade",
        ["device_id"],
        unique=True,
        sqlite_where=sa.text("is_open IS true"),
        postgresql_where=sa.text("is_open IS true"),
    )
    for column in ("device_id", "firmware_id", "ended_ms"):
        op.create_index(f"ix_firmware_upgrade_{column}", "firmware_upgrade", [column])


def downgrade() -> None:
    tables = ("gateway_firmware", "firmware_upgrade", "firmware_plan", "firmware_file", "firmware_key")
    for table in tables:
        op.drop_table(table)
