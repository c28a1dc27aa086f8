"""Every query of sign-in and sessions."""

from __future__ import annotations

from sqlalchemy import delete, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.identity.models import LoginLog, User, UserSession
from cloud.domains.identity.names import name_key
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.scope import ids_above, refused, refused_above

MAX_IDS = 500
"""In one query."""


class IdentityRepository:
    """Works on the caller's session; commits nothing. It serves nobody's list and so takes no scope."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def user(self, user_id: int) -> User | None:
        return await self._session.get(User, user_id)

    async def user_named(self, name: str) -> User | None:
        """However it is written; the very name first, because of twins from before names had keys."""
        query = select(User).where(or_(User.user_name == name, User.name_key == name_key(name)))
        return (await self._session.scalars(query.order_by((User.user_name == name).desc()).limit(1))).first()

    async def addresses(self, user_id: int, limit: int) -> set[str]:
        """Where a user signed in last."""
        query = select(LoginLog.address).where(LoginLog.user_id == user_id, LoginLog.result == "ok")
        return set(await self._session.scalars(query.order_by(LoginLog.id.desc()).limit(limit)))

    def add(self, row: User | UserSession | LoginLog) -> None:
        self._session.add(row)

    async def by_token(self, token_hash: str) -> tuple[UserSession, User] | None:
        query = select(UserSession, User).join(User).where(UserSession.token_hash == token_hash)
        row = (await self._session.execute(query)).one_or_none()
        return None if row is None else (row[0], row[1])

    async def by_refresh(self, refresh_hash: str, *, lock: bool) -> tuple[UserSession, User] | None:
        """lock: until the transaction ends, where the database can."""
        query = select(UserSession, User).join(User).where(UserSession.refresh_hash == refresh_hash)
        row = (await self._session.execute(query.with_for_update() if lock else query)).one_or_none()
        return None if row is None else (row[0], row[1])

    async def beyond(self, user_id: int, limit: int) -> set[str]:
        """Sign-ins of a user beyond so many; those that were refreshed last stay."""
        live = select(UserSession.family).where(
            UserSession.user_id == user_id, UserSession.rotated_ms.is_(None)
        )
        return set(await self._session.scalars(live.order_by(UserSession.id.desc()).offset(limit)))

    async def forget_rotated(self, family: str, limit: int) -> None:
        """Delete a sign-in's token pairs but the newest."""
        mine = select(UserSession.id).where(UserSession.family == family)
        last = await self._session.scalar(mine.order_by(UserSession.id.desc()).offset(limit).limit(1))
        if last is not None:
            old = (UserSession.family == family, UserSession.id <= last)
            await self._session.execute(delete(UserSession).where(*old))

    async def end_family(self, family: str) -> None:
        await self._session.execute(delete(UserSession).where(UserSession.family == family))

    async def end_sessions_of(self, user_id: int, but: str = "") -> set[str]:
        """Delete a user's sessions, except one family; the families that ended."""
        mine = (UserSession.user_id == user_id, UserSession.family != but)
        families = set(await self._session.scalars(select(UserSession.family).where(*mine)))
        await self._session.execute(delete(UserSession).where(*mine))
        return families

    async def refused_above(self, user: User, now_ms: int) -> bool:
        return await refused_above(self._session, user, now_ms)

    async def families_of_refused(self, now_ms: int) -> set[str]:
        """Sign-ins of users that are disabled or expired, or below one who is."""
        rows = await self._session.execute(select(User.id, User.user_type).where(refused(now_ms)))
        types = {row[0]: row[1] for row in rows}
        if not types:
            return set()
        tenants = {user_id for user_id, user_type in types.items() if user_type != PLATFORM}
        signed_in = select(UserSession.user_id).distinct().subquery()
        users = await self._session.execute(
            select(User.id, User.path).join(signed_in, signed_in.c.user_id == User.id)
        )
        ended = [
            user_id for user_id, path in users if user_id in types or not tenants.isdisjoint(ids_above(path))
        ]
        families: set[str] = set()
        for first in range(0, len(ended), MAX_IDS):
            some = UserSession.user_id.in_(ended[first : first + MAX_IDS])
            families |= set(await self._session.scalars(select(UserSession.family).where(some)))
        return families

    async def delete_expired(self, now_ms: int) -> None:
        await self._session.execute(delete(UserSession).where(UserSession.refresh_expires_ms < now_ms))
