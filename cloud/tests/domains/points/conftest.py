"""Gateway 1 with a configuration, and this domain's services on it."""

from __future__ import annotations

from typing import Any

import pytest

from cloud.core.scope import Scope
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.deploy.schemas import DraftBody
from cloud.domains.identity.models import User
from cloud.domains.identity.permissions import CODES
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.points.editing import Editing
from cloud.domains.points.point_service import PointService
from cloud.domains.points.schemas import PointBatchBody, Saved
from cloud.domains.points.service import PortService
from cloud.domains.points.settings import SettingService
from cloud.errors import NotFound

from ...conftest import GATEWAY, DomainServices

ALICE = CurrentUser(7, "alice", 0, CODES, "sign-in", Scope.system())
BOB = CurrentUser(8, "bob", 0, CODES, "sign-in", Scope.system())


def document(gateway: str = GATEWAY) -> dict[str, Any]:
    return {
        "gateway": {"id": gateway},
        "ports": [{"name": "com1", "type": "COM", "device": "/dev/ttyS1", "colour": "red"}],
        "slaves": [
            {"name": "boiler", "port": "com1", "protocol": "modbus_rtu", "address": "1"},
            {"name": "pump", "port": "com1", "protocol": "modbus_rtu", "address": "2"},
        ],
        "points": [
            {"slave": "boiler", "name": "a", "address": {"reg_type": "4X", "offset": 0}, "note": "kept"},
            {"slave": "boiler", "name": "b", "address": {"reg_type": "4X", "offset": 1}},
            {"slave": "pump", "name": "a", "address": {"reg_type": "4X", "offset": 0}},
        ],
        "scripts": [
            {"name": "s", "slave": "boiler", "text": "x = 1", "inputs": {"p": "boiler.a", "q": "pump.a"}}
        ],
    }


async def _template_rows(user: CurrentUser, template_id: int) -> dict[str, Any]:
    if template_id != 7:
        raise NotFound("template")
    slave = {"name": "pump", "port": "lan", "protocol": "modbus_tcp", "address": "1"}
    return {"ports": [{"name": "lan"}], "slaves": [slave], "points": [{"slave": "pump", "name": "speed"}]}


class Site:
    """Services around one database, and which gateways stood differently."""

    def __init__(self, services: DomainServices) -> None:
        self.services = services
        self.told: list[int] = []
        self.configurations = ConfigurationService(
            services.database, services.devices, self._tell, self._tell, clock=services.clock
        )
        self.settings = SettingService(services.database, services.devices, services.alarms, services.clock)
        editing = Editing(services.database, services.devices, self._tell, services.clock)
        self.ports = PortService(editing, self.settings, _template_rows)
        self.points = PointService(editing, self.settings, services.devices, services.commands)

    async def _tell(self, device_id: int) -> None:
        self.told.append(device_id)

    async def begin(self, **sections: Any) -> str:
        """sections: in place of those of the document; its script names nothing, so that points can go."""
        first = document()
        first["scripts"][0]["inputs"] = {}
        body = DraftBody(document=first | sections, base=None)
        name = (await self.configurations.save(ALICE, 1, body)).hash
        self.told.clear()
        return name

    async def document(self) -> dict[str, Any]:
        newest = (await self.configurations.state(ALICE.scope, 1, 1, 1)).newest
        assert newest is not None
        return (await self.configurations.document(ALICE, 1, newest)).document

    async def put(self, base: str | None, user: CurrentUser = ALICE, **changes: Any) -> Saved:
        return await self.points.save(user, 1, PointBatchBody(base=base, **changes))


@pytest.fixture
async def site(services: DomainServices) -> Site:
    async with services.database.session() as session:
        for user in (ALICE, BOB):
            session.add(
                User(id=user.id, user_name=user.name, password_hash="x", user_type=0, path="/", created_ms=1)
            )
        await session.commit()
    return Site(services)
