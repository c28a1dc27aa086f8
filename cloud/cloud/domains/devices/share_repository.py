"""Every query of owners and shares of gateways."""

from __future__ import annotations

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.identity.models import User
from cloud.domains.identity.names import name_key
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.scope import users_within
from cloud.domains.inventory.models import Device, DeviceShare
from cloud.domains.inventory.visibility import owned, seen
from cloud.realtime.audience import Audience


class ShareRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, row: DeviceShare) -> None:
        self._session.add(row)

    async def delete(self, row: DeviceShare) -> None:
        await self._session.delete(row)

    async def is_owned(self, device_id: int) -> bool:
        """Does the gateway belong to the user or to somebody below him?"""
        query = select(Device.id).where(Device.id == device_id, owned(self._scope))
        return (await self._session.execute(query)).first() is not None

    async def owner(self, device: Device) -> User | None:
        return None if device.owner_id is None else await self._session.get(User, device.owner_id)

    async def heir(self, user_id: int) -> int | None:
        """Who has a user's gateway when he leaves it: who stands above him, unless that is the platform."""
        above = select(User.parent_id).where(User.id == user_id).scalar_subquery()
        query = select(User.id).where(User.id == above, User.user_type != PLATFORM)
        return (await self._session.scalars(query)).one_or_none()

    async def share(self, device_id: int, user_id: int) -> DeviceShare | None:
        query = select(DeviceShare).where(DeviceShare.device_id == device_id, DeviceShare.user_id == user_id)
        query = query.where(seen(self._scope, DeviceShare.device_id))
        return (await self._session.scalars(query)).one_or_none()

    async def shares(self, device_id: int) -> list[tuple[DeviceShare, User]]:
        """Of a gateway, with their users, by name."""
        query = select(DeviceShare, User).join(User, DeviceShare.user_id == User.id)
        query = query.where(DeviceShare.device_id == device_id, seen(self._scope, DeviceShare.device_id))
        query = query.order_by(User.user_name)
        return [(row[0], row[1]) for row in await self._session.execute(query)]

    async def count(self, device_id: int) -> int:
        query = select(func.count()).select_from(DeviceShare).where(DeviceShare.device_id == device_id)
        return int((await self._session.execute(query)).scalar_one())

    async def user_named(self, name: str) -> User | None:
        """Anybody: a gateway may be shared with whom one does not see, by his name."""
        query = select(User).where(or_(User.user_name == name, User.name_key == name_key(name)))
        return (await self._session.scalars(query.order_by((User.user_name == name).desc()).limit(1))).first()

    async def user(self, user_id: int) -> User | None:
        """One that the scope sees."""
        query = select(User).where(User.id == user_id, users_within(self._scope))
        return (await self._session.scalars(query)).one_or_none()

    async def audience(self, device_id: int) -> Audience:
        owner = select(User.path).join(Device, Device.owner_id == User.id).where(Device.id == device_id)
        shared = select(DeviceShare.user_id).where(DeviceShare.device_id == device_id)
        path = (await self._session.scalars(owner)).one_or_none()
        return Audience(path or "", frozenset(await self._session.scalars(shared)))
