"""Every query of the tree of templates and of their versions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, false, func, or_, select, true, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.identity.models import User
from cloud.domains.identity.permissions import PLATFORM
from cloud.domains.identity.scope import within
from cloud.domains.inventory.visibility import is_placed
from cloud.domains.templates.models import TemplateLink, TemplateNode, TemplateReference, TemplateVersion

Found = tuple[TemplateNode, str | None, int | None, int | None]
"""A node, its owner's name, and points and slaves of its newest version."""


def mine(scope: Scope) -> ColumnElement[bool]:
    """Of TemplateNode: may the user change it? Those of himself and of everybody below him."""
    return within(scope, TemplateNode.owner_id) if scope.everything or is_placed(scope) else false()


def visible(scope: Scope) -> ColumnElement[bool]:
    """Of TemplateNode: may the user see it? His, and what the platform and those above him share."""
    if scope.everything:
        return true()
    if not is_placed(scope):
        return false()
    above = [int(part) for part in scope.path.split("/") if part]
    platform = select(User.id).where(User.user_type == PLATFORM)
    owner = TemplateNode.owner_id
    given = and_(TemplateNode.shared, or_(owner.is_(None), owner.in_(above), owner.in_(platform)))
    return or_(mine(scope), given)


class TemplateRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, row: TemplateNode | TemplateVersion | TemplateReference) -> None:
        self._session.add(row)

    async def flush(self) -> None:
        await self._session.flush()

    async def node(self, template_id: int, *, locked: bool = False) -> TemplateNode | None:
        query = select(TemplateNode).where(TemplateNode.id == template_id, visible(self._scope))
        return (await self._session.scalars(query.with_for_update() if locked else query)).one_or_none()

    async def changeable(self, template_ids: Collection[int]) -> set[int]:
        """Those that the user may change."""
        query = select(TemplateNode.id).where(TemplateNode.id.in_(template_ids), mine(self._scope))
        return set(await self._session.scalars(query))

    async def among(self, template_ids: Collection[int]) -> set[int]:
        """Those that the user sees."""
        query = select(TemplateNode.id).where(TemplateNode.id.in_(template_ids), visible(self._scope))
        return set(await self._session.scalars(query))

    async def nodes(
        self, max_count: int, *, template_id: int | None = None, category: str = ""
    ) -> list[Found]:
        """Of one category, or only one node."""
        newest = and_(
            TemplateVersion.template_id == TemplateNode.id, TemplateVersion.number == TemplateNode.newest
        )
        columns = (TemplateNode, User.user_name, TemplateVersion.points, TemplateVersion.slaves)
        query = select(*columns).where(visible(self._scope))
        query = query.outerjoin(User, User.id == TemplateNode.owner_id).outerjoin(TemplateVersion, newest)
        if template_id is not None:
            query = query.where(TemplateNode.id == template_id)
        if category:
            query = query.where(TemplateNode.category == category)
        query = query.order_by(TemplateNode.place, TemplateNode.id).limit(max_count)
        return [(row[0], row[1], row[2], row[3]) for row in await self._session.execute(query)]

    async def children(
        self, parent_id: int | None, category: str, owner_id: int | None
    ) -> list[TemplateNode]:
        """In their order; at the top those of that owner."""
        query = select(TemplateNode).where(
            TemplateNode.parent_id == parent_id, TemplateNode.category == category
        )
        if parent_id is None:
            query = query.where(TemplateNode.owner_id == owner_id)
        query = query.order_by(TemplateNode.place, TemplateNode.id)
        return list(await self._session.scalars(query))

    async def subtree(self, node: TemplateNode) -> list[TemplateNode]:
        """The node and all below it."""
        query = select(TemplateNode).where(TemplateNode.path.startswith(node.path, autoescape=True))
        return list(await self._session.scalars(query))

    async def count_of(self, owner_id: int | None) -> int:
        query = select(func.count()).select_from(TemplateNode).where(TemplateNode.owner_id == owner_id)
        return int((await self._session.execute(query)).scalar_one())

    async def delete(self, node: TemplateNode) -> None:
        await self._session.execute(delete(TemplateNode).where(TemplateNode.id == node.id))

    async def version(self, template_id: int, number: int) -> TemplateVersion | None:
        query = select(TemplateVersion).where(
            TemplateVersion.template_id == template_id, TemplateVersion.number == number
        )
        return (await self._session.scalars(query)).one_or_none()

    async def text(self, template_id: int, number: int) -> str | None:
        """The document of a version."""
        query = select(TemplateVersion.document).where(
            TemplateVersion.template_id == template_id, TemplateVersion.number == number
        )
        return (await self._session.execute(query)).scalar_one_or_none()

    async def versions(self, template_id: int, page: int, limit: int) -> tuple[list[TemplateVersion], int]:
        """The newest first."""
        of = TemplateVersion.template_id == template_id
        query = select(TemplateVersion).where(of).order_by(TemplateVersion.number.desc())
        rows = await self._session.scalars(query.offset((page - 1) * limit).limit(limit))
        total = select(func.count()).select_from(TemplateVersion).where(of)
        return list(rows), int((await self._session.execute(total)).scalar_one())

    async def forget_versions(self, template_id: int, below: int) -> None:
        """Versions with a number below this one go, unless a gateway or a gateway template was made with
        them.
        """
        linked = select(TemplateLink.number).where(TemplateLink.template_id == template_id)
        named = select(TemplateReference.number).where(TemplateReference.template_id == template_id)
        await self._session.execute(
            delete(TemplateVersion).where(
                TemplateVersion.template_id == template_id,
                TemplateVersion.number < below,
                TemplateVersion.number.not_in(linked),
                TemplateVersion.number.not_in(named),
            )
        )

    async def naming(self, template_id: int, max_count: int) -> list[str]:
        """Titles of the gateway templates whose newest version names this point template."""
        newest = and_(
            TemplateNode.id == TemplateVersion.template_id, TemplateNode.newest == TemplateVersion.number
        )
        query = (
            select(TemplateNode.title)
            .join(TemplateVersion, newest)
            .join(TemplateReference, TemplateReference.version_id == TemplateVersion.id)
            .where(TemplateReference.template_id == template_id)
            .distinct()
            .limit(max_count)
        )
        return list(await self._session.scalars(query))

    async def move(self, node: TemplateNode, prefix: str, **columns: Any) -> None:
        """Put a subtree under another path and change these columns of every node in it."""
        old = node.path
        for each in await self.subtree(node):
            values = {"path": f"{prefix}{each.path[len(old) :]}", **columns}
            await self._session.execute(
                update(TemplateNode).where(TemplateNode.id == each.id).values(**values)
            )

    async def order(self, ids: Sequence[int]) -> None:
        """Places of siblings, in this order."""
        for place, number in enumerate(ids):
            await self._session.execute(
                update(TemplateNode).where(TemplateNode.id == number).values(place=place)
            )
