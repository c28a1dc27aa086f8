"""Alarms of points act: what they lacked, and which point a trigger's rules come from"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

NUMBERS_ONCE = {"sqlite_autoincrement": True}
NUMBERS = ("alarm_state", "alarm_deadband", "alarm_off_delay_s")
NAMES = (*NUMBERS, "alarm_linkage", "alarm_user_id", "alarm_user_name")


def upgrade() -> None:
    with op.batch_alter_table("point_setting") as table:
        for column in (
            sa.Column("alarm_state", sa.SmallInteger(), nullable=True),
            sa.Column("alarm_deadband", sa.Float(), nullable=True),
            sa.Column("alarm_off_delay_s", sa.Integer(), nullable=True),
            sa.Column("alarm_linkage", sa.JSON(), nullable=True),
            sa.Column("alarm_user_id", sa.Integer(), nullable=True),
            sa.Column("alarm_user_name", sa.String(length=64), nullable=True),
        ):
            table.add_column(column)
        table.create_foreign_key(
            "fk_point_setting_alarm_user_id", "user", ["alarm_user_id"], ["id"], ondelete="SET NULL"
        )
    with op.batch_alter_table("alarm_trigger", table_kwargs=NUMBERS_ONCE) as table:
        table.add_column(sa.Column("point_id", sa.Integer(), nullable=True))
        table.create_foreign_key(
            "fk_alarm_trigger_point_id", "data_point", ["point_id"], ["id"], ondelete="CASCADE"
        )
    op.create_index("ix_alarm_trigger_point_id", "alarm_trigger", ["point_id"], unique=True)


def downgrade() -> None:
    op.execute("DELETE FROM alarm_trigger WHERE point_id IS NOT NULL")
    op.execute("DELETE FROM alarm_rule WHERE trigger_id NOT IN (SELECT id FROM alarm_trigger)")
    op.execute("DELETE FROM trigger_gateway WHERE trigger_id NOT IN (SELECT id FROM alarm_trigger)")
    op.execute("DELETE FROM linkage_run WHERE trigger_id NOT IN (SELECT id FROM alarm_trigger)")
    op.drop_index("ix_alarm_trigger_point_id", table_name="alarm_trigger")
    with op.batch_alter_table("alarm_trigger", table_kwargs=NUMBERS_ONCE) as table:
        table.drop_constraint("fk_alarm_trigger_point_id", type_="foreignkey")
        table.drop_column("point_id")
    with op.batch_alter_table("point_setting") as table:
        table.drop_constraint("fk_point_setting_alarm_user_id", type_="foreignkey")
        for name in NAMES:
            table.drop_column(name)
