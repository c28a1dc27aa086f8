"""Every query of how long history is kept."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.identity.models import User
from cloud.domains.identity.scope import users_within
from cloud.domains.inventory.models import DataPoint, DeadSeries, Device
from cloud.domains.inventory.visibility import visible
from cloud.domains.retention.models import PointRetention, Retention
from cloud.link.models import LinkBatch


@dataclass(frozen=True)
class Owned:
    """A point, the path of its gateway's owner (empty for the platform's), and its own setting."""

    dsid: int
    path: str
    own: PointRetention | None


class RetentionRepository:
    """Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, row: Retention | PointRetention) -> None:
        self._session.add(row)

    async def delete(self, row: Retention | PointRetention) -> None:
        await self._session.delete(row)

    async def of(self, user_id: int | None) -> Retention | None:
        """Of a user, or of the platform."""
        query = select(Retention).where(Retention.user_id == user_id).order_by(Retention.id).limit(1)
        return (await self._session.scalars(query)).one_or_none()

    async def all(self) -> list[Retention]:
        """Of the platform and of every user: they are few, and whose path they are on is not known yet."""
        return list(await self._session.scalars(select(Retention).order_by(Retention.id)))

    async def users(self, limit: int) -> list[tuple[Retention, str]]:
        """Of users that the scope sees, with their names."""
        query = select(Retention, User.user_name).join(User, Retention.user_id == User.id)
        query = query.where(users_within(self._scope)).order_by(User.user_name).limit(limit)
        return [(row, name) for row, name in await self._session.execute(query)]

    async def user(self, user_id: int) -> User | None:
        query = select(User).where(User.id == user_id, users_within(self._scope))
        return (await self._session.scalars(query)).one_or_none()

    async def heard(self, batches: int) -> list[int]:
        """When each gateway of the newest batches closed its last, by its own clock."""
        newest = select(LinkBatch.gateway, LinkBatch.t_ms).order_by(LinkBatch.id.desc()).limit(batches)
        found = newest.subquery()
        query = select(func.max(found.c.t_ms)).group_by(found.c.gateway)
        return list(await self._session.scalars(query))

    async def points(self, after: int, limit: int) -> list[Owned]:
        """Points by number from the next one on, of gateways that the scope sees."""
        query = (
            select(DataPoint.id, User.path, PointRetention)
            .join(Device, DataPoint.device_id == Device.id)
            .outerjoin(User, Device.owner_id == User.id)
            .outerjoin(PointRetention, PointRetention.dsid == DataPoint.id)
            .where(DataPoint.id > after, visible(self._scope))
            .order_by(DataPoint.id)
            .limit(limit)
        )
        return [Owned(row[0], row[1] or "", row[2]) for row in await self._session.execute(query)]

    async def places(self) -> list[tuple[str, int]]:
        """Paths of owners (empty: the platform), and how many of their points have no setting."""
        query = (
            select(User.path, func.count())
            .select_from(DataPoint)
            .join(Device, DataPoint.device_id == Device.id)
            .outerjoin(User, Device.owner_id == User.id)
            .outerjoin(PointRetention, PointRetention.dsid == DataPoint.id)
            .where(PointRetention.dsid.is_(None), visible(self._scope))
            .group_by(User.path)
        )
        return [(path or "", count) for path, count in await self._session.execute(query)]

    async def unset(self, limit: int) -> list[tuple[int, str]]:
        """Points without a setting, and the paths of their owners (empty: the platform)."""
        query = (
            select(DataPoint.id, User.path)
            .join(Device, DataPoint.device_id == Device.id)
            .outerjoin(User, Device.owner_id == User.id)
            .outerjoin(PointRetention, PointRetention.dsid == DataPoint.id)
            .where(PointRetention.dsid.is_(None), visible(self._scope))
            .order_by(DataPoint.id)
            .limit(limit)
        )
        return [(dsid, path or "") for dsid, path in await self._session.execute(query)]

    async def point(self, dsid: int) -> Owned | None:
        found = await self.points(dsid - 1, 1)
        return found[0] if found and found[0].dsid == dsid else None

    async def dead(self, limit: int) -> list[int]:
        """Points of deleted gateways whose samples are still stored."""
        return list(
            await self._session.scalars(select(DeadSeries.dsid).order_by(DeadSeries.dsid).limit(limit))
        )

    async def buried(self, dsids: Collection[int]) -> None:
        await self._session.execute(delete(DeadSeries).where(DeadSeries.dsid.in_(dsids)))

    async def forget(self, dsid: int) -> None:
        await self._session.execute(delete(PointRetention).where(PointRetention.dsid == dsid))
