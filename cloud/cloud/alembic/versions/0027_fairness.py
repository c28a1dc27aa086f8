"""Batches that wait for their catalog lie apart; streams and removed points know since when"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

CAN_BE_STORED = "filed_ms IS NULL AND waits_ms IS NULL"
WAITS = "filed_ms IS NULL AND waits_ms IS NOT NULL"


def upgrade() -> None:
    op.drop_index("ix_link_batch_unfiled", table_name="link_batch")
    op.add_column("link_batch", sa.Column("waits_ms", sa.BigInteger(), nullable=True))
    _index("ix_link_batch_unfiled", ["gateway", "id"], CAN_BE_STORED)
    _index("ix_link_batch_waiting", ["gateway", "catalog", "id"], WAITS)
    op.add_column("link_stream", sa.Column("retired_ms", sa.BigInteger(), nullable=True))
    op.add_column("data_point", sa.Column("removed_ms", sa.BigInteger(), nullable=True))
    op.create_index("ix_link_quarantine_gateway", "link_quarantine", ["gateway", "id"])


def downgrade() -> None:
    op.drop_index("ix_link_quarantine_gateway", table_name="link_quarantine")
    op.drop_column("data_point", "removed_ms")
    op.drop_column("link_stream", "retired_ms")
    op.drop_index("ix_link_batch_waiting", table_name="link_batch")
    op.drop_index("ix_link_batch_unfiled", table_name="link_batch")
    op.drop_column("link_batch", "waits_ms")
    _index("ix_link_batch_unfiled", ["id"], "filed_ms IS NULL")


def _index(name: str, columns: list[str], where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, "link_batch", columns, sqlite_where=condition, postgresql_where=condition)
