"""What of the data a user may see: himself and everybody below him in the tree of users."""

from __future__ import annotations

from sqlalchemy import ColumnElement, or_, select, true
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from cloud.core.scope import Scope
from cloud.domains.identity.models import User
from cloud.domains.identity.permissions import PLATFORM


def within(scope: Scope, owner: InstrumentedAttribute[int | None]) -> ColumnElement[bool]:
    """Rows whose owner is the user or somebody below him. Rows without an owner are the platform's."""
    if scope.everything:
        return true()
    return owner.in_(select(User.id).where(User.path.startswith(scope.path, autoescape=True)))


def users_within(scope: Scope) -> ColumnElement[bool]:
    """The user himself and everybody below him."""
    return true() if scope.everything else User.path.startswith(scope.path, autoescape=True)


def ids_above(path: str) -> list[int]:
    """Ids of everybody above the user of a path."""
    return [int(part) for part in path.strip("/").split("/")[:-1] if part]


def refused(now_ms: int) -> ColumnElement[bool]:
    """Users who are disabled or expired."""
    return or_(User.status != 1, User.expire_ms <= now_ms)


async def refused_above(session: AsyncSession, user: User, now_ms: int) -> bool:
    """Whether a user above this one is disabled or expired. Staff of the platform above do not count."""
    above = ids_above(user.path)
    if not above:
        return False
    query = select(User.id).where(User.id.in_(above), User.user_type != PLATFORM, refused(now_ms))
    return (await session.scalars(query.limit(1))).first() is not None
