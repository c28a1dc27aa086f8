"""Two gateways of a factory's enterprise, with meters, and this domain's services."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.deploy.schemas import DraftBody
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.jobs.run import Run
from cloud.domains.jobs.service import JobService
from cloud.domains.points.editing import Editing
from cloud.domains.points.point_service import PointService
from cloud.domains.points.service import PortService
from cloud.domains.points.settings import SettingService
from cloud.domains.templates.drafts import follow_renames
from cloud.domains.templates.schemas import CreateTemplate, SaveVersion
from cloud.domains.templates.services import template_services
from cloud.errors import NotFound

from ...conftest import GATEWAY, DomainServices
from ..tenants import tree

GATEWAYS = (GATEWAY, "gw-test-2")


def document(gateway: str, **changes: Any) -> dict[str, Any]:
    return {
        "gateway": {"id": gateway},
        "ports": [{"name": "com1", "type": "COM", "device": "/dev/ttyS1"}],
        "slaves": [
            {
                "name": name,
                "port": "com1",
                "protocol": "dlt645_2007",
                "address": number,
                "options": {"password": "9"},
            }
            for name, number in (("m1", "1"), ("m2", "2"))
        ],
        "points": [{"slave": "m1", "name": "own", "address": {"item": "HZ"}}],
        **changes,
    }


def rows(*names: str, **fields: Any) -> dict[str, Any]:
    """Content of a point template."""
    return {"points": [{"name": name, "address": {"item": name}, **fields} for name in names]}


class Site:
    """Services around one database. told: which gateways stood differently."""

    def __init__(self, services: DomainServices, users: dict[str, CurrentUser], folder: Path) -> None:
        self.services = services
        self.users = users
        self.told: list[int] = []
        self.maker, self.plant = users["factory-x"], users["enterprise-x"]
        self.stranger, self.platform = users["factory-y"], users["platform-x"]
        database, devices, clock = services.database, services.devices, services.clock
        self.settings = SettingService(database, devices, services.alarms, clock)
        self.configurations = ConfigurationService(
            database,
            devices,
            self._tell,
            self._tell,
            clock=clock,
            follow=(self.settings.follow, follow_renames),
        )
        editing = Editing(database, devices, self._tell, clock, follow=(follow_renames,))
        self.ports = PortService(editing, self.settings, self._template_rows)
        self.editor = PointService(editing, self.settings, devices, services.commands)
        self.jobs = JobService(database, folder, self._who, lambda *_: None, clock=clock)
        made = template_services(database, devices, self.jobs, self._tell, clock=clock)
        self.tree, self.making, self.using, self.applying = made.tree, made.making, made.using, made.applying
        self.sheets = made.sheets

    async def _tell(self, device_id: int) -> None:
        self.told.append(device_id)

    async def _template_rows(self, user: CurrentUser, template_id: int) -> dict[str, Any]:
        raise NotFound("template")

    async def _who(self, user_id: int) -> CurrentUser | None:
        return next((each for each in self.users.values() if each.id == user_id), None)

    async def draft(self, device_id: int = 1, **changes: Any) -> None:
        """Somebody edits what is there."""
        state = await self.configurations.state(self.plant.scope, device_id, 1, 1)
        content = (
            document(GATEWAYS[device_id - 1]) if state.newest is None else await self.document(device_id)
        )
        await self.configurations.save(
            self.plant, device_id, DraftBody(document={**content, **changes}, base=state.newest)
        )

    async def document(self, device_id: int = 1) -> dict[str, Any]:
        newest = (await self.configurations.state(self.plant.scope, device_id, 1, 1)).newest
        assert newest is not None
        return (await self.configurations.document(self.plant, device_id, newest)).document

    async def points(self, slave: str, device_id: int = 1) -> dict[str, dict[str, Any]]:
        found = (await self.document(device_id))["points"]
        return {row["name"]: row for row in found if row["slave"] == slave}

    async def template(self, user: CurrentUser | None = None, content: Any = None, **words: Any) -> int:
        """A point template for DL/T 645 meters unless said otherwise."""
        words = {"category": "point", "protocol": "dlt645_2007", "title": "Meter", **words}
        made = await self.tree.create(
            user or self.plant, CreateTemplate(**words), content or rows("Ua", "Ub")
        )
        return made.template_id

    async def save(self, template_id: int, content: Any, base: int) -> int:
        body = SaveVersion(document=content, base=base)
        return (await self.tree.save(self.plant, template_id, body)).number

    async def run(self, user: CurrentUser, template_id: int, *device_ids: int, **words: Any) -> Any:
        """What the job would say that applies it."""

        async def quiet(*_: Any) -> None:
            """Nobody watches."""

        asked = {"template_id": template_id, "device_ids": list(device_ids), "keep_overrides": True, **words}
        return await self.applying.run(Run(user, asked, Path(), quiet, quiet))


@pytest.fixture
async def site(services: DomainServices, tmp_path: Path) -> Site:
    users = await tree(services.database)
    await services.claims.claim(GATEWAYS[1], "Second")
    async with services.database.session() as session:
        await session.execute(update(Device).values(owner_id=users["enterprise-x"].id))
        await session.commit()
    made = Site(services, users, tmp_path)
    for device_id in (1, 2):
        await made.draft(device_id)
    return made
