"""Forwarders as a gateway's newest configuration has them: rows of its draft.

What the options of a kind mean is the gateway's to say; nothing here names a kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.editing import Editing
from cloud.domains.points.fields import Row
from cloud.domains.points.rows import with_rows
from cloud.domains.points.schemas import Base, Hash, Name, Saved
from cloud.errors import Conflict, ParameterError
from edge_contract.deployment import Document
from edge_contract.document.masking import masked, unmasked
from edge_contract.document.rows import rows_of
from edge_contract.targets import MAX_TARGETS

SECTION = "forwarders"
CHANGED, REMOVED = "forwarder.changed", "forwarder.removed"

RowChange = Callable[[Document, Document], Document]
"""Of the newest document; told with what the edit began, too."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ForwarderFields(_Strict):
    """A target. options: of its kind, judged by the gateway. max_mb: of data that may wait, null for the
    gateway's default; max_age_h: how long they may, 0 for as long as there is space. start: of a new one.
    """

    name: Name
    kind: Name
    enable: bool = True
    max_mb: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    max_age_h: Annotated[int, Field(ge=0, le=87_600)] = 0
    start: Literal["end", "oldest"] = "end"
    options: dict[str, Any] = {}


class ForwarderRow(BaseModel):
    """fields: as the document has them, secrets masked for everybody. at: its place in the document, by which
    the gateway's faults name it.
    """

    at: int
    fields: dict[str, Any]


class Forwarders(_Strict):
    """base: name of the version that the rows are of, None while there is none yet."""

    base: Hash | None
    changeable: bool
    rows: list[ForwarderRow]


class ForwarderBody(_Strict):
    """A target as it is to be. was: its name until now, null for a new one; base: the version that the editor
    began with, in which the target was as he saw it. like: of a new one the target of base whose secrets its
    masks stand for: a copy, or one that was removed and comes back.
    """

    was: Name | None = None
    base: Base = None
    like: Name | None = None
    forwarder: ForwarderFields


class ForwarderService:
    """Editing in the draft."""

    def __init__(self, editing: Editing) -> None:
        self._editing = editing

    async def forwarders(self, user: CurrentUser, device_id: int) -> Forwarders:
        """Of the newest configuration, deployed or not."""
        opened = await self._editing.opened(user, device_id)
        rows = masked(rows_of(opened.document, SECTION))  # looking through all points would hold the loop
        return Forwarders(
            base=opened.base,
            changeable=opened.changeable,
            rows=[ForwarderRow(at=at, fields=row) for at, row in enumerate(rows)],
        )

    async def save(self, user: CurrentUser, device_id: int, body: ForwarderBody) -> Saved:
        """Conflict when somebody changed or removed this target since base, or another one has the name;
        NotFound for a row that is not there.
        """

        def change(document: Document, begun: Document) -> Document:
            return _with(document, begun, body)

        name = await self._keep(user, device_id, body.base, body.was, change)
        return Saved(base=name, faults=[])

    async def delete(self, user: CurrentUser, device_id: int, name: str, base: str | None = None) -> Saved:
        """What waits for it on the gateway is dropped when the draft is deployed. Raises as save."""

        def change(document: Document, _begun: Document) -> Document:
            return with_rows(document, SECTION, removed=[(name,)])

        newest = await self._keep(user, device_id, base, name, change)
        return Saved(base=newest, faults=[])

    async def _keep(
        self, user: CurrentUser, device_id: int, base: str | None, target: str | None, change: RowChange
    ) -> str:
        """Name of the new draft. base: with what the edit of the target began; changes of other rows since
        then stay, and are no conflict.
        """
        begun = None if base is None else await self._editing.begun_with(user, device_id, base)

        def checked(document: Document) -> Document:
            if begun is not None and target is not None:
                _refuse_changed(begun, document, target)
            return change(document, begun or document)

        # A base that is forgotten says nothing of the target: it has to be the newest one.
        any_base = base is None or begun is not None
        try:
            return (await self._editing.keep(user, device_id, base, checked, any_base=any_base))[0]
        except Conflict as conflict:
            if base is None or conflict.reason not in (CHANGED, REMOVED):
                raise
            conflict.arguments["author"] = await self._editing.only_author(user, device_id, base)
            raise


def _with(document: Document, begun: Document, body: ForwarderBody) -> Document:
    row = body.forwarder.model_dump(exclude_defaults=True)
    if body.was is not None:
        row = unmasked(row, _named(document, body.was))  # also of one with another name
    elif body.like is not None:
        row = unmasked(row, _named(begun, body.like))
    if body.was is None and len(rows_of(document, SECTION)) >= MAX_TARGETS:
        raise ParameterError("forwarder", f"at most {MAX_TARGETS} targets")
    if body.was is None:
        return with_rows(document, SECTION, added=[row])
    return with_rows(document, SECTION, changed={(body.was,): row})


def _refuse_changed(begun: Document, now: Document, name: str) -> None:
    """Raises Conflict with the names of what somebody changed in a target since an edit of it began."""
    before, after = (_named(document, name) for document in (begun, now))
    if before is None or before == after:
        return
    if after is None:
        raise Conflict(
            f"forwarding target {name} was removed or renamed by somebody else meanwhile",
            field="base",
            rule="of a version that has the target",
            reason=REMOVED,
            arguments={"name": name},
        )
    fields = ", ".join(_changed_fields(before, after))
    raise Conflict(
        f"forwarding target {name} was changed by somebody else meanwhile: {fields}",
        field="base",
        rule="of a version with the target as it is now",
        reason=CHANGED,
        arguments={"name": name, "fields": fields},
    )


def _named(document: Document, name: str) -> Row | None:
    return next((row for row in rows_of(document, SECTION) if row.get("name") == name), None)


def _changed_fields(before: Row, after: Row) -> list[str]:
    """Names of fields, options as options.NAME; no values, which may be secrets."""
    flat = [
        {name: value for name, value in row.items() if name != "options"}
        | {f"options.{name}": value for name, value in row.get("options", {}).items()}
        for row in (before, after)
    ]
    return [
        name for name in sorted(flat[0].keys() | flat[1].keys()) if flat[0].get(name) != flat[1].get(name)
    ]
