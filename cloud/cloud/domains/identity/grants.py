"""What a user has been given: the type's permissions, cut by groups, rules and cloud configuration."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import select

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.identity.models import AuthGroup, AuthRule, User
from cloud.domains.identity.permissions import CloudFlags, of_user

FRESH_MS = 2000
"""A change made by another process counts after this time; one made by this process at once (forget)."""


async def no_flags() -> CloudFlags:
    """For a process without options."""
    return CloudFlags()


@dataclass(frozen=True)
class Rules:
    """What cuts the types' permissions. types and disabled: of the rules that differ from the table.

    members: who has a group, with its id.
    """

    read_ms: int
    flags: CloudFlags
    groups: Mapping[int, frozenset[str]]
    types: Mapping[str, frozenset[int]]
    disabled: frozenset[str]
    members: Mapping[int, int]

    def above(self, path: str) -> frozenset[str] | None:
        """What the groups of everybody above the user of a path have in common; None where nobody has one.

        Otherwise whoever is in a group could make a user without one, who may do what he may not. A group
        that is gone gives nothing.
        """
        ids = map(int, path.strip("/").split("/")[:-1])
        groups = [self.groups.get(self.members[each], frozenset()) for each in ids if each in self.members]
        return frozenset.intersection(*groups) if groups else None


class Grants:
    """Caches groups, who has one, and rules: every call needs them."""

    def __init__(
        self,
        database: Database,
        flags: Callable[[], Awaitable[CloudFlags]] = no_flags,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._database = database
        self._flags = flags
        self._clock = clock
        self._rules: Rules | None = None
        self._reading = asyncio.Lock()

    def forget(self) -> None:
        """Groups, who has one, rules or the cloud configuration have changed."""
        self._rules = None

    async def of(self, user_type: int, group_id: int | None, path: str) -> frozenset[str]:
        """Permissions of a user. A group that is gone gives nothing. path: all above him, himself last."""
        rules = await self.rules()
        group = None if group_id is None else rules.groups.get(group_id, frozenset())
        return of_user(user_type, group, rules.flags, rules.types, rules.disabled, rules.above(path))

    async def flags(self) -> CloudFlags:
        """The cloud configuration."""
        return (await self.rules()).flags

    async def rules(self) -> Rules:
        """All of it, at most FRESH_MS old."""
        async with self._reading:
            known = self._rules
            if known is None or self._clock() - known.read_ms > FRESH_MS:
                known = self._rules = await self._read()
            return known

    async def _read(self) -> Rules:
        now = self._clock()
        async with self._database.reading() as session:
            groups = (await session.scalars(select(AuthGroup))).all()
            rules = (await session.scalars(select(AuthRule))).all()
            members = await session.execute(select(User.id, User.group_id).where(User.group_id.is_not(None)))
            group_of = {user_id: group_id for user_id, group_id in members if group_id is not None}
        return Rules(
            now,
            await self._flags(),
            {group.id: frozenset(group.permissions) for group in groups},
            {rule.code: frozenset(map(int, rule.types)) for rule in rules if rule.types is not None},
            frozenset(rule.code for rule in rules if not rule.enabled),
            group_of,
        )


class SharedGrants(Grants):
    """Grants whose every change has the sockets checked anew, here and in the cloud's other processes.

    invalidate: notifies every process, this one too, which then calls forget_here.
    """

    def __init__(
        self, database: Database, flags: Callable[[], Awaitable[CloudFlags]], invalidate: Callable[[], None]
    ) -> None:
        super().__init__(database, flags)
        self._invalidate = invalidate

    def forget(self) -> None:
        """A group, a rule, the cloud configuration or a user's place in the tree has changed."""
        self._invalidate()

    def forget_here(self) -> None:
        """The next call reads anew."""
        super().forget()
