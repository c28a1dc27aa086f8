"""Every query of limits by user: what is set, and what is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from sqlalchemy import Integer, bindparam, delete, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.core.tables import OwnedTable
from cloud.domains.identity.models import User, UserLimit
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.scope import users_within

Resource = Literal["projects", "devices"]

RESOURCES: tuple[Resource, ...] = get_args(Resource)

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
    """Works on the caller's session; commits nothing. Limits of users above count, seen or not.

    owned: tables that say which limit their rows use.
    """

    def __init__(self, session: AsyncSession, scope: Scope, owned: Sequence[OwnedTable]) -> None:
        self._session = session
        self._scope = scope
        self._owned = {table.limit: table for table in owned if table.limit}

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
        table = self._owned[resource]
        below = select(User.id).where(User.path.startswith(path, autoescape=True))
        query = select(func.count()).select_from(table.owner.class_)
        counted = query.where(table.owner.in_(below), *table.counted)
        return int((await self._session.execute(counted)).scalar_one())

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
