"""When a wrong secret was tried in the name of a gateway"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("device", sa.Column("refused_ms", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("device", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_column("refused_ms")
