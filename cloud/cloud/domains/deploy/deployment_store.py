"""The one place where a deployment's state changes, and where waiting callers and the portal are notified."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from cloud.core.clock import NowMs
from cloud.core.scope import Scope
from cloud.core.text import storable
from cloud.db import Database
from cloud.domains.configuration.models import Deployment
from cloud.domains.configuration.repository import DeployRepository
from cloud.domains.configuration.states import FINAL, GIVEN_UP, DeploymentState, may_become
from cloud.domains.deploy import views
from cloud.domains.deploy.metrics import FINISHED
from cloud.domains.deploy.schemas import DeploymentStatus

MAX_TEXT_LENGTH = 200

MAY_RUN = "may_run"
"""Code of what was cancelled after it had been sent: should the gateway have it, it is carried out."""

Pushed = Callable[[int, DeploymentStatus], Awaitable[None]]


class DeploymentStore:
    """pushed: called with the gateway's id and the deployment, after every change."""

    def __init__(self, database: Database, pushed: Pushed, clock: NowMs) -> None:
        self._database = database
        self._pushed = pushed
        self._clock = clock
        self._awaited: dict[str, asyncio.Event] = {}

    @contextmanager
    def awaited(self, deployment_id: str) -> Iterator[asyncio.Event]:
        """An event that is set when the deployment ends."""
        event = self._awaited[deployment_id] = asyncio.Event()
        try:
            yield event
        finally:
            del self._awaited[deployment_id]

    async def notify(self, row: Deployment) -> None:
        """After a commit: notify the portal, and who waits for the end."""
        await self._pushed(row.device_id, views.status(row))
        if DeploymentState(row.state) in FINAL | GIVEN_UP and row.id in self._awaited:
            self._awaited[row.id].set()

    async def change(self, deployment_id: str, wanted: DeploymentState, code: str = "") -> bool:
        """True when the state has changed."""
        async with self._database.session() as session:
            repository = DeployRepository(session, Scope.system())
            row = await self.locked(repository, deployment_id)
            if row is not None and wanted is DeploymentState.CANCELLED and row.sent_ms is not None:
                code = MAY_RUN
            if row is None or not self.move(row, wanted, code, ""):
                return False  # the receipt was faster
            await session.commit()
        await self.notify(row)
        return True

    async def unsend(self, deployment_id: str) -> None:
        """It waits again; should it have arrived all the same, the gateway knows its id."""
        async with self._database.session() as session:
            repository = DeployRepository(session, Scope.system())
            row = await self.locked(repository, deployment_id)
            if row is None or DeploymentState(row.state) is not DeploymentState.SENT:
                return
            row.state, row.sent_ms = DeploymentState.CREATED.value, None
            await session.commit()
        await self.notify(row)

    async def locked(self, repository: DeployRepository, deployment_id: str) -> Deployment | None:
        """The deployment as it is now that nobody else can change it."""
        row = await repository.deployment(deployment_id)
        if row is None:
            return None  # its gateway was deleted
        await repository.locked(row.device_id)
        return await repository.deployment(deployment_id)

    def move(self, row: Deployment, wanted: DeploymentState, code: str, detail: str) -> bool:
        """Change the state if it may; the caller commits."""
        if not may_become(DeploymentState(row.state), wanted):
            return False
        row.state = wanted.value
        row.code, row.detail = storable(code, MAX_TEXT_LENGTH), storable(detail, MAX_TEXT_LENGTH)
        if wanted is DeploymentState.SENT:
            row.sent_ms = self._clock()
        elif wanted in FINAL | GIVEN_UP:
            row.finished_ms = self._clock()
            FINISHED.labels(wanted.value).inc()
        else:
            row.finished_ms = None  # it was cancelled, and is carried out all the same
        return True
