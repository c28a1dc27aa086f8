"""Every query of the search. What the scope does not see is not found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from sqlalchemy import ColumnElement, and_, case, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.identity.models import User
from cloud.domains.identity.scope import users_within, within
from cloud.domains.inventory.models import DataPoint, Device, SlaveDevice
from cloud.domains.inventory.project_models import Project
from cloud.domains.inventory.visibility import seen, visible
from cloud.domains.search.comparing import Text, begins, contains, equals
from cloud.domains.search.schemas import DeviceMatch, PointMatch, ProjectMatch, SlaveMatch, UserMatch

_BETWEEN = "\n"
"""In none of the texts: what is found lies in one of them. One comparison costs less than several."""

_DEVICE: tuple[Text, ...] = (Device.title, Device.binder_title, Device.gateway_id)
_SLAVE: tuple[Text, ...] = (SlaveDevice.title, SlaveDevice.name)
_POINT: tuple[Text, ...] = (DataPoint.title, DataPoint.name)
_PROJECT: tuple[Text, ...] = (Project.title,)
_USER: tuple[Text, ...] = (User.user_name, User.nick_name)


class SearchRepository:
    """Works on the caller's session. words: all must be found; at most limit rows, the best first."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def devices(self, words: Sequence[str], limit: int) -> list[DeviceMatch]:
        query = select(Device.id, Device.gateway_id, Device.title, Device.binder_title, Device.online)
        query = query.where(visible(self._scope), _all(_DEVICE, words))
        query = query.order_by(_rank(_DEVICE, words), Device.title_key, Device.id)
        return [
            DeviceMatch(id=row[0], gateway_id=row[1], title=row[2], binder_title=row[3], online=row[4])
            for row in await self._session.execute(query.limit(limit))
        ]

    async def slaves(self, words: Sequence[str], limit: int) -> list[SlaveMatch]:
        best = select(SlaveDevice.id).where(
            SlaveDevice.removed.is_(False), seen(self._scope, SlaveDevice.device_id)
        )
        if len(words) == 1:
            best = best.where(_all(_SLAVE, words))
        else:
            best = best.join(Device, Device.id == SlaveDevice.device_id)
            best = best.where(_any(_SLAVE, words), _all((*_SLAVE, *_DEVICE), words))
        best = best.order_by(_rank(_SLAVE, words), SlaveDevice.id).limit(limit)
        query = select(SlaveDevice.device_id, Device.title, SlaveDevice.name, SlaveDevice.title)
        query = query.join(Device, Device.id == SlaveDevice.device_id).where(SlaveDevice.id.in_(best))
        query = query.order_by(_rank(_SLAVE, words), SlaveDevice.id)
        return [
            SlaveMatch(device_id=row[0], device_title=row[1], name=row[2], title=row[3])
            for row in await self._session.execute(query)
        ]

    async def points(self, words: Sequence[str], limit: int) -> list[PointMatch]:
        best = select(DataPoint.id).where(
            DataPoint.removed.is_(False), seen(self._scope, DataPoint.device_id)
        )
        if len(words) == 1:
            best = best.where(_all(_POINT, words))
        else:
            best = best.join(SlaveDevice, SlaveDevice.id == DataPoint.slave_id)
            best = best.join(Device, Device.id == DataPoint.device_id)
            best = best.where(_any(_POINT, words), _all((*_POINT, *_SLAVE, *_DEVICE), words))
        best = best.order_by(_rank(_POINT, words), DataPoint.id).limit(limit)
        query = select(
            DataPoint.id,
            DataPoint.device_id,
            Device.title,
            SlaveDevice.name,
            SlaveDevice.title,
            DataPoint.name,
            DataPoint.title,
            DataPoint.unit,
        )
        query = query.join(SlaveDevice, SlaveDevice.id == DataPoint.slave_id)
        query = query.join(Device, Device.id == DataPoint.device_id).where(DataPoint.id.in_(best))
        query = query.order_by(_rank(_POINT, words), DataPoint.id)
        return [
            PointMatch(
                dsid=row[0],
                device_id=row[1],
                device_title=row[2],
                slave=row[3],
                slave_title=row[4],
                name=row[5],
                title=row[6],
                unit=row[7],
            )
            for row in await self._session.execute(query)
        ]

    async def projects(self, words: Sequence[str], limit: int) -> list[ProjectMatch]:
        query = select(Project.id, Project.title, Project.kind)
        query = query.where(within(self._scope, Project.owner_id), _all(_PROJECT, words))
        query = query.order_by(_rank(_PROJECT, words), Project.title, Project.id)
        return [
            ProjectMatch(id=row[0], title=row[1], kind=row[2])
            for row in await self._session.execute(query.limit(limit))
        ]

    async def users(self, words: Sequence[str], limit: int) -> list[UserMatch]:
        query = select(User.id, User.user_name, User.nick_name, User.user_type)
        query = query.where(users_within(self._scope), _all(_USER, words))
        query = query.order_by(_rank(_USER, words), User.user_name, User.id)
        return [
            UserMatch(user_id=row[0], user_name=row[1], nick_name=row[2], user_type=row[3])
            for row in await self._session.execute(query.limit(limit))
        ]


def _together(texts: Sequence[Text]) -> Text:
    return reduce(lambda sum_, text: sum_ + _BETWEEN + text, texts[1:], texts[0])


def _all(texts: Sequence[Text], words: Sequence[str]) -> ColumnElement[bool]:
    """Is every word in one of the texts?"""
    joined = _together(texts)
    return and_(*(contains(joined, word) for word in words))


def _any(texts: Sequence[Text], words: Sequence[str]) -> ColumnElement[bool]:
    joined = _together(texts)
    return or_(*(contains(joined, word) for word in words))


def _rank(texts: Sequence[Text], words: Sequence[str]) -> ColumnElement[int]:
    """0: one of the texts is what was typed, 1: begins with it, 2: another."""
    typed = " ".join(words)
    same = or_(*(equals(text, typed) for text in texts))
    first = or_(*(begins(text, typed) for text in texts))
    return case((same, 0), (first, 1), else_=2)
