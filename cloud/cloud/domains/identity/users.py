"""Users below the one who asks: list, make, change, take away.

A user with users or devices is deleted when `to` takes them and his groups over. His templates go to `to`
as well; without one, or when `to` is the platform's, they are not shared any more, as everybody uses what
the platform shares. A group must belong to somebody above its users or to the platform; a move that would
break this is refused with the count. A group binds everybody below its members too.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.core.tables import OwnedTable
from cloud.db import Database
from cloud.domains.identity import passwords as rules
from cloud.domains.identity.limit_repository import RESOURCES, Resource
from cloud.domains.identity.limits import ResourceLimits
from cloud.domains.identity.models import User
from cloud.domains.identity.names import check_name
from cloud.domains.identity.owned_repository import OwnedRepository
from cloud.domains.identity.repository import IdentityRepository
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.identity.service import IdentityService, name_taken
from cloud.domains.identity.tree import check_group, check_moved_groups, check_type, only_below, row_of
from cloud.domains.identity.user_repository import SORTS, UserRepository
from cloud.domains.identity.user_schemas import (
    MadeUser,
    NewPassword,
    UserBody,
    UserChange,
    UserLimits,
    UserQuery,
    UserRow,
)
from cloud.errors import Conflict, NotFound, ParameterError

log = logging.getLogger(__name__)

REGISTERED = frozenset({5, 6})
"""Types of users that made their account themselves: in an app (5) and at a computer (6)."""

MAX_AT_ONCE = 10_000
"""Users in one reply, for pickers and the list that scrolls through everybody."""


class UserService:
    """Nobody changes himself here, nor who stands above or beside him.

    owned: what of other domains belongs to users, so that nobody is deleted who has gateways.
    """

    def __init__(
        self,
        database: Database,
        identity: IdentityService,
        owned: Sequence[OwnedTable],
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._identity = identity
        self._owned = owned
        self._clock = clock

    async def page(self, scope: Scope, wanted: UserQuery, page: int, limit: int) -> Page[UserRow]:
        """Users below the scope. Raises ParameterError for an unknown sort."""
        if wanted.sort and wanted.sort.removeprefix("-") not in SORTS:
            raise ParameterError("sort", f"one of {', '.join(sorted(SORTS))}, with '-' to reverse")
        async with self._database.reading() as session:
            rows, total = await UserRepository(session, scope).page(wanted, page, limit, self._clock())
        return Page(rows=[row_of(row, scope) for row in rows], total=total)

    async def create(self, asker: CurrentUser, body: UserBody) -> MadeUser:
        """Make a user. Raises ParameterError for a name, type, group or password that breaks its rule,
        Conflict for a name that is taken, NotFound for a parent that the asker does not see.
        """
        check_name(body.user_name)
        word = rules.made() if body.password is None else body.password
        rules.check(word)
        hashed = await self._identity.passwords.hash(word)
        try:
            async with self._database.session() as session:
                user = await self._make(session, asker, body, hashed)
                await session.commit()
        except IntegrityError:  # another process was quicker
            raise name_taken(body.user_name) from None
        self._identity.permissions.forget()
        log.info("user made", extra={"user": user.user_name, "by": asker.name})
        row = await self._row(asker.scope, user.id)
        return MadeUser(**row.model_dump(), password=word if body.password is None else None)

    async def _make(self, session: AsyncSession, asker: CurrentUser, body: UserBody, hashed: str) -> User:
        users = UserRepository(session, asker.scope)
        parent = await users.user(body.parent_id or asker.id)
        if parent is None:
            raise NotFound("parent_id")
        check_type(asker, parent, body.user_type)
        if await users.named(body.user_name) is not None:
            raise name_taken(body.user_name)
        user = User(
            user_name=body.user_name,
            nick_name=body.nick_name,
            password_hash=hashed,
            user_type=body.user_type,
            parent_id=parent.id,
            group_id=body.group_id,
            phone=body.phone,
            email=body.email,
            remark=body.remark,
            status=body.status,
            expire_ms=body.user_expire,
            bigscreen_title=body.bigscreen_title,
            created_ms=self._clock(),
        )
        session.add(user)
        await session.flush()
        user.path = f"{parent.path}{user.id}/"
        await self._check_group(users, user)
        await session.flush()
        await self._limits(session, asker).put(user, _limits(body.limits))
        return user

    async def edit(self, asker: CurrentUser, user_id: int, body: UserChange) -> UserRow:
        """Change what the body names. A new type, or an expiry that has passed, ends the user's sessions.
        Raises NotFound; NoPermission when he is not below the asker; ParameterError for a type, group or
        limit that breaks its rule; Conflict when users below need a smaller type above.
        """
        changes = body.model_dump(exclude_unset=True, exclude={"limits"})
        families: set[str] = set()
        async with self._database.session() as session:
            users, limits = UserRepository(session, asker.scope), self._limits(session, asker)
            await limits.lock()
            user = await self._below(users, asker, user_id)
            before = _fields(user)
            if (parent_id := changes.pop("parent_id", user.parent_id)) != user.parent_id:
                await self._move(users, limits, asker, user, parent_id)
                await session.refresh(user)
            user_type = changes.pop("user_type", user.user_type)
            if new_type := user_type != user.user_type:
                parent = await session.get(User, user.parent_id) if user.parent_id else None
                check_type(asker, parent, user_type)
                least = await users.least_type_below(user)
                if least is not None and least <= user_type:
                    raise Conflict("users below need a smaller type above", reason="user.type_below")
                user.user_type = user_type
                families = await IdentityRepository(session).end_sessions_of(user.id)
            if "user_expire" in changes:
                user.expire_ms = changes.pop("user_expire")
            for name, value in changes.items():
                setattr(user, name, value)
            if "group_id" in changes:
                await self._check_group(users, user)
            elif new_type and user.group_id is not None:
                check_group(await users.group(user.group_id, whoever=True), user)
            wanted = _limits(body.limits)
            limits_before = await limits.put(user, wanted)
            await session.commit()
        self._identity.permissions.forget()
        record_change({**before, **_limit_fields(limits_before)}, {**_fields(user), **_limit_fields(wanted)})
        self._identity.ended(families)
        await self._identity.end_refused()
        return await self._row(asker.scope, user_id)

    async def delete(self, asker: CurrentUser, user_id: int, to_id: int | None) -> None:
        """Take a user away. Users and devices below him go to another one, or there must be none. Raises
        NotFound; NoPermission when he is not below the asker; Conflict while users or devices are below him.
        """
        async with self._database.session() as session:
            users, limits = UserRepository(session, asker.scope), self._limits(session, asker)
            owned = OwnedRepository(session, self._owned)
            await limits.lock()
            user = await self._below(users, asker, user_id)
            if to_id is not None:
                await self._hand_over(users, owned, limits, user, to_id)
            count, devices = await users.count_below(user), await owned.keeping(user)
            if count or devices:
                raise Conflict(
                    f"{count} users and {devices} devices are below this user",
                    reason="user.has_below",
                    arguments={"users": count, "devices": devices},
                )
            await owned.release(user)
            families = await IdentityRepository(session).end_sessions_of(user.id)
            await session.delete(user)
            await session.commit()
        self._identity.permissions.forget()
        record_change({"user_name": user.user_name, **_fields(user)}, {})
        self._identity.ended(families)
        log.info("user deleted", extra={"user": user.user_name, "by": asker.name})

    async def reset(self, asker: CurrentUser, user_id: int, password: str | None) -> NewPassword:
        """Give a user a new password and end his sessions. Raises NotFound, NoPermission when he is not below
        the asker, ParameterError for a password that breaks the rule.
        """
        word = rules.made() if password is None else password
        rules.check(word)
        hashed = await self._identity.passwords.hash(word)
        async with self._database.session() as session:
            user = await self._below(UserRepository(session, asker.scope), asker, user_id)
            user.password_hash = hashed
            families = await IdentityRepository(session).end_sessions_of(user.id)
            await session.commit()
        self._identity.ended(families)
        return NewPassword(password=word if password is None else None)

    async def set_status(self, asker: CurrentUser, user_id: int, status: int) -> UserRow:
        """Disable a user, which ends his sessions and those of all below him, or let them in again. Raises
        NotFound, NoPermission when he is not below the asker.
        """
        async with self._database.session() as session:
            user = await self._below(UserRepository(session, asker.scope), asker, user_id)
            before, user.status = user.status, status
            await session.commit()
        record_change({"status": before}, {"status": status})
        await self._identity.end_refused()
        return await self._row(asker.scope, user_id)

    def _limits(self, session: AsyncSession, asker: CurrentUser) -> ResourceLimits:
        return ResourceLimits(session, asker.scope, self._owned)

    async def _below(self, users: UserRepository, asker: CurrentUser, user_id: int) -> User:
        user = await users.user(user_id)
        if user is None:
            raise NotFound("user")
        only_below(asker, user)
        return user

    async def _move(
        self, users: UserRepository, limits: ResourceLimits, asker: CurrentUser, user: User, parent_id: int
    ) -> None:
        parent = await users.user(parent_id)
        if parent is None:
            raise NotFound("parent_id")
        if parent.path.startswith(user.path):
            raise ParameterError("parent_id", "not the user himself nor one below him", reason="user.circle")
        check_type(asker, parent, user.user_type)
        check_moved_groups(await users.groups_below(user), user, parent, himself=True)
        await limits.move(user, parent)
        await users.move_below(user, parent, himself=True)

    async def _hand_over(
        self, users: UserRepository, owned: OwnedRepository, limits: ResourceLimits, user: User, to_id: int
    ) -> None:
        to = await users.user(to_id)
        if to is None:
            raise NotFound("to")
        if to.path.startswith(user.path):
            raise ParameterError("to", "not the user himself nor one below him", reason="user.circle")
        least = await users.least_type_below(user)
        if least is not None and least <= to.user_type:
            raise ParameterError("to", f"of a type below {least}", reason="user.type_below")
        check_moved_groups(await users.groups_below(user), user, to, himself=False)
        await limits.move(user, to)
        await users.move_below(user, to, himself=False)
        await owned.give_away(user, to)

    async def _check_group(self, users: UserRepository, user: User) -> None:
        if user.group_id is not None:
            check_group(await users.group(user.group_id), user)

    async def _row(self, scope: Scope, user_id: int) -> UserRow:
        async with self._database.reading() as session:
            row = await UserRepository(session, scope).row(user_id)
        if row is None:
            raise NotFound("user")
        return row_of(row, scope)


def _fields(user: User) -> dict[str, Any]:
    """What a change may name, under the names of the API."""
    return {
        name: getattr(user, "expire_ms" if name == "user_expire" else name)
        for name in UserChange.model_fields
        if name != "limits"
    }


def _limits(given: UserLimits) -> dict[Resource, int | None]:
    """Limits that are given; None ends one."""
    return {name: getattr(given, name) for name in RESOURCES if name in given.model_fields_set}


def _limit_fields(limits: Mapping[Any, int | None]) -> dict[str, int | None]:
    """As the audit names them."""
    return {f"limits.{name}": maximum for name, maximum in limits.items()}
