"""Every query of limits by user: what is set, and what is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import ColumnElement, Integer, bindparam, delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from cloud.core.scope import Scope
from cloud.domains.identity.models import User, UserLimit
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.scope import users_within
from cloud.domains.inventory.models import Device
from cloud.domains.inventory.project_models import Project

Resource = Literal["projects", "devices"]

RESOURCES: Mapping[Resource, tuple[InstrumentedAttribute[int | None], tuple[ColumnElement[bool], ...]]] = {
    "projects": (Project.owner_id, (Project.kind == "project",)),
    "devices": (Device.owner_id, ()),
}
"""Owner's column of what is counted, and which of its rows count: groups of projects do not."""

LOCK = int.from_bytes(b"edgl")
"""Number of the lock on PostgreSQL."""


@dataclass(frozen=True)
class UserBound:
    """A limit that counts for a user: his own, or of somebody above him."""

    user_id: int
    user_name: str
    path: str
    maximum: int


class LimitRepository:
    """Works on the caller's session; commits nothing. Limits of users above count, seen or not."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def lock(self) -> None:
        """Until the transaction ends nobody else takes a place. On SQLite there is one writer anyway."""
        if self._session.get_bind().dialect.name == "postgresql":
            await self._session.execute(
                text("SELECT pg_advisory_xact_lock(:number)").bindparams(bindparam("number", LOCK, Integer))
            )

    async def path(self, user_id: int | None) -> str:
        """Of whoever it is; "" of nobody."""
        if user_id is None:
            return ""
        return (await self._session.scalars(select(User.path).where(User.id == user_id))).one_or_none() or ""

    async def is_seen(self, user_id: int) -> bool:
        query = select(User.id).where(User.id == user_id, users_within(self._scope))
        return (await self._session.scalars(query)).one_or_none() is not None

    async def bounds(self, path: str, resource: Resource) -> list[UserBound]:
        """Of the user of a path and everybody above him, the topmost first. Type 0 has none."""
        numbers = [int(part) for part in path.split("/") if part]
        query = (
            select(User.id, User.user_name, User.path, UserLimit.maximum)
            .join(UserLimit, UserLimit.user_id == User.id)
            .where(User.id.in_(numbers), User.user_type != PLATFORM, UserLimit.resource == resource)
            .order_by(func.length(User.path))
        )
        return [UserBound(*row) for row in await self._session.execute(query)]

    async def used(self, path: str, resource: Resource) -> int:
        """How many belong to the user of a path and everybody below him."""
        owner, which = RESOURCES[resource]
        below = select(User.id).where(User.path.startswith(path, autoescape=True))
        query = select(func.count()).select_from(owner.class_).where(owner.in_(below), *which)
        return int((await self._session.execute(query)).scalar_one())

    async def own(self, user_id: int) -> dict[str, int]:
        """By resource; what is absent has no limit."""
        query = select(UserLimit.resource, UserLimit.maximum).where(UserLimit.user_id == user_id)
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def put(self, user_id: int, resource: Resource, maximum: int | None) -> None:
        """Replace a limit; None ends it."""
        mine = delete(UserLimit).where(UserLimit.user_id == user_id, UserLimit.resource == resource)
        await self._session.execute(mine)
        if maximum is not None:
            self._session.add(UserLimit(user_id=user_id, resource=resource, maximum=maximum))
            await self._session.flush()
