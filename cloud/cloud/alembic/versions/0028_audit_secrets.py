"""Rows of the audit lose what may be a secret: own passwords were kept as they were sent

Until now fields were masked by their names, and `old` and `new` of a changed password name no secret. Of the
operations that take secrets only what their other fields said is kept; of requests that were refused before
any operation was known, and of parameters, only names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

MASK = "***"
AT_ONCE = 500
HARMLESS: Mapping[str, frozenset[str]] = {
    "": frozenset({"bytes", "content_type"}),
    "changeOwnPassword": frozenset(),
    "resetPassword": frozenset(),
    "putAccessPassword": frozenset(),
    "bindDevice": frozenset({"title"}),
    "createUser": frozenset({
        "user_name", "user_type", "nick_name", "status", "user_expire", "phone", "email", "group_id",
        "parent_id", "bigscreen_title", "remark",
    }),
    "sendCommand": frozenset({"dsid", "action", "value", "batch", "preset_id", "expires_s", "wait"}),
}  # fmt: skip
"""Operations that took secrets, with the fields that hold none."""

ENTRY = sa.table(
    "audit_entry",
    sa.column("id", sa.Integer),
    sa.column("operation", sa.String),
    sa.column("query", sa.JSON),
    sa.column("changes", sa.JSON),
)


def masked(value: Any, harmless: frozenset[str] = frozenset(), *, outermost: bool = False) -> Any:
    """Names stay, and values of harmless fields of the outermost object."""
    if isinstance(value, dict):
        return {
            name: item if outermost and name in harmless and not isinstance(item, dict) else masked(item)
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [masked(item) for item in value]
    return value if value is None or value == "" or isinstance(value, bool) else MASK


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")  # what is replaced is overwritten in the file
    last = 0
    while True:
        query = sa.select(ENTRY).where(ENTRY.c.id > last, ENTRY.c.operation.in_(tuple(HARMLESS)))
        rows = connection.execute(query.order_by(ENTRY.c.id).limit(AT_ONCE)).all()
        if not rows:
            return
        for row in rows:
            changes = masked(row.changes, HARMLESS[row.operation], outermost=True)
            values = {"query": masked(row.query), "changes": changes}
            if json.dumps([row.query, row.changes]) != json.dumps([values["query"], changes]):
                connection.execute(sa.update(ENTRY).where(ENTRY.c.id == row.id).values(values))
        last = rows[-1].id


def downgrade() -> None:
    """What was masked is gone."""
