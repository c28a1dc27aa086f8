"""What the cloud alone knows of a point"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "point_setting",
        sa.Column("device_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("slave", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("line_color", sa.String(length=7), nullable=True),
        sa.Column("gis_show", sa.Boolean(), nullable=True),
        sa.Column("alarm_enable", sa.Boolean(), nullable=True),
        sa.Column("alarm_mode", sa.String(length=8), nullable=True),
        *(
            sa.Column(name, sa.Float(), nullable=True)
            for name in ("alarm_lower", "alarm_upper", "alarm_lower2", "alarm_upper2")
        ),
        sa.Column("alarm_delay_s", sa.Integer(), nullable=True),
        sa.Column("changed_ms", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["device_id"], ["device.id"], name=op.f("fk_point_setting_device_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("device_id", "slave", "name", name=op.f("pk_point_setting")),
    )


def downgrade() -> None:
    op.drop_table("point_setting")
