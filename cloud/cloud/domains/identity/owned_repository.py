"""Every query of what belongs to a user, whatever domain it is of."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.tables import OwnedTable
from cloud.domains.identity.models import AuthGroup, User
from cloud.domains.identity.permissions import PLATFORM


class OwnedRepository:
    """Works on the caller's session; commits nothing. The caller may decide on the user."""

    def __init__(self, session: AsyncSession, owned: Sequence[OwnedTable]) -> None:
        self._session = session
        self._owned = owned

    async def keeping(self, user: User) -> int:
        """Rows of the user himself with which he is not deleted."""
        total = 0
        for table in self._owned:
            if table.keeps_owner:
                query = select(func.count()).select_from(table.owner.class_).where(table.owner == user.id)
                total += int((await self._session.execute(query)).scalar_one())
        return total

    async def give_away(self, user: User, to: User) -> None:
        """All that is the user's becomes another one's; his groups too."""
        if to.user_type == PLATFORM:
            await self.release(user)
        for table in self._owned:
            his = update(table.owner.class_).where(table.owner == user.id)
            await self._session.execute(his.values({table.owner: to.id}))
        await self._session.execute(
            update(AuthGroup).where(AuthGroup.owner_id == user.id).values(owner_id=to.id)
        )

    async def release(self, user: User) -> None:
        """Before his rows become the platform's."""
        for table in self._owned:
            if table.of_platform:
                his = update(table.owner.class_).where(table.owner == user.id)
                await self._session.execute(his.values(dict(table.of_platform)))
