"""Scripts of calculated points: rows of a gateway's draft, and a try of one on the gateway.

The language is the gateway's alone: what a text means is asked there, never checked here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from cloud.domains.commands.schemas import CommandStatus, Scalar
from cloud.domains.commands.service import CommandService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.editing import Editing
from cloud.domains.points.rows import row_of
from cloud.domains.points.schemas import Base, Hash, Name, Saved
from cloud.errors import ParameterError
from edge_contract.deployment import Document
from edge_contract.document.rows import rows_of
from edge_contract.limits import MAX_TRIED
from edge_contract.payloads import CommandAction

MAX_SCRIPTS = 100
MAX_TEXT = 20_000
TRY_S = 7
"""A try is waited for, within the portal's 10 s."""
DEFAULTS: Mapping[str, Any] = {"inputs": {}, "state": {}, "capture_freq": 1, "timeout_ms": 50}
"""What a document need not say."""

Text = Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT, pattern=r"^[^\x00]*$")]
Word = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
Reference = Annotated[str, StringConstraints(max_length=130, pattern=r"^[^\x00]*$")]
Tried = Annotated[str, StringConstraints(max_length=130, pattern=r"^[A-Za-z0-9_.-]+$")]
TimeoutMs = Annotated[int, Field(ge=1, le=1000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ScriptFields(_Strict):
    """Lines that calculate points of a slave. inputs: name in the script to a point, "point" of the slave or
    "slave.point"; state: names that keep their values, with the first one; timeout_ms: of processor time.
    """

    name: Name
    slave: Name
    text: Text
    inputs: Annotated[dict[Word, Reference], Field(max_length=100)] = {}
    state: Annotated[dict[Word, Scalar], Field(max_length=100)] = {}
    capture_freq: Annotated[int, Field(ge=1, le=100_000)] = 1
    timeout_ms: TimeoutMs = 50


class ScriptRow(_Strict):
    """A script with the calculated points that are its outputs."""

    fields: ScriptFields
    outputs: list[str]


class Scripts(_Strict):
    """base: name of the version that the rows are of, None while there is none."""

    base: Hash | None
    changeable: bool
    rows: list[ScriptRow]


class ScriptBody(_Strict):
    """A new script, or all fields of one that is there. base: the version that the editor began with."""

    base: Base = None
    script: ScriptFields


class TryBody(_Strict):
    """A formula or script with the values that it is tried on. outputs: names that a script gives."""

    kind: Literal["script", "formula"]
    text: Text
    inputs: Annotated[dict[Tried, Scalar], Field(max_length=100)] = {}
    outputs: Annotated[list[Word], Field(max_length=MAX_TRIED)] = []
    state: Annotated[dict[Word, Scalar], Field(max_length=100)] = {}
    timeout_ms: TimeoutMs = 50


class ScriptService:
    """Editing in the draft, trying on the gateway."""

    def __init__(self, editing: Editing, commands: CommandService) -> None:
        self._editing = editing
        self._commands = commands

    async def scripts(self, user: CurrentUser, device_id: int) -> Scripts:
        """Of the newest configuration, deployed or not."""
        opened = await self._editing.opened(user, device_id)
        known = ScriptFields.model_fields
        rows = [
            ScriptRow.model_construct(
                fields=ScriptFields.model_construct(
                    **{**DEFAULTS, **{name: each for name, each in row.items() if name in known}}
                ),
                outputs=_outputs(opened.document, str(row.get("name", ""))),
            )
            for row in rows_of(opened.document, "scripts")
        ]
        return Scripts.model_construct(base=opened.base, changeable=opened.changeable, rows=rows)

    async def save(self, user: CurrentUser, device_id: int, was: str | None, body: ScriptBody) -> Saved:
        """was: its name until now, None for a new one. Points that name it follow another name."""
        name, _ = await self._editing.keep(
            user,
            device_id,
            body.base,
            lambda document: _with(document, was, body.script),
            any_base=body.base is None,
        )
        return Saved(base=name, faults=[])

    async def delete(self, user: CurrentUser, device_id: int, name: str) -> Saved:
        """Points that name it stay, and are faults until they have a formula or another script."""
        kept, _ = await self._editing.keep(
            user, device_id, None, lambda document: _without(document, name), any_base=True
        )
        return Saved(base=kept, faults=[])

    async def try_out(self, user: CurrentUser, device_id: int, body: TryBody, address: str) -> CommandStatus:
        """What the gateway says within TRY_S; a status that is not final: it has not answered."""
        arguments: dict[str, Scalar] = {
            "kind": body.kind,
            "text": body.text,
            "inputs": json.dumps(body.inputs),
            "outputs": json.dumps(body.outputs),
            "state": json.dumps(body.state),
            "timeout_ms": body.timeout_ms,
        }
        asked = await self._commands.act(
            user, device_id, CommandAction.TRY, address, arguments=arguments, expires_s=TRY_S
        )
        return await self._commands.outcome(user.scope, asked.id, TRY_S)


def _outputs(document: Document, script: str) -> list[str]:
    return [str(row.get("name", "")) for row in rows_of(document, "points") if row.get("script") == script]


def _row(script: ScriptFields) -> dict[str, Any]:
    return {
        name: value
        for name, value in script.model_dump().items()
        if name not in DEFAULTS or value != DEFAULTS[name]
    }


def _with(document: Document, was: str | None, script: ScriptFields) -> Document:
    row_of(document, "slaves", (script.slave,))
    rows = list(rows_of(document, "scripts"))
    at = next((at for at, row in enumerate(rows) if row.get("name") == was), None)
    if was is not None and at is None:
        row_of(document, "scripts", (was,))
    if any(row.get("name") == script.name for place, row in enumerate(rows) if place != at):
        raise ParameterError("script.name", "must not be the name of another script")
    if at is None:
        if len(rows) >= MAX_SCRIPTS:
            raise ParameterError("script", f"at most {MAX_SCRIPTS} scripts")
        rows.append(_row(script))
    else:
        rows[at] = _row(script)
    made = {**document, "scripts": rows}
    if was is not None and was != script.name:
        made["points"] = [
            {**row, "script": script.name} if row.get("script") == was else row
            for row in rows_of(document, "points")
        ]
    return made


def _without(document: Document, name: str) -> Document:
    row_of(document, "scripts", (name,))
    return {**document, "scripts": [row for row in rows_of(document, "scripts") if row.get("name") != name]}
