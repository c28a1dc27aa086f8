"""Outcomes of commands, request ids, what the audit is told of them; who gave a rule an access password"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("command", sa.Column("outcome", sa.String(length=20), nullable=False, server_default=""))
    op.add_column("command", sa.Column("seen_ms", sa.BigInteger(), nullable=True))
    op.add_column("command", sa.Column("target", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("command", sa.Column("request_id", sa.String(length=64), nullable=True))
    op.add_column("command", sa.Column("request_hash", sa.String(length=64), nullable=True))
    op.add_column("command", sa.Column("audit_due", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("uq_command_request", "command", ["user_id", "request_id"], unique=True)
    op.create_index(op.f("ix_command_audit_due"), "command", ["audit_due"], unique=False)
    op.execute("UPDATE command SET outcome = 'done' WHERE status = 'resp'")
    op.execute("UPDATE command SET outcome = 'failed' WHERE status NOT IN ('create', 'send', 'resp')")
    op.execute(
        "UPDATE command SET outcome = 'unknown' "
        "WHERE action IN ('W', 'reload', 'reboot', 'reallocate', 'revert') "
        "AND ((status IN ('fail', 'error') "
        "AND code IN ('no_answer', 'bad_frame', 'port_down', 'interrupted', 'internal')) "
        "OR (status = 'networkError' AND code = 'no_answer' AND sent_ms IS NOT NULL))"
    )
    op.add_column("exchange_rule", sa.Column("granted_ms", sa.BigInteger(), nullable=True))
    op.add_column(
        "exchange_rule", sa.Column("granted_user", sa.String(length=64), nullable=False, server_default="")
    )
    op.add_column("exchange_rule", sa.Column("granted_password_ms", sa.BigInteger(), nullable=True))
    op.add_column("audit_entry", sa.Column("reference", sa.String(length=40), nullable=True))
    op.create_index(op.f("ix_audit_entry_reference"), "audit_entry", ["reference"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("audit_entry", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_audit_entry_reference"))
        batch_op.drop_column("reference")
    with op.batch_alter_table("exchange_rule", schema=None) as batch_op:
        for column in ("granted_password_ms", "granted_user", "granted_ms"):
            batch_op.drop_column(column)
    with op.batch_alter_table("command", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_command_audit_due"))
        batch_op.drop_index("uq_command_request")
        for column in ("audit_due", "request_hash", "request_id", "target", "seen_ms", "outcome"):
            batch_op.drop_column(column)
