"""Every query of the tree of users, within what whoever asks may see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, RowMapping, Select, func, literal, not_, or_, select, true, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from cloud.core.scope import Scope
from cloud.domains.identity.models import AuthGroup, User, UserLimit
from cloud.domains.identity.names import name_key
from cloud.domains.identity.scope import users_within
from cloud.domains.identity.user_schemas import UserQuery

_Parent = aliased(User)
_Projects, _Devices = aliased(UserLimit), aliased(UserLimit)

_ORDER = {
    "user_name": User.user_name,
    "nick_name": User.nick_name,
    "user_type": User.user_type,
    "status": User.status,
    "user_expire": User.expire_ms,
    "created_ms": User.created_ms,
    "last_login_ms": User.last_login_ms,
}
SORTS = frozenset(_ORDER)


_COLUMNS = (
    User.id.label("user_id"),
    User.user_name,
    User.nick_name,
    User.user_type,
    User.status,
    User.expire_ms.label("user_expire"),
    User.phone,
    User.email,
    User.group_id,
    AuthGroup.title.label("group_title"),
    User.parent_id,
    _Parent.user_name.label("parent_name"),
    _Parent.path.label("parent_path"),
    User.bigscreen_title,
    User.created_ms,
    User.last_login_ms,
    User.remark,
    _Projects.maximum.label("projects"),
    _Devices.maximum.label("devices"),
)
"""Of a list: columns, because ten thousand objects take twice as long."""

UserMapping = RowMapping
"""A user as UserRow names it, with parent_path and the limits; both parent's are None without one."""


@dataclass(frozen=True)
class GroupOfUser:
    """A user's group with the place of its owner in the tree."""

    group: AuthGroup
    owner: User


class UserRepository:
    """Works on the caller's session; commits nothing. What lies outside the scope is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def user(self, user_id: int) -> User | None:
        """Locked until the transaction ends, where the database can."""
        query = select(User).where(User.id == user_id, users_within(self._scope)).with_for_update()
        return (await self._session.scalars(query)).one_or_none()

    async def named(self, name: str) -> User | None:
        """Anybody: names are unique in the installation, however they are written."""
        same = or_(User.user_name == name, User.name_key == name_key(name))
        return (await self._session.scalars(select(User).where(same).limit(1))).first()

    async def row(self, user_id: int) -> UserMapping | None:
        query = self._rows().where(User.id == user_id, users_within(self._scope))
        return (await self._session.execute(query)).mappings().one_or_none()

    async def page(
        self, wanted: UserQuery, page: int, limit: int, at_ms: int
    ) -> tuple[Sequence[UserMapping], int]:
        """A page of users and how many match. at_ms: the time at which one is expired or not."""
        matching = self._matching(wanted, at_ms)
        total = (await self._session.execute(select(func.count(User.id)).where(*matching))).scalar_one()
        order = _ORDER.get(wanted.sort.lstrip("-"), User.id)
        directed = order.desc() if wanted.sort.startswith("-") else order.asc()
        query = self._rows().where(*matching).order_by(directed.nulls_last(), User.id)
        rows = await self._session.execute(query.offset((page - 1) * limit).limit(limit))
        return rows.mappings().all(), int(total)

    async def group(self, group_id: int, *, whoever: bool = False) -> GroupOfUser | None:
        """A group that whoever asks may give; whoever: one that somebody else gave."""
        query = select(AuthGroup, User).join(User, User.id == AuthGroup.owner_id)
        query = query.where(AuthGroup.id == group_id, true() if whoever else users_within(self._scope))
        row = (await self._session.execute(query)).one_or_none()
        return None if row is None else GroupOfUser(row[0], row[1])

    async def count_below(self, user: User) -> int:
        """Users below, at any depth."""
        below = select(func.count(User.id)).where(*self._below(user))
        return int((await self._session.execute(below)).scalar_one())

    async def least_type_below(self, user: User) -> int | None:
        query = select(func.min(User.user_type)).where(*self._below(user))
        return (await self._session.execute(query)).scalar_one()

    async def groups_below(self, user: User) -> list[tuple[str, GroupOfUser]]:
        """The path of the user and of everybody below him who has a group, with that group."""
        owner = aliased(User)
        query = (
            select(User.path, AuthGroup, owner)
            .join(AuthGroup, AuthGroup.id == User.group_id)
            .join(owner, owner.id == AuthGroup.owner_id)
            .where(User.path.startswith(user.path, autoescape=True))
        )
        return [(path, GroupOfUser(group, of)) for path, group, of in await self._session.execute(query)]

    async def move_below(self, user: User, to: User, *, himself: bool) -> None:
        """Hang everybody below a user, and optionally himself, below another one."""
        old = user.path
        new = f"{to.path}{user.id}/" if himself else to.path
        moved = [*self._below(user)] if not himself else [User.path.startswith(old, autoescape=True)]
        children = User.parent_id == user.id if not himself else User.id == user.id
        await self._session.execute(update(User).where(children).values(parent_id=to.id))
        path = literal(new).concat(func.substr(User.path, len(old) + 1))
        await self._session.execute(update(User).where(*moved).values(path=path))

    def _below(self, user: User) -> tuple[ColumnElement[bool], ...]:
        return User.path.startswith(user.path, autoescape=True), User.id != user.id

    def _matching(self, wanted: UserQuery, at_ms: int) -> list[ColumnElement[bool]]:
        matching = [users_within(self._scope)]
        if wanted.search:
            columns = (User.user_name, User.nick_name, User.phone, User.email)
            matching.append(or_(*(column.icontains(wanted.search, autoescape=True) for column in columns)))
        if wanted.types:
            matching.append(User.user_type.in_(wanted.types))
        if wanted.status is not None:
            matching.append(User.status == wanted.status)
        if wanted.expired is not None:
            over = User.expire_ms.is_not(None) & (User.expire_ms <= at_ms)
            matching.append(over if wanted.expired else not_(over))
        return matching

    def _rows(self) -> Select[*tuple[Any, ...]]:
        return (
            select(*_COLUMNS)
            .select_from(User)
            .outerjoin(_Parent, _Parent.id == User.parent_id)
            .outerjoin(AuthGroup, AuthGroup.id == User.group_id)
            .outerjoin(_Projects, (_Projects.user_id == User.id) & (_Projects.resource == "projects"))
            .outerjoin(_Devices, (_Devices.user_id == User.id) & (_Devices.resource == "devices"))
        )
