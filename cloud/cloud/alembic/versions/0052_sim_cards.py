"""SIM cards, what they used, and what gateways report of modems and links."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

NUMBERS_ONCE = {"sqlite_autoincrement": True}


def upgrade() -> None:
    op.create_table(
        "sim_card",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer()),
        sa.Column("iccid", sa.String(20), nullable=False),
        sa.Column("operator", sa.String(16), nullable=False),
        sa.Column("supplier", sa.String(100), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("activated", sa.Boolean(), nullable=False),
        sa.Column("expires_on", sa.Date()),
        sa.Column("plan_title", sa.String(100), nullable=False),
        sa.Column("plan_bytes", sa.BigInteger()),
        sa.Column("balance_fen", sa.BigInteger()),
        sa.Column("billing_begin", sa.Date()),
        sa.Column("billing_end", sa.Date()),
        sa.Column("activated_on", sa.Date()),
        sa.Column("outbound_on", sa.Date()),
        sa.Column("created_on", sa.Date()),
        sa.Column("silent_until", sa.Date()),
        sa.Column("test_until", sa.Date()),
        sa.Column("test_bytes", sa.BigInteger()),
        sa.Column("remark", sa.String(500), nullable=False),
        sa.Column("device_id", sa.Integer()),
        sa.Column("bound_ms", sa.BigInteger()),
        sa.Column("reported_ms", sa.BigInteger()),
        sa.Column("seen_device_id", sa.Integer()),
        sa.Column("seen_ms", sa.BigInteger()),
        sa.Column("moved_ms", sa.BigInteger()),
        sa.Column("noted_ms", sa.BigInteger(), nullable=False),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sim_card"),
        sa.UniqueConstraint("iccid", name="uq_sim_card_iccid"),
        sa.ForeignKeyConstraint(["owner_id"], ["user.id"], name="fk_sim_card_owner_id", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name="fk_sim_card_device_id", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["seen_device_id"], ["device.id"], name="fk_sim_card_seen_device_id", ondelete="SET NULL"
        ),
        **NUMBERS_ONCE,
    )
    for column in ("owner_id", "expires_on", "device_id", "seen_device_id"):
        op.create_index(f"ix_sim_card_{column}", "sim_card", [column])
    _of_cards(
        "sim_card_usage",
        sa.Column("received", sa.BigInteger(), nullable=False),
        sa.Column("sent", sa.BigInteger(), nullable=False),
    )
    _of_cards(
        "sim_card_billing",
        sa.Column("used_bytes", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("noted_ms", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "gateway_modem",
        sa.Column("device_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("imei", sa.String(15), nullable=False),
        sa.Column("iccid", sa.String(20), nullable=False),
        sa.Column("signal", sa.SmallInteger(), nullable=False),
        sa.Column("reported_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("device_id", name="pk_gateway_modem"),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name="fk_gateway_modem_device_id", ondelete="CASCADE"
        ),
    )
    op.create_table(
        "gateway_link",
        sa.Column("device_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("interface", sa.String(15), nullable=False),
        sa.Column("since_ms", sa.BigInteger(), nullable=False),
        sa.Column("received", sa.BigInteger(), nullable=False),
        sa.Column("sent", sa.BigInteger(), nullable=False),
        sa.Column("reported_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("device_id", "interface", name="pk_gateway_link"),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name="fk_gateway_link_device_id", ondelete="CASCADE"
        ),
    )


def _of_cards(table: str, *columns: sa.Column[object]) -> None:
    op.create_table(
        table,
        sa.Column("card_id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("day", sa.Date(), nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("card_id", "day", name=f"pk_{table}"),
        sa.ForeignKeyConstraint(["card_id"], ["sim_card.id"], name=f"fk_{table}_card_id", ondelete="CASCADE"),
    )


def downgrade() -> None:
    for table in ("gateway_link", "gateway_modem", "sim_card_billing", "sim_card_usage", "sim_card"):
        op.drop_table(table)
