"""Names of values; switches are commanded by position, also what waits and what presets hold

The portal wrote what the device holds for a position, the gateway took 0 and 1 as the position. A stored
write that both took alike becomes that position. One that they took differently (0 where on is 0) stays as it
is: it is refused, and its preset says that it must be entered again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

LONGEST_WORD = 20
JSON = sa.JSON(none_as_null=True)

POINT = sa.table(
    "data_point",
    sa.column("id"),
    sa.column("kind"),
    sa.column("on_value", JSON),
    sa.column("off_value", JSON),
)
PRESET = sa.table("command_preset", sa.column("id"), sa.column("writes", JSON))
COMMAND = sa.table(
    "command", sa.column("id"), sa.column("dsid"), sa.column("action"), sa.column("status"),
    sa.column("value", JSON),
)  # fmt: skip
DEVICE = sa.table("device", sa.column("catalog"))

Levels = Mapping[int, tuple[Any, Any]]
"""What the device holds for on and off, of every switch."""


def upgrade() -> None:
    _positions(op.get_bind())
    op.drop_column("data_point", "on_value")
    op.drop_column("data_point", "off_value")
    op.add_column("data_point", sa.Column("selector", JSON, nullable=True))
    for name in ("on_text", "off_text"):
        word = sa.Column(name, sa.String(LONGEST_WORD), nullable=False, server_default="")
        op.add_column("data_point", word)
    op.execute(
        DEVICE.update().values(catalog="")
    )  # each gateway is asked for its catalog, which has the names


def downgrade() -> None:
    for name in ("off_text", "on_text", "selector"):
        op.drop_column("data_point", name)
    op.add_column("data_point", sa.Column("on_value", JSON, nullable=True))
    op.add_column("data_point", sa.Column("off_value", JSON, nullable=True))
    op.execute(DEVICE.update().values(catalog=""))


def _positions(bind: sa.Connection) -> None:
    switches = bind.execute(sa.select(POINT).where(POINT.c.kind == "swh"))
    levels = {row.id: (row.on_value, row.off_value) for row in switches}
    for row in bind.execute(sa.select(PRESET)).all():
        writes = [
            {**write, "value": _as_position(levels, write["dsid"], write["value"])} for write in row.writes
        ]
        if repr(writes) != repr(row.writes):  # 1 is True
            bind.execute(PRESET.update().where(PRESET.c.id == row.id).values(writes=writes))
    waiting = sa.select(COMMAND).where(COMMAND.c.action == "W", COMMAND.c.status == "create")
    for row in bind.execute(waiting).all():
        value = _as_position(levels, row.dsid, row.value)
        if value is not row.value:
            bind.execute(COMMAND.update().where(COMMAND.c.id == row.id).values(value=value))


def _as_position(levels: Levels, dsid: int, value: Any) -> Any:
    if dsid not in levels or isinstance(value, bool) or not isinstance(value, int | float | str):
        return value
    on, off = (usual if level is None else level for level, usual in zip(levels[dsid], (1, 0), strict=True))
    by_portal = True if value == on else False if value == off else None
    by_gateway = bool(value) if value in (0, 1) else None
    if by_portal is None or by_gateway is None:
        known = by_gateway if by_portal is None else by_portal
        return value if known is None else known
    return by_portal if by_portal == by_gateway else value
