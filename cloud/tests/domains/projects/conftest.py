"""Projects of two factories with gateways, on a real database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import select

from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.inventory.models import Device, DeviceShare
from cloud.domains.projects.assignments import AssignmentService
from cloud.domains.projects.schemas import AssignBody, MoveBody, ProjectBody, ProjectNode
from cloud.domains.projects.service import ProjectService

from ...conftest import Clock
from ..tenants import tree


@dataclass
class Site:
    """users: of tenants.TREE."""

    database: Database
    users: dict[str, CurrentUser]
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.projects = ProjectService(self.database, clock=self.clock)
        self.assignments = AssignmentService(self.database)

    async def gateway(self, title: str, owner: str = "", **columns: Any) -> int:
        """Number of a new gateway."""
        async with self.database.session() as session:
            row = Device(
                gateway_id=f"gw-{title}",
                title=title,
                secret_hash="",
                created_ms=1,
                owner_id=self.users[owner].id if owner else None,
                **columns,
            )
            session.add(row)
            await session.commit()
            return row.id

    async def share(self, device_id: int, name: str, *, writes: bool) -> None:
        async with self.database.session() as session:
            user_id = self.users[name].id
            session.add(
                DeviceShare(device_id=device_id, user_id=user_id, role="owner", writes=writes, created_ms=1)
            )
            await session.commit()

    async def add(self, title: str, parent: int | None = None, user: str = "factory-x") -> ProjectNode:
        """A group when its title has a capital, else a project."""
        kind = "group" if title[0].isupper() else "project"
        body = ProjectBody.model_validate({"kind": kind, "title": title, "parent_id": parent})
        return await self.projects.add(self.users[user], body)

    async def move(
        self, node: int, parent: int | None, place: int = 10_000, user: str = "factory-x"
    ) -> ProjectNode:
        return await self.projects.move(self.users[user], node, MoveBody(parent_id=parent, place=place))

    async def assign(self, project: int | None, *devices: int, user: str = "factory-x") -> Any:
        body = AssignBody(device_ids=list(devices), project_id=project)
        return await self.assignments.assign(self.users[user], body)

    async def shown(self, user: str = "factory-x") -> list[tuple[str, int | None, int, int, int]]:
        """Title, parent and counts of every node."""
        found = (await self.projects.tree(self.users[user])).nodes
        return [(node.title, node.parent_id, node.devices, node.online, node.silent) for node in found]

    async def places(self) -> dict[str, int | None]:
        """Gateway to project."""
        async with self.database.reading() as session:
            rows = await session.execute(select(Device.title, Device.project_id))
            return {row[0]: row[1] for row in rows}


@pytest.fixture
async def site(database_url: str) -> AsyncIterator[Site]:
    database = Database(database_url)
    yield Site(database, await tree(database))
    await database.close()
