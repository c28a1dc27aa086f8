"""How many projects and gateways a user may have, together with everybody below him.

Set by who may edit the user, never above the least of those above; users above are named to nobody, only
that they have no place. Asked by adding, copying, claiming, importing, binding, handing over and moving
users or projects; refused with limit.*. Groups of projects do not count; staff of the platform have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.core.tables import OwnedTable
from cloud.db import Database
from cloud.domains.identity.limit_repository import RESOURCES, LimitRepository, Resource, UserBound
from cloud.domains.identity.models import User
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.user_schemas import LimitState
from cloud.errors import Conflict, NotFound, ParameterError


@dataclass(frozen=True)
class Free:
    """How many more there may be. bound: whose limit is met first; None: free is without end."""

    free: int | None
    bound: UserBound | None = None


class ResourceLimits:
    """One caller's questions on his session. A limit counts what belongs to its user and to everybody below
    him, so that nobody has more by making users. Lowered below what is used it deletes nothing.

    owned: tables that say which limit their rows use; each resource is one's.
    """

    def __init__(self, session: AsyncSession, scope: Scope, owned: Sequence[OwnedTable]) -> None:
        self._rows = LimitRepository(session, scope, owned)
        self._scope = scope

    async def lock(self) -> None:
        """First in a transaction that takes places, before its row locks: of two at once one is refused."""
        await self._rows.lock()

    async def free(self, resource: Resource, owner_id: int | None, *, was: int | None = None) -> Free:
        """For a user. was: who has them until now; what bounds him too does not rise."""
        path, before = await self._rows.path(owner_id), await self._rows.path(was)
        return await self._free(resource, path, before)

    async def take(
        self, resource: Resource, owner_id: int | None, more: int = 1, *, was: int | None = None
    ) -> None:
        """Raises Conflict when a user, or somebody above him, would have more than his maximum."""
        self._refuse(resource, await self.free(resource, owner_id, was=was), more)

    async def move(self, user: User, to: User) -> None:
        """Raises Conflict when what a user and everybody below him have is too much below another one."""
        for resource in RESOURCES:
            more = await self._rows.used(user.path, resource)
            self._refuse(resource, await self._free(resource, to.path, user.path), more)

    async def put(self, user: User, wanted: Mapping[Resource, int | None]) -> dict[str, int | None]:
        """Set limits of a user. Returns what he had of these before. Raises ParameterError for more than a
        user above has.
        """
        before = await self._rows.own(user.id)
        for resource, maximum in wanted.items():
            above = [each for each in await self._rows.bounds(user.path, resource) if each.user_id != user.id]
            above_maximum = min((each.maximum for each in above), default=None)
            if maximum is not None and above_maximum is not None and maximum > above_maximum:
                raise ParameterError(
                    f"limits.{resource}",
                    f"at most {above_maximum}",
                    reason="limit.above_own",
                    arguments={"limit": above_maximum},
                )
            await self._rows.put(user.id, resource, maximum)
        return {resource: before.get(resource) for resource in wanted}

    async def states(self, user: User) -> list[LimitState]:
        """Limit and use of each resource."""
        own = await self._rows.own(user.id)
        return [
            LimitState(
                resource=resource,
                limit=own.get(resource),
                bound=min(
                    (each.maximum for each in await self._rows.bounds(user.path, resource)), default=None
                ),
                used=await self._rows.used(user.path, resource),
            )
            for resource in RESOURCES
        ]

    async def _free(self, resource: Resource, path: str, before: str) -> Free:
        free_places = Free(None)
        for bound in await self._rows.bounds(path, resource):
            if before.startswith(bound.path):
                continue  # they count for him already
            free = bound.maximum - await self._rows.used(bound.path, resource)
            if free_places.free is None or free < free_places.free:
                free_places = Free(free, bound)
        return free_places

    def _refuse(self, resource: Resource, free_places: Free, more: int) -> None:
        if free_places.bound is None or free_places.free is None or more <= max(0, free_places.free):
            return
        raise self.refusal(resource, free_places.bound, free_places.free)

    def refusal(self, resource: Resource, bound: UserBound, free: int) -> Conflict:
        """What a user above has is nobody's to know below him."""
        if not (self._scope.everything or bound.path.startswith(self._scope.path)):
            return Conflict(
                f"a user above may have no more {resource}",
                reason="limit.projects_above" if resource == "projects" else "limit.devices_above",
            )
        return Conflict(
            f"{bound.user_name} may have {bound.maximum} {resource}",
            reason="limit.projects" if resource == "projects" else "limit.devices",
            arguments={"user": bound.user_name, "limit": bound.maximum, "used": bound.maximum - free},
        )


class LimitService:
    """Limits of a user below, and one's own."""

    def __init__(self, database: Database, owned: Sequence[OwnedTable]) -> None:
        self._database = database
        self._owned = owned

    async def states(self, asker: CurrentUser, user_id: int) -> list[LimitState]:
        """NotFound for a user that the asker does not see."""
        async with self._database.reading() as session:
            if not await LimitRepository(session, asker.scope, self._owned).is_seen(user_id):
                raise NotFound("user")
            user = await session.get_one(User, user_id)
            return await ResourceLimits(session, asker.scope, self._owned).states(user)
