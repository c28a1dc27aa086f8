"""Settings of points that the cloud alone knows, kept with the draft that they were made for.

They go with their point to another name or a copy, and its alarm with them: triggers follow in the same
transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.deploy.renames import Renaming
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.setting_models import PointSetting
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.alarm_rules import alarm_faults
from cloud.domains.points.editing import Beside
from cloud.domains.points.fields import FIELDS, Row
from cloud.domains.points.repository import PointRepository
from cloud.domains.triggers.point_alarms import PointAlarms
from cloud.domains.triggers.schemas import LinkageBody
from cloud.errors import ParameterError
from edge_contract.deployment import Document
from edge_contract.document.rename import renamed_in_place
from edge_contract.document.rows import rows_of

LINKAGE = "alarm_linkage"
NAMES = (*(name.field for name in FIELDS["settings"]), LINKAGE)
"""A linkage is in no sheet: presets have numbers, which mean something else in another cloud."""

NOTHING: Row = dict.fromkeys(NAMES)
RULES = {
    "range": "within its range",
    "negative": "at least 0",
    "required": "must be given for the alarm of a switch",
    "no_alarm": "texts and locations have no alarm",
    "no_limit": "an alarm has a lower or an upper limit",
    "limit_order": "below every upper limit",
    "outer_lower": "at most the inner lower limit",
    "outer_upper": "at least the inner upper limit",
    "wide_deadband": "at most half of the range between the limits",
}
Place = tuple[str, str]
"""Slave and name of a point."""


@dataclass
class SettingChanges:
    """Settings of points before and after a change, by what the points are called after it."""

    before: dict[Place, Row] = field(default_factory=dict)
    after: dict[Place, Row] = field(default_factory=dict)


class SettingService:
    """A setting goes with its point: to another name, to a copy, and when nothing has that point any more."""

    def __init__(
        self, database: Database, devices: DeviceService, alarms: PointAlarms, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._devices = devices
        self._alarms = alarms
        self._clock = clock

    async def of_device(self, scope: Scope, device_id: int, slave: str | None = None) -> dict[Place, Row]:
        """Settings that are set, by slave and name of the point."""
        async with self._database.reading() as session:
            rows = await PointRepository(session, scope).settings(device_id, slave)
        return {place: _given(row) for place, row in rows.items()}

    def following(
        self,
        user: CurrentUser,
        device_id: int,
        copies: Mapping[str, str | None] | None = None,
        given: Mapping[Place, Row] | None = None,
        renamed: Mapping[Place, Place] | None = None,
        paths: Mapping[Place, str] | None = None,
        changes: SettingChanges | None = None,
    ) -> Beside:
        """For Editing.keep. copies: new slave to the one that it was made of.

        given: what was said; renamed: point to what it is called now; paths: where given stands in what was
        asked; changes: gets what given is before and after. The work raises ParameterError for an alarm that
        cannot be, NoPermission and NotFound for a linkage that the user may not have carried out, Conflict
        when there are too many rules.
        """

        async def keep(session: AsyncSession, before: Document, after: Document) -> None:
            repository = PointRepository(session, user.scope)
            rows = await repository.settings(device_id)
            moved = {**_moved_slaves(before, after, rows), **(renamed or {})}
            had = {new: _all_fields(rows[old]) for old, new in moved.items() if old in rows}
            for place, fields in had.items():
                self._put(repository, rows, device_id, place, fields)
            for slave, origin in (copies or {}).items():
                for place, row in list(rows.items()):
                    if place[0] == origin:
                        copy = {**_given(row), LINKAGE: None}
                        has_alarm = any(is_alarm(name) for name, value in copy.items() if value)
                        copy |= _by(user) if has_alarm else {}
                        self._put(repository, rows, device_id, (slave, place[1]), copy)
            if changes is not None:
                changes.before = {place: _given(rows[place]) for place in given or {} if place in rows}
            alarms = [place for place, fields in (given or {}).items() if any(map(is_alarm, fields))]
            for place, fields in (given or {}).items():
                by = _by(user) if place in alarms else {}
                self._put(repository, rows, device_id, place, {**fields, **by})
            if changes is not None:
                changes.after = {place: _given(rows[place]) for place in given or {} if place in rows}
            await self._check(user, after, {place: rows[place] for place in alarms if place in rows}, paths)
            await self._forget(session, user.scope, device_id, rows, after)
            await self._alarms.follow(session, device_id, refuses=bool(alarms or copies))

        return keep

    async def _check(
        self,
        user: CurrentUser,
        document: Document,
        rows: Mapping[Place, PointSetting],
        paths: Mapping[Place, str] | None,
    ) -> None:
        """Alarms that were set, as they are now."""
        if not rows:
            return
        kinds = {
            (row.get("slave"), row.get("name")): row.get("type", "num")
            for row in rows_of(document, "points")
            if (row.get("slave"), row.get("name")) in rows
        }
        linkages: list[LinkageBody] = []
        for place, row in rows.items():
            for cell in alarm_faults({"ds_type": kinds.get(place, "num"), **_given(row)}):
                path = (paths or {}).get(place, "/".join(place))
                raise ParameterError(
                    f"{path}.{cell.field}", RULES.get(cell.code, cell.code), reason="points.alarm"
                )
            linkages += [LinkageBody.model_validate(linkage) for linkage in row.alarm_linkage or ()]
        await self._alarms.refuse_linkages(user, linkages)

    def _put(
        self,
        repository: PointRepository,
        rows: dict[Place, PointSetting],
        device_id: int,
        place: Place,
        fields: Row,
    ) -> None:
        if place not in rows:
            if all(fields.get(name) is None for name in NAMES):
                return
            rows[place] = PointSetting(device_id=device_id, slave=place[0], name=place[1])
            repository.add(rows[place])
        for name, value in fields.items():
            setattr(rows[place], name, None if name == LINKAGE and not value else value)
        rows[place].changed_ms = self._clock()

    async def follow(self, session: AsyncSession, renaming: Renaming) -> None:
        """Of points whose slave has another name in a whole document; the old ones stay for what runs."""
        if renaming.again:
            return  # what was set since then stays
        repository = PointRepository(session, renaming.scope)
        rows = await repository.settings(renaming.device_id)
        had = {place: _all_fields(row) for place, row in rows.items() if place[0] in renaming.slaves}
        for (slave, name), fields in had.items():
            place = (renaming.slaves[slave], name)
            self._put(repository, rows, renaming.device_id, place, fields)
        await self._alarms.follow(session, renaming.device_id)

    async def _forget(
        self,
        session: AsyncSession,
        scope: Scope,
        device_id: int,
        rows: Mapping[Place, PointSetting],
        document: Document,
    ) -> None:
        """Those of points that neither the draft nor the gateway has; a discarded draft loses none."""
        there = {(str(row.get("slave")), str(row.get("name"))) for row in rows_of(document, "points")}
        gone = [place for place in rows if place not in there]
        if not gone:
            return
        running = {
            (point.slave, point.ds_name)
            async for some in self._devices.source_chunks(scope, device_id)
            for point in some
        }
        await session.flush()
        await PointRepository(session, scope).forget(device_id, [p for p in gone if p not in running])


def _given(row: PointSetting) -> Row:
    values: dict[str, Any] = {name: getattr(row, name) for name in NAMES}
    return {name: value for name, value in values.items() if value is not None}


def _all_fields(row: PointSetting) -> Row:
    """All of it, for a point that only has another name."""
    by = {"alarm_user_id": row.alarm_user_id, "alarm_user_name": row.alarm_user_name}
    return {**NOTHING, **_given(row), **by}


def _by(user: CurrentUser) -> Row:
    return {"alarm_user_id": user.id, "alarm_user_name": user.name}


def is_alarm(name: str) -> bool:
    """Is a setting one of the alarm's?"""
    return name.startswith("alarm_")


def _moved_slaves(before: Document, after: Document, rows: Mapping[Place, object]) -> dict[Place, Place]:
    """Points whose slave has another name now: its row stands where it stood."""
    named = renamed_in_place(before, after)
    return {place: (named[place[0]], place[1]) for place in rows if place[0] in named}
