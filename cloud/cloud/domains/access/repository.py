"""Every query of groups, rules and of what why needs, within what the asker may see."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.identity.models import AuthGroup, AuthRule, User
from cloud.domains.identity.scope import refused_above, users_within
from cloud.domains.inventory.models import Device, DeviceShare


@dataclass(frozen=True)
class GroupWithUsers:
    """A group, its owner's name, how many users have it."""

    group: AuthGroup
    owner_name: str
    users: int


class AccessRepository:
    """Works on the caller's session; commits nothing. What lies outside the scope is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, row: AuthGroup | AuthRule) -> None:
        self._session.add(row)

    async def groups(
        self, search: str, user_type: int | None, page: int, limit: int
    ) -> tuple[list[GroupWithUsers], int]:
        """A page of groups by title, and how many match."""
        matching = [users_within(self._scope)]
        if search:
            matching.append(AuthGroup.title.icontains(search, autoescape=True))
        if user_type is not None:
            matching.append(AuthGroup.user_type == user_type)
        count = select(func.count(AuthGroup.id)).join(User, User.id == AuthGroup.owner_id).where(*matching)
        total = (await self._session.execute(count)).scalar_one()
        query = self._rows().where(*matching).order_by(AuthGroup.title, AuthGroup.id)
        rows = await self._session.execute(query.offset((page - 1) * limit).limit(limit))
        return [GroupWithUsers(*row) for row in rows], int(total)

    async def group(self, group_id: int) -> GroupWithUsers | None:
        query = self._rows().where(AuthGroup.id == group_id, users_within(self._scope))
        row = (await self._session.execute(query)).one_or_none()
        return None if row is None else GroupWithUsers(*row)

    async def delete_group(self, group: AuthGroup) -> None:
        await self._session.delete(group)

    async def rules(self) -> dict[str, AuthRule]:
        return {rule.code: rule for rule in await self._session.scalars(select(AuthRule))}

    async def rule(self, code: str) -> AuthRule | None:
        return await self._session.get(AuthRule, code)

    async def user(self, user_id: int) -> tuple[User, str] | None:
        """A user and the title of his group, empty without one."""
        query = (
            select(User, AuthGroup.title)
            .outerjoin(AuthGroup, AuthGroup.id == User.group_id)
            .where(User.id == user_id, users_within(self._scope))
        )
        row = (await self._session.execute(query)).one_or_none()
        return None if row is None else (row[0], row[1] or "")

    async def refused_above(self, user: User, now_ms: int) -> bool:
        return await refused_above(self._session, user, now_ms)

    async def device(self, device_id: int) -> tuple[Device, User | None] | None:
        """A gateway and its owner, without the scope: the caller decides what of it is visible."""
        query = select(Device, User).outerjoin(User, User.id == Device.owner_id).where(Device.id == device_id)
        row = (await self._session.execute(query)).one_or_none()
        return None if row is None else (row[0], row[1])

    async def share(self, device_id: int, user_id: int) -> DeviceShare | None:
        return await self._session.get(DeviceShare, (device_id, user_id))

    def _rows(self) -> Select[AuthGroup, str, int]:
        owner_name = User.user_name
        of_group = User.__table__.alias()
        users = (
            select(func.count()).select_from(of_group).where(of_group.c.group_id == AuthGroup.id)
        ).scalar_subquery()
        return select(AuthGroup, owner_name, users).join(User, User.id == AuthGroup.owner_id)
