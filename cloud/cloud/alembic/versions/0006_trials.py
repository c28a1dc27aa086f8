"""What a trial waits for"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("deployment_receipt", schema=None) as batch_op:
        batch_op.add_column(sa.Column("missing", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("deployment_receipt", schema=None) as batch_op:
        batch_op.drop_column("missing")
