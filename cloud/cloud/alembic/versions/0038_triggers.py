"""Triggers: rules, what is known of them, what they carried out; alarms say which rule made them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "alarm_trigger",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("title", sa.String(100), nullable=False),
        sa.Column("type", sa.SmallInteger, nullable=False),
        sa.Column("mode", sa.SmallInteger, nullable=False),
        sa.Column("interval_s", sa.Integer, nullable=False),
        sa.Column("enabled", sa.Boolean, nullable=False),
        sa.Column(
            "user_id",
            sa.Integer,
            sa.ForeignKey("user.id", name="fk_alarm_trigger_user_id", ondelete="SET NULL"),
            nullable=True,
        ),
        sa.Column("user_name", sa.String(64), nullable=False),
        sa.Column("created_ms", sa.BigInteger, nullable=False),
        sa.Column("changed_ms", sa.BigInteger, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_alarm_trigger_user_id", "alarm_trigger", ["user_id"])
    op.create_table(
        "alarm_rule",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "trigger_id",
            sa.Integer,
            sa.ForeignKey("alarm_trigger.id", name="fk_alarm_rule_trigger_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("place", sa.SmallInteger, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_alarm_rule_trigger_id", "alarm_rule", ["trigger_id"])
    op.create_table(
        "trigger_gateway",
        sa.Column(
            "trigger_id",
            sa.Integer,
            sa.ForeignKey("alarm_trigger.id", name="fk_trigger_gateway_trigger_id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column(
            "device_id",
            sa.Integer,
            sa.ForeignKey("device.id", name="fk_trigger_gateway_device_id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
    )
    op.create_index("ix_trigger_gateway_device_id", "trigger_gateway", ["device_id"])
    op.create_table(
        "alarm_evaluation",
        sa.Column("device_id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("saved_ms", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "linkage_run",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "trigger_id",
            sa.Integer,
            sa.ForeignKey("alarm_trigger.id", name="fk_linkage_run_trigger_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("rule_id", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("preset_id", sa.Integer, nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        sa.Column("noted_ms", sa.BigInteger, nullable=False),
        sa.Column("is_due", sa.Boolean, nullable=False),
        sa.Column("command_id", sa.String(40), nullable=True),
        sa.Column("problem", sa.String(80), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_linkage_run_trigger_id", "linkage_run", ["trigger_id"])
    op.create_index("ix_linkage_run_noted_ms", "linkage_run", ["noted_ms"])
    for column in (
        sa.Column("rule_id", sa.Integer, nullable=True),
        sa.Column("reason", sa.JSON, nullable=True),
        sa.Column("announced", sa.Integer, nullable=False, server_default="1"),
        sa.Column("last_ms", sa.BigInteger, nullable=True),
    ):
        op.add_column("alarm_event", column)
    op.create_index("ix_alarm_event_rule_id", "alarm_event", ["rule_id"])


def downgrade() -> None:
    op.drop_index("ix_alarm_event_rule_id", table_name="alarm_event")
    with op.batch_alter_table("alarm_event") as table:
        for name in ("rule_id", "reason", "announced", "last_ms"):
            table.drop_column(name)
    for table_name in ("linkage_run", "alarm_evaluation", "trigger_gateway", "alarm_rule", "alarm_trigger"):
        op.drop_table(table_name)
