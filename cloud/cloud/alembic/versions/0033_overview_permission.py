"""The landing page is for every user type: groups of before name it too

A group lists what its members have. It gets PlatformOverView where it has the monitoring of devices, of which
the page is a summary; groups without it stay as they are, and so does a rule that somebody set.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

CODE, BESIDE = "PlatformOverView", "Monitor.DeviceMonitor"

GROUP = sa.table("auth_group", sa.column("id", sa.Integer), sa.column("permissions", sa.JSON))


def upgrade() -> None:
    connection = op.get_bind()
    for number, permissions in connection.execute(sa.select(GROUP.c.id, GROUP.c.permissions)).all():
        if BESIDE in permissions and CODE not in permissions:
            more = sorted({*permissions, CODE})
            connection.execute(sa.update(GROUP).where(GROUP.c.id == number).values(permissions=more))


def downgrade() -> None:
    """A group with the permission is one that could be made before."""
