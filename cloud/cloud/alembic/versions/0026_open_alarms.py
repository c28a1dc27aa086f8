"""How many alarms of a gateway are open: its status says so"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("device", sa.Column("open_alarms", sa.Integer(), nullable=False, server_default="0"))
    op.execute(
        "UPDATE device SET open_alarms = (SELECT count(*) FROM alarm_event"
        " WHERE alarm_event.device_id = device.id AND alarm_event.status = 0"
        " AND alarm_event.recovered_ms IS NULL AND alarm_event.alarm_type NOT IN (0, 3))"
    )


def downgrade() -> None:
    with op.batch_alter_table("device", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_column("open_alarms")
