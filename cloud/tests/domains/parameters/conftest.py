"""Gateways of two factories that answer deployments, and the services of this domain on a real database."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.configuration.models import ConfigurationStateRow
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.deploy.service import DeployService
from cloud.domains.identity.permissions import CODES
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.project_models import Project
from cloud.domains.jobs.schemas import JobDetail
from cloud.domains.jobs.service import JobService
from cloud.domains.jobs.states import JobQueue
from cloud.domains.parameters.gateway_parameters import GatewayParameterService
from cloud.domains.parameters.running import ParameterPlanRunner
from cloud.domains.parameters.schemas import ParameterPlanBody, ParameterPlanRow, ParameterPlanRun
from cloud.domains.parameters.service import ParameterPlanService
from cloud.domains.points.editing import Editing
from edge_contract.deployment import (
    ConfigurationReport,
    Deploy,
    Document,
    GroupCondition,
    GroupState,
    Origin,
    Receipt,
    Step,
    document_hash,
)

from ...conftest import DomainServices
from ..tenants import tree

NO_WIFI = GroupState(group="hotspot", condition=GroupCondition.NOT_SUPPORTED, reason="no WiFi")
RUN = {"group": "run", "values": {"report_interval_s": 60}}


def document(gateway: str) -> Document:
    return {
        "gateway": {"id": gateway},
        "ports": [{"name": "com1", "type": "COM", "device": "/dev/ttyS1"}],
        "slaves": [{"name": "boiler", "port": "com1", "protocol": "modbus_rtu", "address": "1"}],
        "points": [{"slave": "boiler", "name": "t", "address": {"reg_type": "4X", "offset": 0}}],
        "forwarders": [
            {
                "name": "bureau", "kind": "hj212",
                "options": {
                    "server": "h", "port": 9000, "mn": "M", "pw": "123456",
                    "mapping": [{"factor": "w01018", "point": "boiler.t"}],
                },
            }
        ],
    }  # fmt: skip


@dataclass
class Site:
    """ends: last step of each gateway's deployments, confirmed unless said. deployed: documents, as sent."""

    services: DomainServices
    folder: Path
    users: dict[str, CurrentUser]
    ends: dict[str, Step] = field(default_factory=dict)
    parameters: list[GroupState] = field(default_factory=list)
    deployed: list[tuple[str, Document]] = field(default_factory=list)
    running: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        database, devices, clock = self.services.database, self.services.devices, self.services.clock
        self.configurations = ConfigurationService(database, devices, self._ignore, self._ignore, clock=clock)
        self.deploy = DeployService(database, devices, self._send, self._push, self._ignore, clock=clock)
        editing = Editing(database, devices, self._ignore, clock)
        self.gateway_parameters = GatewayParameterService(database, editing, self.deploy)
        self.plans = ParameterPlanService(database, clock=clock)
        self.jobs = JobService(database, self.folder, self._who, lambda *_: None, clock=clock)
        self.runner = ParameterPlanRunner(
            database, self.plans, devices, self.jobs, editing, self.deploy, self.configurations,
            clock=clock, sleep=self._sleep,
        )  # fmt: skip
        self.user = self.of("factory-x")

    def of(self, name: str) -> CurrentUser:
        user = self.users[name]
        return CurrentUser(user.id, user.name, user.user_type, CODES, "", user.scope)

    async def _who(self, user_id: int) -> CurrentUser | None:
        return self.of(next(user.name for user in self.users.values() if user.id == user_id))

    async def _sleep(self, seconds: float) -> None:
        self.services.clock.pass_s(seconds)

    async def _ignore(self, device_id: int) -> None:
        """Nobody looks at the configuration state here."""

    async def _push(self, *_: Any) -> None:
        """Nobody looks on."""

    async def _send(self, gateway: str, deploy: Deploy) -> None:
        """The gateway carries it out at once."""
        before = self.running[gateway]
        self.deployed.append((gateway, deploy.document))
        end = self.ends.get(gateway, Step.CONFIRMED)
        runs = deploy.hash if end is Step.CONFIRMED else before
        for step in (Step.RECEIVED, Step.STAGED, Step.SWITCHED, end):
            await self.deploy.receipt(
                gateway,
                Receipt(
                    id=deploy.id,
                    step=step,
                    t_ms=9,
                    running=deploy.hash if step is Step.SWITCHED else runs,
                    code="points" if step is Step.REVERTED else "",
                    parameters=self.parameters if step is end else [],
                ),
            )
        self.running[gateway] = runs

    async def project(self, title: str = "p", owner: str = "factory-x") -> int:
        async with self.services.database.session() as session:
            row = Project(
                kind="project", title=title, remark="", owner_id=self.users[owner].id, path="", place=0,
                created_ms=1,
            )  # fmt: skip
            session.add(row)
            await session.flush()
            row.path = f"/{row.id}/"
            await session.commit()
            return row.id

    async def gateway(self, title: str, owner: str = "factory-x", **columns: Any) -> int:
        """Number of a new gateway that runs document() of it."""
        words: dict[str, Any] = {"online": True, "agent_version": "1.4.0", **columns}
        async with self.services.database.session() as session:
            row = Device(
                gateway_id=f"gw-{title}", title=title, secret_hash="", created_ms=1,
                owner_id=self.users[owner].id, **words,
            )  # fmt: skip
            session.add(row)
            await session.commit()
        await self.reports(row.gateway_id, document(row.gateway_id))
        return row.id

    async def reports(self, gateway: str, content: Document) -> None:
        self.services.clock.pass_s(61)
        name = document_hash(content)
        self.running[gateway] = name
        await self.configurations.report(
            gateway, ConfigurationReport(hash=name, origin=Origin.FILE, t_ms=5, document=content)
        )

    async def plan(self, *changes: dict[str, Any], user: str = "", **body: Any) -> ParameterPlanRow:
        given = {"title": "Quiet", "changes": list(changes) or [RUN], **copy.deepcopy(body)}
        return await self.plans.create(
            self.of(user) if user else self.user, ParameterPlanBody.model_validate(given)
        )

    async def run(self, plan: ParameterPlanRow, **body: Any) -> JobDetail:
        """The job when it has ended."""
        job = await self.runner.begin(self.user, plan.id, ParameterPlanRun(version=plan.version, **body))
        await self.jobs.runner.step(JobQueue.CAMPAIGN)
        return await self.jobs.detail(self.user, job.id)

    async def drafts(self) -> dict[int, str | None]:
        """By gateway."""
        async with self.services.database.reading() as session:
            rows = await session.execute(select(ConfigurationStateRow.device_id, ConfigurationStateRow.draft))
            return {row[0]: row[1] for row in rows}

    async def newest(self, device_id: int) -> Document:
        state = await self.configurations.state(Scope.system(), device_id, 1, 1)
        assert state.newest is not None
        return (await self.configurations.document(self.of("platform-x"), device_id, state.newest)).document


@pytest.fixture
async def site(services: DomainServices, tmp_path: Path) -> AsyncIterator[Site]:
    database: Database = services.database
    yield Site(services, tmp_path / "exports", await tree(database))
