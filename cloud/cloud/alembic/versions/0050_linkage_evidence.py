"""What linkages did outlasts their triggers, with the name of then."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

NUMBERS_ONCE = {"sqlite_autoincrement": True}
KEY = "fk_linkage_run_trigger_id"


def upgrade() -> None:
    with op.batch_alter_table("linkage_run", table_kwargs=NUMBERS_ONCE) as table:
        table.drop_constraint(KEY, type_="foreignkey")
        table.add_column(sa.Column("trigger_title", sa.String(100), nullable=False, server_default=""))
    op.execute(
        "UPDATE linkage_run SET trigger_title = "
        "(SELECT title FROM alarm_trigger WHERE alarm_trigger.id = linkage_run.trigger_id)"
    )


def downgrade() -> None:
    op.execute("DELETE FROM linkage_run WHERE trigger_id NOT IN (SELECT id FROM alarm_trigger)")
    with op.batch_alter_table("linkage_run", table_kwargs=NUMBERS_ONCE) as table:
        table.drop_column("trigger_title")
        table.create_foreign_key(KEY, "alarm_trigger", ["trigger_id"], ["id"], ondelete="CASCADE")
