"""Every query of sign-in and sessions."""

from __future__ import annotations

from sqlalchemy import delete, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.identity.models import LoginLog, User, UserSession


class IdentityRepository:
    """Works on the caller's session; commits nothing. It serves nobody's list and so takes no scope."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def user(self, user_id: int) -> User | None:
        return await self._session.get(User, user_id)

    async def user_named(self, name: str) -> User | None:
        return (await self._session.scalars(select(User).where(User.user_name == name))).one_or_none()

    def add(self, row: User | UserSession | LoginLog) -> None:
        self._session.add(row)

    async def by_token(self, token_hash: str) -> tuple[UserSession, User] | None:
        query = select(UserSession, User).join(User).where(UserSession.token_hash == token_hash)
        row = (await self._session.execute(query)).one_or_none()
        return None if row is None else (row[0], row[1])

    async def by_refresh(self, refresh_hash: str) -> tuple[UserSession, User] | None:
        query = select(UserSession, User).join(User).where(UserSession.refresh_hash == refresh_hash)
        row = (await self._session.execute(query.with_for_update())).one_or_none()
        return None if row is None else (row[0], row[1])

    async def end_family(self, family: str) -> None:
        await self._session.execute(delete(UserSession).where(UserSession.family == family))

    async def end_sessions_of(self, user_id: int, but: str = "") -> set[str]:
        """Delete a user's sessions, except one family; the families that ended."""
        mine = (UserSession.user_id == user_id, UserSession.family != but)
        families = set(await self._session.scalars(select(UserSession.family).where(*mine)))
        await self._session.execute(delete(UserSession).where(*mine))
        return families

    async def families_of_refused(self, now_ms: int) -> set[str]:
        """Sign-ins of users that are disabled or expired."""
        refused = or_(User.status != 1, User.expire_ms <= now_ms)
        return set(await self._session.scalars(select(UserSession.family).join(User).where(refused)))

    async def delete_expired(self, now_ms: int) -> None:
        await self._session.execute(delete(UserSession).where(UserSession.refresh_expires_ms < now_ms))
