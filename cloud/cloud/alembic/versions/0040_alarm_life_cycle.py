"""Alarms have a life cycle: states, the record of their changes, and what keeps them quiet for a time"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

COLUMNS = ("state", "quiet", "latched", "acked_ms", "acked_by", "acked_name", "parent_id")


def _user(name: str) -> sa.Column[int]:
    return sa.Column(
        name.split(".")[1],
        sa.Integer,
        sa.ForeignKey("user.id", name="fk_" + name.replace(".", "_"), ondelete="SET NULL"),
        nullable=True,
    )


def upgrade() -> None:
    with op.batch_alter_table("alarm_event") as table:
        table.add_column(sa.Column("state", sa.String(16), nullable=False, server_default="normal"))
        table.add_column(sa.Column("quiet", sa.String(16), nullable=False, server_default=""))
        table.add_column(sa.Column("latched", sa.Boolean, nullable=False, server_default=sa.false()))
        table.add_column(sa.Column("acked_ms", sa.BigInteger, nullable=True))
        table.add_column(_user("alarm_event.acked_by"))
        table.add_column(sa.Column("acked_name", sa.String(64), nullable=False, server_default=""))
        table.add_column(
            sa.Column(
                "parent_id",
                sa.Integer,
                sa.ForeignKey("alarm_event.id", name="fk_alarm_event_parent_id", ondelete="SET NULL"),
                nullable=True,
            )
        )
        table.create_index("ix_alarm_event_state", ["state"])
        table.create_index("ix_alarm_event_parent_id", ["parent_id"])
    # Who has handled an alarm has seen it.
    op.execute(
        "UPDATE alarm_event SET acked_ms = handled_ms, acked_by = handled_by, acked_name = handled_name"
        " WHERE status <> 0 AND handled_ms IS NOT NULL AND alarm_type NOT IN (0, 3)"
    )
    op.execute(
        "UPDATE alarm_event SET state = CASE WHEN recovered_ms IS NULL THEN"
        " CASE WHEN acked_ms IS NULL THEN 'unacknowledged' ELSE 'acknowledged' END"
        " ELSE CASE WHEN acked_ms IS NULL THEN 'returned' ELSE 'normal' END END"
        " WHERE alarm_type NOT IN (0, 3)"
    )
    op.create_table(
        "alarm_change",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "event_id",
            sa.Integer,
            sa.ForeignKey("alarm_event.id", name="fk_alarm_change_event_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("what", sa.String(16), nullable=False),
        sa.Column("before", sa.String(16), nullable=False),
        sa.Column("after", sa.String(16), nullable=False),
        sa.Column("at_ms", sa.BigInteger, nullable=False),
        _user("alarm_change.user_id"),
        sa.Column("user_name", sa.String(64), nullable=False),
        sa.Column("note", sa.String(500), nullable=False),
    )
    op.create_index("ix_alarm_change_event_id", "alarm_change", ["event_id"])
    op.create_table(
        "alarm_suppression",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column(
            "device_id",
            sa.Integer,
            sa.ForeignKey("device.id", name="fk_alarm_suppression_device_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("rule_id", sa.Integer, nullable=True),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("reason", sa.String(500), nullable=False),
        _user("alarm_suppression.user_id"),
        sa.Column("user_name", sa.String(64), nullable=False),
        sa.Column("begin_ms", sa.BigInteger, nullable=False),
        sa.Column("until_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_ms", sa.BigInteger, nullable=True),
        sa.Column("ended_name", sa.String(64), nullable=False),
        sqlite_autoincrement=True,
    )
    for name in ("device_id", "until_ms", "ended_ms"):
        op.create_index(f"ix_alarm_suppression_{name}", "alarm_suppression", [name])


def downgrade() -> None:
    op.drop_table("alarm_suppression")
    op.drop_table("alarm_change")
    with op.batch_alter_table("alarm_event") as table:
        table.drop_index("ix_alarm_event_parent_id")
        table.drop_index("ix_alarm_event_state")
        table.drop_constraint("fk_alarm_event_parent_id", type_="foreignkey")
        table.drop_constraint("fk_alarm_event_acked_by", type_="foreignkey")
        for name in COLUMNS:
            table.drop_column(name)
