"""From which number on a stream belongs to the gateway that has it now"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("link_stream", sa.Column("first_own", sa.BigInteger(), nullable=False, server_default="1"))


def downgrade() -> None:
    with op.batch_alter_table("link_stream") as batch:
        batch.drop_column("first_own")
