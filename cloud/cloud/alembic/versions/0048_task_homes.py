"""Where timed tasks run, and what gateways hold of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

INDEX = "uq_task_run_planned"


def upgrade() -> None:
    op.create_table(
        "gateway_tasks",
        sa.Column(
            "device_id",
            sa.Integer,
            sa.ForeignKey("device.id", name="fk_gateway_tasks_device_id", ondelete="CASCADE"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("takes", sa.Boolean, nullable=False),
        sa.Column("hash", sa.String(64), nullable=True),
        sa.Column("numbers", sa.JSON, nullable=False),
        sa.Column("problems", sa.JSON, nullable=False),
        sa.Column("sent_hash", sa.String(64), nullable=True),
        sa.Column("sent_numbers", sa.JSON, nullable=False),
        sa.Column("past", sa.JSON, nullable=False),
    )
    op.add_column("task", sa.Column("home", sa.String(10), nullable=False, server_default="cloud"))
    op.add_column("task", sa.Column("home_reason", sa.String(40), nullable=False, server_default=""))
    op.drop_index(INDEX, "task_run")
    op.create_index(INDEX, "task_run", ["task_id", "version", "planned_ms"], unique=True)


def downgrade() -> None:
    op.drop_index(INDEX, "task_run")
    op.create_index(INDEX, "task_run", ["task_id", "planned_ms"], unique=True)
    with op.batch_alter_table("task") as table:
        for name in ("home_reason", "home"):
            table.drop_column(name)
    op.drop_table("gateway_tasks")
