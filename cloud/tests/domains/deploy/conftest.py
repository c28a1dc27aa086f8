"""Deployments on the domain services: a link that remembers, and a gateway that answers by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from cloud.core.scope import Scope
from cloud.domains.deploy.configurations import ConfigurationService
from cloud.domains.deploy.schemas import DeployBody, DeploymentStatus, DraftBody
from cloud.domains.deploy.service import DeployService
from cloud.domains.identity.permissions import CODES
from cloud.domains.identity.schemas import CurrentUser
from cloud.link import LinkDown
from edge_contract.deployment import (
    ConfigurationReport,
    Deploy,
    Document,
    Fault,
    Origin,
    Receipt,
    Step,
    document_hash,
)
from edge_contract.payloads import Running, State

from ...conftest import BOOT, GATEWAY, SYSTEM, DomainServices, hello

ALICE = CurrentUser(7, "alice", 0, CODES, "sign-in", Scope.system())
BOB = CurrentUser(8, "bob", 0, CODES, "sign-in", Scope.system())


def document(*points: str, gateway: str = GATEWAY, **changes: Any) -> Document:
    """A configuration with one port, one meter and these points."""
    return {
        "gateway": {"id": gateway},
        "ports": [{"name": "lan", "type": "NET", "host": "127.0.0.1", "capture_cycle_ms": 10_000}],
        "slaves": [
            {
                "name": "meter",
                "port": "lan",
                "protocol": "dlt645_2007",
                "address": "1",
                "options": {"password": "123456"},
            }
        ],
        "points": [{"slave": "meter", "name": name, "ratio": 0.1} for name in points],
        **changes,
    }


FOUND, WANTED, EDITED = document("Ua"), document("Ua", "Ub"), document("Ua", "Uc")
A, C, L = (document_hash(each) for each in (FOUND, WANTED, EDITED))


@dataclass
class Site:
    """Gateway 1 and the services of this domain."""

    services: DomainServices
    link_down: bool = False
    keep: int = 200
    sent: list[tuple[str, Deploy]] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    pushed: list[DeploymentStatus] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    answers: list[Receipt] = field(default_factory=list)

    def __post_init__(self) -> None:
        database, devices, clock = self.services.database, self.services.devices, self.services.clock
        self.configurations = ConfigurationService(
            database, devices, self._ask, self._changed_now, clock=clock, keep=self.keep
        )
        self.deploy = DeployService(
            database, devices, self._send, self._push, self._changed_now, clock=clock, check_answer_s=0.2
        )

    async def _send(self, gateway: str, message: Deploy) -> None:
        if self.link_down:
            raise LinkDown("broker is away")
        self.sent.append((gateway, message))
        for answer in self.answers:
            await self.deploy.receipt(GATEWAY, msgspec_replace(answer, id=message.id))

    async def _ask(self, device_id: int) -> None:
        self.asked.append(device_id)

    async def _push(self, device_id: int, deployment: DeploymentStatus) -> None:
        self.pushed.append(deployment)

    async def _changed_now(self, device_id: int) -> None:
        self.changed.append(device_id)

    async def online(self, running: Running | None = None) -> None:
        """It says hello; running: what that names."""
        await self.services.presence.hello(GATEWAY, hello())
        self.deploy.came(GATEWAY, running)

    async def offline(self) -> None:
        await self.services.presence.state(GATEWAY, State(online=False, boot=BOOT, t_ms=1))

    async def runs(self, name: str, deployment: str | None = None, step: Step | None = None) -> None:
        await self.deploy.running(GATEWAY, Running(hash=name, deployment=deployment, step=step))

    async def reports(self, content: Document, origin: Origin = Origin.FILE) -> None:
        """As when it was asked, which is a minute after it said so last."""
        self.services.clock.pass_s(60)
        report = ConfigurationReport(hash=document_hash(content), origin=origin, t_ms=5, document=content)
        await self.configurations.report(GATEWAY, report)

    async def save(
        self, content: Document, base: str | None, user: CurrentUser = ALICE, note: str = ""
    ) -> str:
        body = DraftBody(document=content, base=base, note=note)
        return (await self.configurations.save(user, 1, body)).hash

    async def start(self, **body: Any) -> str:
        return (await self.deploy.request(ALICE, 1, DeployBody(**body))).id

    async def step(self, deployment: str, step: Step, running: str, gateway: str = GATEWAY) -> None:
        await self.deploy.receipt(gateway, receipt(step, running, deployment))

    async def state(self) -> Any:
        return await self.configurations.state(SYSTEM, 1, 1, 20)


def receipt(step: Step, running: str, deployment: str = "deploy-00000", **more: Any) -> Receipt:
    return Receipt(id=deployment, step=step, t_ms=9, running=running, **more)


def msgspec_replace(answer: Receipt, **changes: Any) -> Receipt:
    words = {name: getattr(answer, name) for name in answer.__struct_fields__}
    return Receipt(**{**words, **changes})


def fault(name: str, rule: str) -> Fault:
    return Fault(field=name, rule=rule)


@pytest.fixture
async def site(services: DomainServices) -> Site:
    """Online, and known to run what it was installed with."""
    made = Site(services)
    await made.online()
    await made.runs(A)
    await made.reports(FOUND)
    return made
