"""Ports, slave devices and data points of a gateway: rows of its configuration draft."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points import validation
from cloud.domains.points.editing import Change, Editing
from cloud.domains.points.export import Language, workbook
from cloud.domains.points.fields import Row, api_fields, written
from cloud.domains.points.rows import row_of, with_rows, without
from cloud.domains.points.schemas import (
    CellFault,
    ChangedSlave,
    NewSlave,
    Port,
    PortBody,
    Ports,
    Saved,
    SlaveBatchBody,
    SlaveBody,
    SlaveRow,
    Slaves,
)
from cloud.domains.points.settings import SettingService
from cloud.errors import ParameterError
from edge_contract.deployment import Document
from edge_contract.document.masking import unmasked
from edge_contract.document.rows import key_of, rows_of

NEEDED = {"ports": ("name", "type"), "slaves": ("name", "port", "protocol", "address")}
"""Fields without which a row says nothing."""


TemplateRows = Callable[[CurrentUser, int], Awaitable[Document]]
"""What a gateway template that the user sees puts into a draft; NotFound."""


class PortService:
    """Ports and slave devices. Without a base a change is one of the newest version, whichever that is."""

    def __init__(self, editing: Editing, settings: SettingService, template_rows: TemplateRows) -> None:
        self._editing = editing
        self._settings = settings
        self._template_rows = template_rows

    async def ports(self, user: CurrentUser, device_id: int) -> Ports:
        """In their order, with their faults."""
        opened = await self._editing.opened(user, device_id)
        counts = _counted(rows_of(opened.document, "slaves"), "port")
        return Ports(
            base=opened.base,
            changeable=opened.changeable,
            faults=validation.of_ports(opened.document),
            rows=[
                Port(fields=api_fields("ports", row), slaves=counts.get(row.get("name"), 0))
                for row in rows_of(opened.document, "ports")
            ],
        )

    async def slaves(self, user: CurrentUser, device_id: int) -> Slaves:
        """In their order, with their faults."""
        opened = await self._editing.opened(user, device_id)
        counts = await asyncio.to_thread(_counted, rows_of(opened.document, "points"), "slave")
        return Slaves(
            base=opened.base,
            changeable=opened.changeable,
            faults=validation.of_slaves(opened.document),
            rows=[
                SlaveRow(fields=api_fields("slaves", row), points=counts.get(row.get("name"), 0))
                for row in rows_of(opened.document, "slaves")
            ],
        )

    async def add_port(self, user: CurrentUser, device_id: int, body: PortBody) -> Saved:
        """A new port, in a new draft."""
        row = _new("ports", _fields(body))
        return await self._saved(user, device_id, body, lambda document: with_rows(document, "ports", [row]))

    async def change_port(self, user: CurrentUser, device_id: int, name: str, body: PortBody) -> Saved:
        """Its slaves follow another name."""
        return await self._saved(
            user, device_id, body, lambda document: _changed(document, "ports", {name: _fields(body)})
        )

    async def delete_port(self, user: CurrentUser, device_id: int, name: str, cascade: bool) -> Saved:
        """Conflict while slaves hang on it, unless they go too."""
        return await self._saved(
            user, device_id, None, lambda document: without(document, "ports", (name,), cascade=cascade)
        )

    async def add_slave(self, user: CurrentUser, device_id: int, body: SlaveBody) -> Saved:
        """Its fields, and the points of another one when points_of names it."""
        new = NewSlave(**body.model_dump(exclude_unset=True, exclude={"base"}))
        return await self._saved(user, device_id, body, lambda document: _added(document, [new]), [new])

    async def change_slave(self, user: CurrentUser, device_id: int, name: str, body: SlaveBody) -> Saved:
        """Its points follow another name. Raises ParameterError with points_of, which is for new slaves."""
        if body.points_of is not None:
            raise ParameterError("points_of", "only of a new slave device")
        fields = _fields(body)
        return await self._saved(
            user, device_id, body, lambda document: _changed(document, "slaves", {name: fields})
        )

    async def delete_slave(self, user: CurrentUser, device_id: int, name: str, cascade: bool) -> Saved:
        """Conflict while it has points, unless they go too."""
        return await self._saved(
            user, device_id, None, lambda document: without(document, "slaves", (name,), cascade=cascade)
        )

    async def slave_batch(self, user: CurrentUser, device_id: int, body: SlaveBatchBody) -> Saved:
        """New slaves, or changes of slaves: all of them or none.

        Raises ParameterError unless it is one of the two and names each slave once.
        """
        if (body.save is None) == (body.update is None):
            raise ParameterError("save", "exactly one of save and update")
        if body.save is not None:
            new = body.save
            return await self._saved(user, device_id, body, lambda document: _added(document, new), new)
        changes = {change.was_named: _of_change(change) for change in body.update or []}
        if len(changes) < len(body.update or []):
            raise ParameterError("update", "each slave device once")
        return await self._saved(
            user, device_id, body, lambda document: _changed(document, "slaves", changes)
        )

    async def workbook(
        self,
        user: CurrentUser,
        device_id: int,
        gateway_temp_id: int | None,
        port: str | None,
        language: Language,
    ) -> bytes:
        """Slaves and points as an .xlsx, of the gateway's draft or of a gateway template.

        port: only what hangs on it.
        """
        document = (await self._editing.opened(user, device_id)).document
        settings: Mapping[tuple[str, str], Row] = {}
        if gateway_temp_id is None:
            settings = await self._settings.of_device(user.scope, device_id)
        else:
            document = await self._template_rows(user, gateway_temp_id)
        if port is not None:
            row_of(document, "ports", (port,))
        return await asyncio.to_thread(workbook, document, port, settings, language)

    async def _saved(
        self,
        user: CurrentUser,
        device_id: int,
        body: PortBody | SlaveBody | SlaveBatchBody | None,
        change: Change,
        copies: Sequence[NewSlave] = (),
    ) -> Saved:
        base = body.base if body is not None else None
        name, document = await self._editing.keep(
            user,
            device_id,
            base,
            change,
            any_base=base is None,
            beside=self._settings.following(
                user, device_id, {new.name: new.points_of for new in copies if new.name and new.points_of}
            ),
        )
        return Saved(base=name, faults=_faults(document))


def _faults(document: Document) -> list[CellFault]:
    return [*validation.of_ports(document), *validation.of_slaves(document)]


def _fields(body: PortBody | SlaveBody) -> Row:
    return body.model_dump(exclude_unset=True, exclude={"base", "points_of"})


def _of_change(change: ChangedSlave) -> Row:
    return change.model_dump(exclude_unset=True, exclude={"was_named"})


def _new(section: str, fields: Row) -> Row:
    for field in NEEDED[section]:
        if not fields.get(field):
            raise ParameterError(field, "must be given")
    return written(section, fields)


def _added(document: Document, slaves: Sequence[NewSlave]) -> Document:
    """With new slaves, and copies of the points of those that they name."""
    for slave in slaves:
        row = _new("slaves", slave.model_dump(exclude_unset=True, exclude={"points_of"}))
        made = with_rows(document, "slaves", [row])
        if slave.points_of is not None:
            row_of(document, "slaves", (slave.points_of,))
            copied = [
                {**point, "slave": row["name"]}
                for point in rows_of(document, "points")
                if point.get("slave") == slave.points_of
            ]
            made = with_rows(made, "points", copied)
        document = made
    return document


def _changed(document: Document, section: str, changes: Mapping[str, Row]) -> Document:
    for name, fields in changes.items():
        for field in NEEDED[section]:
            if field in fields and not fields[field]:
                raise ParameterError(field, "must be given")
        row_of(document, section, (name,))
    return with_rows(
        document,
        section,
        changed={
            key: unmasked(written(section, changes[key[0]], row), row)  # also of one with another name
            for row in rows_of(document, section)
            if (key := key_of(section, row))[0] in changes
        },
    )


def _counted(rows: Sequence[Row], field: str) -> dict[Any, int]:
    counts: dict[Any, int] = {}
    for row in rows:
        counts[row.get(field)] = counts.get(row.get(field), 0) + 1
    return counts
