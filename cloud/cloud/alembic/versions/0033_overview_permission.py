"""The landing page is for every user type: groups and rules of before name it too

A group lists what its members have. It gets PlatformOverView where it has the monitoring of devices, of which
the page is a summary; groups without it stay as they are. A rule that says no more than the former default
says the new one.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

CODE, BESIDE = "PlatformOverView", "Monitor.DeviceMonitor"
FORMER, NOW = "0123", "0123456"

GROUP = sa.table("auth_group", sa.column("id", sa.Integer), sa.column("permissions", sa.JSON))
RULE = sa.table("auth_rule", sa.column("code", sa.String), sa.column("types", sa.String))


def upgrade() -> None:
    connection = op.get_bind()
    for number, permissions in connection.execute(sa.select(GROUP.c.id, GROUP.c.permissions)).all():
        if BESIDE in permissions and CODE not in permissions:
            more = sorted({*permissions, CODE})
            connection.execute(sa.update(GROUP).where(GROUP.c.id == number).values(permissions=more))
    connection.execute(sa.update(RULE).where(RULE.c.code == CODE, RULE.c.types == FORMER).values(types=NOW))


def downgrade() -> None:
    """A group with the permission is one that could be made before."""
