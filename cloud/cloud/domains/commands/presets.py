"""Preset commands: writes of one gateway that belong together, by name."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from cloud.core.changes import tell
from cloud.core.clock import NowMs
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.checks import check
from cloud.domains.commands.models import CommandPreset
from cloud.domains.commands.repository import PresetRepository
from cloud.domains.commands.schemas import Preset, PresetBody, PresetWrite, Write
from cloud.domains.devices.schemas import DataSource
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NotFound, ParameterError

log = logging.getLogger(__name__)

Points = dict[int, DataSource]
"""Those of a gateway's running catalog, by dsid."""

MOST_PRESETS = 100
"""Of one gateway: a list that a person looks through."""


class PresetService:
    """A write is checked against its point when it is kept, and again when it is carried out."""

    def __init__(self, database: Database, devices: DeviceService, clock: NowMs) -> None:
        self._database = database
        self._devices = devices
        self._clock = clock

    async def of_device(self, scope: Scope, device_id: int) -> list[Preset]:
        await self._devices.gateway_of(scope, device_id)  # not found when he does not see it
        async with self._database.reading() as session:
            rows = await PresetRepository(session, scope).of_device(device_id)
        writes = [Write.model_validate(write) for row in rows for write in row.writes]
        points = await self._points(scope, device_id, writes)
        return [_shown(row, points) for row in rows]

    async def writes(self, scope: Scope, preset_id: int) -> list[Write]:
        """What a preset writes; NotFound when there is none."""
        async with self._database.reading() as session:
            row = await PresetRepository(session, scope).preset(preset_id)
        if row is None:
            raise NotFound("preset")
        return [Write.model_validate(write) for write in row.writes]

    async def add(self, user: CurrentUser, device_id: int, body: PresetBody) -> Preset:
        """ParameterError names the write and the rule; Conflict when the title is taken."""
        await self._devices.changeable(user, device_id)
        points = await self._points(user.scope, device_id, body.writes)
        _check(points, body.writes)
        async with self._database.session() as session:
            repository = PresetRepository(session, user.scope)
            if len(await repository.of_device(device_id)) >= MOST_PRESETS:
                raise Conflict(
                    f"a gateway has at most {MOST_PRESETS} presets",
                    field="title",
                    rule="too many",
                    reason="preset.too_many",
                    arguments={"most": MOST_PRESETS},
                )
            await self._check_title(repository, device_id, body.title, None)
            row = CommandPreset(device_id=device_id)
            self._fill(row, body, user)
            repository.add(row)
            await session.commit()
        return _shown(row, points)

    async def change(self, user: CurrentUser, device_id: int, preset_id: int, body: PresetBody) -> Preset:
        await self._devices.changeable(user, device_id)
        points = await self._points(user.scope, device_id, body.writes)
        _check(points, body.writes)
        async with self._database.session() as session:
            repository = PresetRepository(session, user.scope)
            row = await self._mine(repository, device_id, preset_id)
            await self._check_title(repository, device_id, body.title, preset_id)
            self._fill(row, body, user)
            await session.commit()
        return _shown(row, points)

    async def delete(self, user: CurrentUser, device_id: int, preset_id: int) -> None:
        await self._devices.changeable(user, device_id)
        async with self._database.session() as session:
            repository = PresetRepository(session, user.scope)
            row = await self._mine(repository, device_id, preset_id)
            await repository.delete(row)
            await session.commit()
        tell({"title": row.title}, {})
        log.info("preset %d of gateway %d deleted by %s", preset_id, device_id, user.name)

    async def delete_all(self, device_id: int) -> None:
        """Of a gateway, whoever made them."""
        async with self._database.session() as session:
            repository = PresetRepository(session, Scope.system())
            for row in await repository.of_device(device_id):
                await repository.delete(row)
            await session.commit()

    async def _mine(self, repository: PresetRepository, device_id: int, preset_id: int) -> CommandPreset:
        row = await repository.preset(preset_id)
        if row is None or row.device_id != device_id:
            raise NotFound("preset")
        return row

    async def _check_title(
        self, repository: PresetRepository, device_id: int, title: str, mine: int | None
    ) -> None:
        there = await repository.titled(device_id, title)
        if there is not None and there.id != mine:
            raise Conflict(
                f"a preset is called {title}", field="title", rule="must be new", reason="preset.taken"
            )

    async def _points(self, scope: Scope, device_id: int, writes: Iterable[Write]) -> Points:
        """Those that are written."""
        return await self._devices.sources_among(scope, device_id, {write.dsid for write in writes})

    def _fill(self, row: CommandPreset, body: PresetBody, user: CurrentUser) -> None:
        row.title, row.user_name, row.changed_ms = body.title, user.name, self._clock()
        row.writes = [write.model_dump() for write in body.writes]
        log.info("preset %s of gateway %d kept by %s", body.title, row.device_id, user.name)


def _check(points: Points, writes: list[Write]) -> None:
    for index, write in enumerate(writes):
        if problem := _problem(points, write):
            raise ParameterError(f"writes.{index}.{problem.field}", problem.rule)


def _problem(points: Points, write: Write) -> ParameterError | None:
    source = points.get(write.dsid)
    if source is None:
        return ParameterError("dsid", "a data point of this gateway")
    try:
        check(source, "W", write.value)
    except ParameterError as error:
        return error
    return None


def _shown(row: CommandPreset, points: Points) -> Preset:
    writes = [Write.model_validate(kept) for kept in row.writes]
    return Preset(
        id=row.id,
        title=row.title,
        writes=[
            PresetWrite(**write.model_dump(), problem=str(_problem(points, write) or "")) for write in writes
        ],
        changed_ms=row.changed_ms,
        user=row.user_name,
    )
