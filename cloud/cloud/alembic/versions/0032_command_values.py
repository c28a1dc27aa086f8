"""What a try of a formula or script gave, beside the one value of a command

Revision 0028 is the newest before it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("command", sa.Column("result_values", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    op.drop_column("command", "result_values")
