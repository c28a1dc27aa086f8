"""What a command comes from in columns of its own, by which the log is filtered.

Commands of before 0045 say it in their address, without the title of then.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

KINDS = ("trigger", "exchange", "task")

COMMAND = sa.table(
    "command",
    sa.column("address", sa.String),
    sa.column("origin", sa.JSON(none_as_null=True)),
    sa.column("origin_kind", sa.String),
    sa.column("origin_id", sa.Integer),
    sa.column("origin_title", sa.String),
)


def upgrade() -> None:
    op.add_column("command", sa.Column("origin_kind", sa.String(10)))
    op.add_column("command", sa.Column("origin_id", sa.Integer))
    op.add_column("command", sa.Column("origin_title", sa.String(200), nullable=False, server_default=""))
    columns = COMMAND.c
    op.execute(
        COMMAND.update()
        .where(columns.origin.is_not(None))
        .values(
            origin_kind=columns.origin["kind"].as_string(),
            origin_id=columns.origin["id"].as_integer(),
            origin_title=columns.origin["title"].as_string(),
        )
    )
    for kind in KINDS:
        number = sa.func.substr(columns.address, len(kind) + 2)
        op.execute(
            COMMAND.update()
            .where(columns.origin.is_(None), columns.address.like(f"{kind} %"))
            .values(origin_kind=kind, origin_id=sa.cast(number, sa.Integer))
        )
    op.drop_column("command", "origin")
    op.drop_index("ix_command_device_id", "command")
    op.create_index("ix_command_device", "command", ["device_id", "origin_kind", "created_ms"])
    op.create_index("ix_command_origin", "command", ["origin_kind", "origin_id", "created_ms"])


def downgrade() -> None:
    op.drop_index("ix_command_origin", "command")
    op.drop_index("ix_command_device", "command")
    op.create_index("ix_command_device_id", "command", ["device_id"])
    op.add_column("command", sa.Column("origin", sa.JSON))
    columns = COMMAND.c
    on_postgresql = op.get_bind().dialect.name == "postgresql"
    as_object = sa.func.json_build_object if on_postgresql else sa.func.json_object
    fields = [
        sa.literal("kind"),
        columns.origin_kind,
        sa.literal("id"),
        columns.origin_id,
        sa.literal("title"),
        columns.origin_title,
    ]
    op.execute(
        COMMAND.update()
        .where(columns.origin_kind.is_not(None))
        .values(origin=as_object(*fields, type_=sa.JSON))
    )
    for name in ("origin_title", "origin_id", "origin_kind"):
        op.drop_column("command", name)
