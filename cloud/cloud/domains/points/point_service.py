"""Data points of a gateway: rows of its configuration draft with the settings that the cloud alone has."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from cloud.core.changes import record_change
from cloud.domains.commands.schemas import CommandBody
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points import validation
from cloud.domains.points.editing import Editing, OpenedConfiguration
from cloud.domains.points.fields import Row, api_fields, written
from cloud.domains.points.rows import row_of, with_rows
from cloud.domains.points.schemas import (
    PointBatchBody,
    PointFields,
    PointRead,
    PointReads,
    Points,
    ReadPointsBody,
    Saved,
)
from cloud.domains.points.settings import NAMES, Place, SettingChanges, SettingService
from cloud.errors import ParameterError
from edge_contract.deployment import Document
from edge_contract.document.rows import Key, key_of, rows_of

NOT_DEPLOYED = "not_deployed"
WRITE_ONLY = "write_only"


class PointService:
    """Points of a gateway, and reading some of them now."""

    def __init__(
        self, editing: Editing, settings: SettingService, devices: DeviceService, commands: CommandService
    ) -> None:
        self._editing = editing
        self._settings = settings
        self._devices = devices
        self._commands = commands

    async def points(self, user: CurrentUser, device_id: int, slave: str | None) -> Points:
        """Of a slave, or of all, with their faults; NotFound for a slave that is not there."""
        opened = await self._editing.opened(user, device_id)
        if slave is not None:
            row_of(opened.document, "slaves", (slave,))
        settings = await self._settings.of_device(user.scope, device_id, slave)
        return await asyncio.to_thread(_listed, opened, slave, settings)

    async def save(self, user: CurrentUser, device_id: int, body: PointBatchBody) -> Saved:
        """All changes or none; Conflict when base is not the newest version any more."""
        given, renamed, paths = _settings_of(body)
        earlier: list[Document] = []
        settings = SettingChanges()

        def change(before: Document) -> Document:
            earlier.append(before)
            return _saved(before, body)

        name, document = await self._editing.keep(
            user,
            device_id,
            body.base,
            change,
            note=body.note,
            beside=self._settings.following(
                user, device_id, given=given, renamed=renamed, paths=paths, changes=settings
            ),
        )
        record_change(*await asyncio.to_thread(_differences, earlier[-1], document, body, settings))
        slaves = {row.slave or "" for row in body.added} | {row.slave for row in body.changed}
        slaves |= {row.slave for row in body.removed}
        return Saved(base=name, faults=await asyncio.to_thread(validation.of_points, document, slaves))

    async def read_now(
        self, user: CurrentUser, device_id: int, body: ReadPointsBody, address: str
    ) -> PointReads:
        """Ask the gateway for each of them; the commands tell what came of it."""
        await self._devices.changeable(user, device_id)
        known = await self._devices.sources_named(user.scope, device_id, body.slave, body.points)
        rows: list[PointRead] = []
        for name in dict.fromkeys(body.points):
            point = known.get(name)
            if point is None or point.rw == "writeonly":
                rows.append(PointRead(ds_name=name, id="", problem=WRITE_ONLY if point else NOT_DEPLOYED))
                continue
            command = CommandBody(dsid=point.dsid, action="R")
            rows.append(PointRead(ds_name=name, id=(await self._commands.request(user, command, address)).id))
        return PointReads(rows=rows)


MAX_NAMED_POINTS = 200
"""Points whose fields one row of the audit log tells."""


def _listed(opened: OpenedConfiguration, slave: str | None, settings: Mapping[Place, Row]) -> Points:
    document, rows = opened.document, []
    for row in rows_of(document, "points"):
        if slave is None or row.get("slave") == slave:
            fields = api_fields("points", row)
            place = (str(row.get("slave", "")), str(row.get("name", "")))
            rows.append({**fields, **settings.get(place, {})})
    faults = validation.of_points(document, None if slave is None else {slave})
    return Points(base=opened.base, changeable=opened.changeable, faults=faults, rows=rows)


def _differences(
    before: Document, after: Document, body: PointBatchBody, settings: SettingChanges
) -> tuple[Row, Row]:
    """Fields and settings of the points of a body before and after, as `slave / title: field`. Of more
    than that the first ones, and how many points the draft has: a row of the audit log keeps 4 kB.
    """
    wanted = [(row.slave, name) for row in body.changed for name in (row.ds_name, row.fields.ds_name) if name]
    wanted += [(row.slave, row.ds_name) for row in body.removed]
    wanted += [(new.slave or "", new.ds_name or "") for new in body.added]
    told = set(wanted[:MAX_NAMED_POINTS])
    counts = [{"points": len(rows_of(document, "points"))} for document in (before, after)]
    if len(wanted) <= MAX_NAMED_POINTS:
        counts = [{}, {}]
    titles = _titles(after, told)
    return (
        counts[0] | _points_of(before, told) | _named(settings.before, titles),
        counts[1] | _points_of(after, told) | _named(settings.after, titles),
    )


def _named(settings: Mapping[Place, Row], titles: Mapping[Place, str]) -> Row:
    return {
        f"{titles[place]}: {name}": value
        for place, row in settings.items()
        if place in titles
        for name, value in row.items()
    }


def _titles(document: Document, wanted: set[Place]) -> dict[Place, str]:
    """Slave and title of points."""
    places = {
        (str(row.get("slave", "")), str(row.get("name", ""))): row for row in rows_of(document, "points")
    }
    return {
        place: f"{place[0]} / {row.get('title') or place[1]}"
        for place, row in places.items()
        if place in wanted
    }


def _points_of(document: Document, wanted: set[Place]) -> Row:
    by_place: Row = {}
    for row in rows_of(document, "points"):
        if (str(row.get("slave", "")), str(row.get("name", ""))) in wanted:
            fields = api_fields("points", row)
            where = f"{row.get('slave', '')} / {row.get('title') or row.get('name', '')}"
            names = (name for name in fields if name not in ("slave", "ds_name"))
            by_place |= {f"{where}: {name}": fields[name] for name in names}
    return by_place


def _saved(document: Document, body: PointBatchBody) -> Document:
    """With the changes of a body, all checked on the document before."""
    slaves = {row.get("name") for row in rows_of(document, "slaves")}
    added, after = [], {}
    for new in body.added:
        if new.slave not in slaves:
            row_of(document, "slaves", (new.slave or "",))
        row = written("points", _document_fields(new))
        if not row.get("name"):
            raise ParameterError("added.ds_name", "must be given")
        added.append(row)
        if new.after is not None:
            after[key_of("points", row)] = (str(new.slave), new.after)
    changes = {(change.slave, change.ds_name): change for change in body.changed}
    if len(changes) < len(body.changed):
        raise ParameterError("changed", "each point once")
    changed: dict[Key, Row] = {}
    for row in rows_of(document, "points"):
        change = changes.pop((str(row.get("slave")), str(row.get("name"))), None)
        if change is not None:
            fields = _document_fields(change.fields)
            if fields.get("slave", change.slave) != change.slave or not fields.get("ds_name", "x"):
                raise ParameterError("changed.fields", "neither another slave nor no ds_name")
            changed[change.slave, change.ds_name] = written("points", fields, row)
    for key in changes:
        row_of(document, "points", key)
    removed = [(row.slave, row.ds_name) for row in body.removed]
    return with_rows(document, "points", added, changed, removed, after)


def _document_fields(point: PointFields) -> Row:
    return point.model_dump(exclude_unset=True, exclude={*NAMES, "after"})


def _settings_of(
    body: PointBatchBody,
) -> tuple[dict[Place, Row], dict[Place, Place], dict[Place, str]]:
    """Settings that are said, by the point's name afterwards; points that get another name; where in the body
    each stands.
    """
    given: dict[Place, Row] = {}
    renamed: dict[Place, Place] = {}
    paths: dict[Place, str] = {}
    rows: list[tuple[PointFields, str, str, str]] = [
        (new, new.slave or "", new.ds_name or "", f"added.{at}") for at, new in enumerate(body.added)
    ]
    for at, change in enumerate(body.changed):
        name = change.fields.ds_name or change.ds_name
        rows.append((change.fields, change.slave, name, f"changed.{at}.fields"))
        if name != change.ds_name:
            renamed[change.slave, change.ds_name] = (change.slave, name)
    for fields, slave, name, path in rows:
        said = fields.model_dump(exclude_unset=True, include=set(NAMES))
        if said:
            given[slave, name], paths[slave, name] = said, path
    return given, renamed, paths
