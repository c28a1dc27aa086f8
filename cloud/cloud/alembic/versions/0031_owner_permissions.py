"""Groups of types 4 to 6 get what ownership implies: commands and the device centre

Until now no permission of these types reached to commanding or configuring a gateway, so that no group could
offer or withhold it. A group whose users may see gateways gets both; who owns a gateway or visits it with
read and write acts on it, everybody else is refused as before. A group that shows no gateways stays as it is.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

SEES = "Monitor.DeviceMonitor"
IMPLIED = frozenset({"Device/cmd", "DeviceManage"})
TYPES = (4, 5, 6)

GROUP = sa.table(
    "auth_group",
    sa.column("id", sa.Integer),
    sa.column("user_type", sa.Integer),
    sa.column("permissions", sa.JSON),
)


def upgrade() -> None:
    connection = op.get_bind()
    rows = connection.execute(sa.select(GROUP).where(GROUP.c.user_type.in_(TYPES))).all()
    for row in rows:
        if SEES in row.permissions and not set(row.permissions) >= IMPLIED:
            permissions = sorted(IMPLIED.union(row.permissions))
            connection.execute(sa.update(GROUP).where(GROUP.c.id == row.id).values(permissions=permissions))


def downgrade() -> None:
    """The types do not have these permissions then, whatever their groups say."""
