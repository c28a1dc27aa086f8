"""Contacts, contact groups, and the outbox, deliveries and charges of notifications."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, columns in (
        (
            "contact",
            (
                sa.Column("name", sa.String(100), nullable=False),
                sa.Column("phone", sa.String(40), nullable=False),
                sa.Column("email", sa.String(200), nullable=False),
                sa.Column("wechat", sa.String(64), nullable=False),
                sa.Column("language", sa.String(2), nullable=False),
                sa.Column("enabled", sa.Boolean, nullable=False),
            ),
        ),
        (
            "contact_group",
            (
                sa.Column("saved_for", sa.Integer, nullable=False),
                sa.Column("title", sa.String(100), nullable=False),
                sa.Column("enabled", sa.Boolean, nullable=False),
                sa.Column("body", sa.JSON, nullable=False),
                sa.Column("robots", sa.JSON, nullable=False),
            ),
        ),
    ):
        op.create_table(
            name,
            sa.Column("id", sa.Integer, primary_key=True),
            sa.Column(
                "owner_id",
                sa.Integer,
                sa.ForeignKey("user.id", name=f"fk_{name}_owner_id", ondelete="SET NULL"),
                nullable=True,
            ),
            *columns,
            sa.Column("created_ms", sa.BigInteger, nullable=False),
            sa.Column("changed_ms", sa.BigInteger, nullable=False),
            sqlite_autoincrement=True,
        )
        op.create_index(f"ix_{name}_owner_id", name, ["owner_id"])
    op.create_table(
        "contact_group_member",
        sa.Column(
            "group_id",
            sa.Integer,
            sa.ForeignKey("contact_group.id", name="fk_contact_group_member_group_id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column(
            "contact_id",
            sa.Integer,
            sa.ForeignKey("contact.id", name="fk_contact_group_member_contact_id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
    )
    op.create_index("ix_contact_group_member_contact_id", "contact_group_member", ["contact_id"])
    op.create_table(
        "notification_outbox",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "event_id",
            sa.Integer,
            sa.ForeignKey("alarm_event.id", name="fk_notification_outbox_event_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("change", sa.String(8), nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("why", sa.String(20), nullable=False),
        sa.Column("noted_ms", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_notification_outbox_event_id", "notification_outbox", ["event_id"])
    op.create_table(
        "notification_delivery",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("owner", sa.Integer, nullable=False),
        sa.Column("recipient", sa.String(24), nullable=False),
        sa.Column("contact_id", sa.Integer, nullable=True),
        sa.Column("group_id", sa.Integer, nullable=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("channel", sa.String(10), nullable=False),
        sa.Column("address", sa.String(200), nullable=False),
        sa.Column("is_test", sa.Boolean, nullable=False),
        sa.Column("state", sa.String(8), nullable=False),
        sa.Column("reason", sa.String(24), nullable=False),
        sa.Column("detail", sa.String(200), nullable=False),
        sa.Column("receipt", sa.String(200), nullable=False),
        sa.Column("subject", sa.String(300), nullable=False),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("attempts", sa.SmallInteger, nullable=False),
        sa.Column("charged", sa.SmallInteger, nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("due_ms", sa.BigInteger, nullable=False),
        sa.Column("sent_ms", sa.BigInteger, nullable=True),
        sqlite_autoincrement=True,
    )
    for column in ("owner", "contact_id", "group_id", "created_ms"):
        op.create_index(f"ix_notification_delivery_{column}", "notification_delivery", [column])
    op.create_index("ix_notification_delivery_open", "notification_delivery", ["state", "channel", "due_ms"])
    op.create_index(
        "ix_notification_delivery_pair", "notification_delivery", ["recipient", "channel", "sent_ms"]
    )
    op.create_table(
        "notification_item",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "delivery_id",
            sa.Integer,
            sa.ForeignKey(
                "notification_delivery.id", name="fk_notification_item_delivery_id", ondelete="CASCADE"
            ),
            nullable=False,
        ),
        sa.Column("recipient", sa.String(24), nullable=False),
        sa.Column("channel", sa.String(10), nullable=False),
        sa.Column("event_id", sa.Integer, nullable=False),
        sa.Column("change", sa.String(8), nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("why", sa.String(20), nullable=False),
        sa.UniqueConstraint(
            "recipient", "channel", "event_id", "change", "round", name="uq_notification_item_recipient"
        ),
    )
    for column in ("delivery_id", "event_id"):
        op.create_index(f"ix_notification_item_{column}", "notification_item", [column])
    op.create_table(
        "notification_charge",
        sa.Column("owner", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("channel", sa.String(10), primary_key=True),
        sa.Column("units", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    for table in (
        "notification_charge", "notification_item", "notification_delivery", "notification_outbox",
        "contact_group_member", "contact_group", "contact",
    ):  # fmt: skip
        op.drop_table(table)
