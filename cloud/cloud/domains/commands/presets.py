"""Preset commands: writes of one gateway that belong together, by name."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable

from cloud.core.changes import record_change
from cloud.core.clock import NowMs
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.commands.checks import check
from cloud.domains.commands.models import CommandPreset
from cloud.domains.commands.repository import PresetRepository
from cloud.domains.commands.schemas import NamedPreset, Preset, PresetBody, PresetWrite, Write
from cloud.domains.devices.schemas import DataSource
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import Conflict, NotFound, ParameterError

log = logging.getLogger(__name__)

Points = dict[int, DataSource]
"""Those of a gateway's running catalog, by dsid."""

MAX_PRESETS = 100
"""Of one gateway: a list that a person looks through."""


class PresetService:
    """A write is checked against its point when it is saved, and again when it is carried out."""

    def __init__(self, database: Database, devices: DeviceService, clock: NowMs) -> None:
        self._database = database
        self._devices = devices
        self._clock = clock

    async def of_device(self, scope: Scope, device_id: int) -> list[Preset]:
        """Presets of a gateway by title. Raises NotFound when the scope does not see it."""
        await self._devices.gateway_of(scope, device_id)  # NotFound when he does not see it
        async with self._database.reading() as session:
            rows = await PresetRepository(session, scope).of_device(device_id)
        writes = [Write.model_validate(write) for row in rows for write in row.writes]
        points = await self._points(scope, device_id, writes)
        return [_preset(row, points) for row in rows]

    async def writes(self, scope: Scope, preset_id: int) -> list[Write]:
        """What a preset writes. Raises NotFound when there is none."""
        async with self._database.reading() as session:
            row = await PresetRepository(session, scope).preset(preset_id)
        if row is None:
            raise NotFound("preset")
        return [Write.model_validate(write) for write in row.writes]

    async def named(self, scope: Scope, preset_ids: Collection[int]) -> list[NamedPreset]:
        """Those of these presets that the scope sees."""
        async with self._database.reading() as session:
            return await PresetRepository(session, scope).named(preset_ids)

    async def unchanged(self, preset_ids: Collection[int], since_ms: int) -> dict[int, list[Write]]:
        """What presets write, of those that nobody has changed since; not for a user's eyes."""
        if not preset_ids:
            return {}
        async with self._database.reading() as session:
            rows = await PresetRepository(session, Scope.system()).unchanged(preset_ids, since_ms)
        return {row.id: [Write.model_validate(write) for write in row.writes] for row in rows}

    async def targets(self, preset_ids: Collection[int]) -> dict[int, frozenset[int]]:
        """Points (dsid) that presets write, by preset; not for a user's eyes."""
        if not preset_ids:
            return {}
        async with self._database.reading() as session:
            rows = await PresetRepository(session, Scope.system()).writes(preset_ids)
        return {number: frozenset(write["dsid"] for write in writes) for number, writes in rows.items()}

    async def add(self, user: CurrentUser, device_id: int, body: PresetBody) -> Preset:
        """Make a preset. Raises NotFound, NoPermission when the gateway is shared read only, ParameterError
        that names the write and the rule, Conflict when the title is taken or there are MAX_PRESETS.
        """
        await self._devices.changeable(user, device_id)
        points = await self._points(user.scope, device_id, body.writes)
        _check(points, body.writes)
        async with self._database.session() as session:
            repository = PresetRepository(session, user.scope)
            if len(await repository.of_device(device_id)) >= MAX_PRESETS:
                raise Conflict(
                    f"a gateway has at most {MAX_PRESETS} presets",
                    field="title",
                    rule="too many",
                    reason="preset.too_many",
                    arguments={"most": MAX_PRESETS},
                )
            await self._check_title(repository, device_id, body.title, None)
            row = CommandPreset(device_id=device_id)
            self._fill(row, body, user)
            repository.add(row)
            await session.commit()
        return _preset(row, points)

    async def change(self, user: CurrentUser, device_id: int, preset_id: int, body: PresetBody) -> Preset:
        """Replace a preset. Raises NotFound, NoPermission when the gateway is shared read only,
        ParameterError that names the write and the rule, Conflict when the title is taken.
        """
        await self._devices.changeable(user, device_id)
        points = await self._points(user.scope, device_id, body.writes)
        _check(points, body.writes)
        async with self._database.session() as session:
            repository = PresetRepository(session, user.scope)
            row = await self._mine(repository, device_id, preset_id)
            await self._check_title(repository, device_id, body.title, preset_id)
            self._fill(row, body, user)
            await session.commit()
        return _preset(row, points)

    async def delete(self, user: CurrentUser, device_id: int, preset_id: int) -> None:
        """Delete a preset. Raises NotFound, and NoPermission when the gateway is shared read only."""
        await self._devices.changeable(user, device_id)
        async with self._database.session() as session:
            repository = PresetRepository(session, user.scope)
            row = await self._mine(repository, device_id, preset_id)
            await repository.delete(row)
            await session.commit()
        record_change({"title": row.title}, {})
        log.info("preset %d of gateway %d deleted by %s", preset_id, device_id, user.name)

    async def delete_all(self, device_id: int) -> None:
        """Delete the presets of a gateway, whoever made them."""
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
        log.info("preset %s of gateway %d saved by %s", body.title, row.device_id, user.name)


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


def _preset(row: CommandPreset, points: Points) -> Preset:
    writes = [Write.model_validate(stored) for stored in row.writes]
    return Preset(
        id=row.id,
        title=row.title,
        writes=[
            PresetWrite(**write.model_dump(), problem=str(_problem(points, write) or "")) for write in writes
        ],
        changed_ms=row.changed_ms,
        user=row.user_name,
    )
