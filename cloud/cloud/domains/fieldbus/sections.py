"""The sections of the internal slave and of loop-write tasks in a gateway's draft.

A replacement is merged with what others changed since its base: rows by their keys, the slave by its fields.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pydantic import BaseModel

from cloud.domains.fieldbus.schemas import (
    InternalSlaveBody,
    InternalSlaveDraft,
    LoopWritesBody,
    LoopWritesDraft,
)
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.editing import Change, Editing
from cloud.domains.points.fields import Row
from cloud.domains.points.schemas import Saved
from cloud.errors import Conflict
from edge_contract.deployment import Document
from edge_contract.document.merge import Clash, merge
from edge_contract.document.rows import by_key, key_of, name_of, rows_of

SLAVE, POINTS, LOOP_WRITES = "internal_slave", "internal_slave_points", "loop_writes"
CHANGED = "fieldbus.changed"
NAMED_CLASHES = 5
"""In a refusal; a draft has thousands of rows."""


class SectionService:
    """Reading and replacing them."""

    def __init__(self, editing: Editing) -> None:
        self._editing = editing

    async def internal_slave(self, user: CurrentUser, device_id: int) -> InternalSlaveDraft:
        """Of the newest configuration, deployed or not."""
        opened = await self._editing.opened(user, device_id)
        section = opened.document.get(SLAVE)
        return InternalSlaveDraft(
            base=opened.base,
            changeable=opened.changeable,
            internal_slave=section if isinstance(section, dict) else None,
            points=rows_of(opened.document, POINTS),
        )

    async def put_internal_slave(self, user: CurrentUser, device_id: int, body: InternalSlaveBody) -> Saved:
        """Raises Conflict when somebody changed the same since base, ParameterError for what no draft can
        hold.
        """

        def made(before: Document) -> Document:
            slave: Document = {}
            if body.internal_slave is not None:
                slave[SLAVE] = _fields(body.internal_slave, before.get(SLAVE))
            return slave | {POINTS: _rows(POINTS, body.points, before)}

        return await self._replace(user, device_id, body.base, made, (SLAVE, POINTS))

    async def loop_writes(self, user: CurrentUser, device_id: int) -> LoopWritesDraft:
        """As internal_slave."""
        opened = await self._editing.opened(user, device_id)
        tasks = rows_of(opened.document, LOOP_WRITES)
        return LoopWritesDraft(base=opened.base, changeable=opened.changeable, tasks=tasks)

    async def put_loop_writes(self, user: CurrentUser, device_id: int, body: LoopWritesBody) -> Saved:
        """As put_internal_slave."""

        def made(before: Document) -> Document:
            return {LOOP_WRITES: _rows(LOOP_WRITES, body.tasks, before)}

        return await self._replace(user, device_id, body.base, made, (LOOP_WRITES,))

    async def _replace(
        self, user: CurrentUser, device_id: int, base: str | None, made: Change, sections: Collection[str]
    ) -> Saved:
        """made: these sections as they are to be; told the document that the edit began with."""
        begun = None if base is None else await self._editing.begun_with(user, device_id, base)

        def change(document: Document) -> Document:
            before = document if begun is None else begun
            merged = merge(_only(before, sections), made(before), _only(document, sections))
            if merged.clashes:
                raise _refusal(merged.clashes)
            others = {name: value for name, value in document.items() if name not in sections}
            return others | {name: value for name, value in merged.document.items() if value != []}

        # A base that is forgotten says nothing of the sections: it has to be the newest version.
        any_base = base is None or begun is not None
        try:
            name, _ = await self._editing.keep(user, device_id, base, change, any_base=any_base)
        except Conflict as conflict:
            if base is not None and conflict.reason == CHANGED:
                conflict.arguments["author"] = await self._editing.only_author(user, device_id, base)
            raise
        return Saved(base=name, faults=[])


def _rows(section: str, rows: Sequence[BaseModel], before: Document) -> list[Row]:
    known = by_key(before, section)
    return [_fields(row, known.get(key_of(section, row.model_dump()))) for row in rows]


def _fields(fields: BaseModel, before: object) -> Row:
    """As the document is to have them: without defaults, but what stood there as a default stays, and so does
    what a newer agent knows and this model does not.
    """
    given: Row = fields.model_dump(exclude_defaults=True)
    known = type(fields).model_fields
    stays = {
        name: value
        for name, value in (before.items() if isinstance(before, dict) else ())
        if name not in given and (name not in known or value == known[name].default)
    }
    return given | stays


def _only(document: Document, sections: Collection[str]) -> Document:
    return {name: value for name, value in document.items() if name in sections}


def _refusal(clashes: list[Clash]) -> Conflict:
    names = [name_of(clash.key) if clash.key else clash.field or clash.section for clash in clashes]
    named = ", ".join(names[:NAMED_CLASHES])
    what = named if len(clashes) <= NAMED_CLASHES else f"{named} …"
    return Conflict(
        f"somebody else has changed the same meanwhile: {what}",
        field="base",
        rule="of a version in which they are as they are now",
        reason=CHANGED,
        arguments={"what": what},
    )
