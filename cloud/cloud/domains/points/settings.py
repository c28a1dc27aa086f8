"""Settings of points that the cloud alone knows, kept with the draft that they were made for.

They go with their point to another name or a copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.clock import NowMs, now_ms
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.deploy.renames import Renaming
from cloud.domains.devices.service import DeviceService
from cloud.domains.devices.setting_models import PointSetting
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.editing import Beside
from cloud.domains.points.fields import FIELDS, Row
from cloud.domains.points.repository import PointRepository
from edge_contract.deployment import Document
from edge_contract.document.rename import renamed_in_place
from edge_contract.document.rows import rows_of

NAMES = tuple(name.field for name in FIELDS["settings"])
NOTHING: Row = dict.fromkeys(NAMES)
Place = tuple[str, str]
"""Slave and name of a point."""


class SettingService:
    """A setting goes with its point: to another name, to a copy, and when nothing has that point any more."""

    def __init__(self, database: Database, devices: DeviceService, clock: NowMs = now_ms) -> None:
        self._database = database
        self._devices = devices
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
    ) -> Beside:
        """For Editing.keep. copies: new slave to the one that it was made of.

        given: what was said; renamed: point to what it is called now.
        """

        async def keep(session: AsyncSession, before: Document, after: Document) -> None:
            repository = PointRepository(session, user.scope)
            rows = await repository.settings(device_id)
            moved = {**_moved_slaves(before, after, rows), **(renamed or {})}
            had = {new: {**NOTHING, **_given(rows[old])} for old, new in moved.items() if old in rows}
            for place, fields in had.items():
                self._put(repository, rows, device_id, place, fields)
            for slave, origin in (copies or {}).items():
                for place, row in list(rows.items()):
                    if place[0] == origin:
                        self._put(repository, rows, device_id, (slave, place[1]), _given(row))
            for place, fields in (given or {}).items():
                self._put(repository, rows, device_id, place, fields)
            await self._forget(session, user.scope, device_id, rows, after)

        return keep

    def _put(
        self,
        repository: PointRepository,
        rows: dict[Place, PointSetting],
        device_id: int,
        place: Place,
        fields: Row,
    ) -> None:
        if place not in rows:
            if all(value is None for value in fields.values()):
                return
            rows[place] = PointSetting(device_id=device_id, slave=place[0], name=place[1])
            repository.add(rows[place])
        for name, value in fields.items():
            setattr(rows[place], name, value)
        rows[place].changed_ms = self._clock()

    async def follow(self, session: AsyncSession, renaming: Renaming) -> None:
        """Of points whose slave has another name in a whole document; the old ones stay for what runs."""
        if renaming.again:
            return  # what was set since then stays
        repository = PointRepository(session, renaming.scope)
        rows = await repository.settings(renaming.device_id)
        had = {place: _given(row) for place, row in rows.items() if place[0] in renaming.slaves}
        for (slave, name), fields in had.items():
            place = (renaming.slaves[slave], name)
            self._put(repository, rows, renaming.device_id, place, {**NOTHING, **fields})
        await session.flush()

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
            async for some in self._devices.source_pieces(scope, device_id)
            for point in some
        }
        await session.flush()
        await PointRepository(session, scope).forget(device_id, [p for p in gone if p not in running])


def _given(row: PointSetting) -> Row:
    found: dict[str, Any] = {name: getattr(row, name) for name in NAMES}
    return {name: value for name, value in found.items() if value is not None}


def _moved_slaves(before: Document, after: Document, rows: Mapping[Place, object]) -> dict[Place, Place]:
    """Points whose slave has another name now: its row stands where it stood."""
    named = renamed_in_place(before, after)
    return {place: (named[place[0]], place[1]) for place in rows if place[0] in named}
