"""First tables"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_table(
        "device",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("gateway_id", sa.String(length=40), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("protocol", sa.SmallInteger(), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("online", sa.Boolean(), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("last_ms", sa.BigInteger(), nullable=True),
        sa.Column("boot", sa.String(length=16), nullable=False),
        sa.Column("agent_version", sa.String(length=200), nullable=False),
        sa.Column("stream", sa.String(length=16), nullable=False),
        sa.Column("catalog", sa.String(length=16), nullable=False),
        sa.Column("refusal", sa.String(length=40), nullable=True),
        sa.Column("backlog_batches", sa.Integer(), nullable=False),
        sa.Column("hours_left", sa.Float(), nullable=True),
        sa.Column("evicted_batches", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_device")),
        sa.UniqueConstraint("gateway_id", name=op.f("uq_device_gateway_id")),
    )
    op.create_table(
        "link_batch",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("gateway", sa.String(length=40), nullable=False),
        sa.Column("stream", sa.String(length=16), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("catalog", sa.String(length=16), nullable=False),
        sa.Column("lane", sa.String(length=8), nullable=False),
        sa.Column("t_ms", sa.BigInteger(), nullable=False),
        sa.Column("received_ms", sa.BigInteger(), nullable=False),
        sa.Column("samples", sa.Integer(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.Column("filed_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_link_batch")),
        sa.UniqueConstraint("gateway", "stream", "seq", name="uq_link_batch_identity"),
    )
    with op.batch_alter_table("link_batch", schema=None) as batch_op:
        batch_op.create_index("ix_link_batch_received", ["received_ms"], unique=False)
        batch_op.create_index(
            "ix_link_batch_unfiled",
            ["id"],
            unique=False,
            sqlite_where=sa.text("filed_ms IS NULL"),
            postgresql_where=sa.text("filed_ms IS NULL"),
        )

    op.create_table(
        "link_quarantine",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("gateway", sa.String(length=40), nullable=False),
        sa.Column("received_ms", sa.BigInteger(), nullable=False),
        sa.Column("lane", sa.String(length=8), nullable=False),
        sa.Column("field", sa.String(length=40), nullable=False),
        sa.Column("rule", sa.String(length=300), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("acknowledged", sa.SmallInteger(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_link_quarantine")),
    )
    op.create_table(
        "link_stream",
        sa.Column("gateway", sa.String(length=40), nullable=False),
        sa.Column("stream", sa.String(length=16), nullable=False),
        sa.Column("contiguous_upto", sa.BigInteger(), nullable=False),
        sa.Column("above", sa.Text(), nullable=False),
        sa.Column("max_seq", sa.BigInteger(), nullable=False),
        sa.Column("received", sa.BigInteger(), nullable=False),
        sa.Column("duplicates", sa.BigInteger(), nullable=False),
        sa.Column("last_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("gateway", "stream", name=op.f("pk_link_stream")),
    )
    op.create_table(
        "user",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_name", sa.String(length=64), nullable=False),
        sa.Column("nick_name", sa.String(length=64), nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("user_type", sa.SmallInteger(), nullable=False),
        sa.Column("status", sa.SmallInteger(), nullable=False),
        sa.Column("expire_ms", sa.BigInteger(), nullable=True),
        sa.Column("bigscreen_title", sa.String(length=100), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user")),
        sa.UniqueConstraint("user_name", name=op.f("uq_user_user_name")),
    )
    op.create_table(
        "catalog",
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.String(length=16), nullable=False),
        sa.Column("received_ms", sa.BigInteger(), nullable=False),
        sa.Column("points", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_catalog_device_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("device_id", "hash", name=op.f("pk_catalog")),
    )
    op.create_table(
        "command",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("dsid", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("user_name", sa.String(length=64), nullable=False),
        sa.Column("action", sa.String(length=1), nullable=False),
        sa.Column("value", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("wait", sa.Boolean(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("sent_ms", sa.BigInteger(), nullable=True),
        sa.Column("finished_ms", sa.BigInteger(), nullable=True),
        sa.Column("result_value", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("quality", sa.SmallInteger(), nullable=True),
        sa.Column("latency_ms", sa.Integer(), nullable=True),
        sa.Column("code", sa.String(length=200), nullable=False),
        sa.Column("detail", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_command_device_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_command")),
    )
    with op.batch_alter_table("command", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_command_device_id"), ["device_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_command_status"), ["status"], unique=False)

    op.create_table(
        "slave_device",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("protocol", sa.String(length=64), nullable=False),
        sa.Column("port", sa.String(length=64), nullable=False),
        sa.Column("address", sa.String(length=200), nullable=False),
        sa.Column("online", sa.Boolean(), nullable=False),
        sa.Column("last_good_ms", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.Column("removed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_slave_device_device_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_slave_device")),
        sa.UniqueConstraint("device_id", "name", name=op.f("uq_slave_device_device_id")),
    )
    op.create_table(
        "user_session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("family", sa.String(length=32), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("refresh_hash", sa.String(length=64), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("refresh_expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("rotated_ms", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["user_id"], ["user.id"], name=op.f("fk_user_session_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_session")),
        sa.UniqueConstraint("refresh_hash", name=op.f("uq_user_session_refresh_hash")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_user_session_token_hash")),
    )
    with op.batch_alter_table("user_session", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_user_session_family"), ["family"], unique=False)
        batch_op.create_index(
            batch_op.f("ix_user_session_refresh_expires_ms"), ["refresh_expires_ms"], unique=False
        )
        batch_op.create_index(batch_op.f("ix_user_session_user_id"), ["user_id"], unique=False)

    op.create_table(
        "data_point",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("device_id", sa.Integer(), nullable=False),
        sa.Column("slave_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("kind", sa.String(length=3), nullable=False),
        sa.Column("rw", sa.String(length=10), nullable=False),
        sa.Column("data_type", sa.String(length=64), nullable=False),
        sa.Column("unit", sa.String(length=200), nullable=False),
        sa.Column("decimals", sa.SmallInteger(), nullable=True),
        sa.Column("period_ms", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.SmallInteger(), nullable=False),
        sa.Column("min", sa.Float(), nullable=True),
        sa.Column("max", sa.Float(), nullable=True),
        sa.Column("on_value", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("off_value", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("removed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_data_point_device_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["slave_id"], ["slave_device.id"], name=op.f("fk_data_point_slave_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_data_point")),
        sa.UniqueConstraint("slave_id", "name", name=op.f("uq_data_point_slave_id")),
    )
    with op.batch_alter_table("data_point", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_data_point_device_id"), ["device_id"], unique=False)


def downgrade() -> None:

    with op.batch_alter_table("data_point", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_data_point_device_id"))

    op.drop_table("data_point")
    with op.batch_alter_table("user_session", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_user_session_user_id"))
        batch_op.drop_index(batch_op.f("ix_user_session_refresh_expires_ms"))
        batch_op.drop_index(batch_op.f("ix_user_session_family"))

    op.drop_table("user_session")
    op.drop_table("slave_device")
    with op.batch_alter_table("command", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_command_status"))
        batch_op.drop_index(batch_op.f("ix_command_device_id"))

    op.drop_table("command")
    op.drop_table("catalog")
    op.drop_table("user")
    op.drop_table("link_stream")
    op.drop_table("link_quarantine")
    with op.batch_alter_table("link_batch", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_link_batch_unfiled",
            sqlite_where=sa.text("filed_ms IS NULL"),
            postgresql_where=sa.text("filed_ms IS NULL"),
        )
        batch_op.drop_index("ix_link_batch_received")

    op.drop_table("link_batch")
    op.drop_table("device")
