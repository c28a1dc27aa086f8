"""Every query of the audit. Who asks sees what he and the users below him did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from sqlalchemy import ColumnElement, CursorResult, Select, delete, func, insert, not_, select, true, update
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.core.tables import NamedTable
from cloud.domains.audit.kinds import OPERATIONS
from cloud.domains.audit.models import AuditEntry
from cloud.domains.audit.results import of_outcome, succeeded
from cloud.domains.audit.schemas import AuditFilter
from cloud.domains.audit.tenants import Tenant
from cloud.domains.audit.things import named
from cloud.domains.identity.models import User
from cloud.domains.identity.permissions import PLATFORM


class AuditRepository:
    """Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add(self, rows: Sequence[dict[str, Any]], tables: Sequence[NamedTable]) -> None:
        """With the names of their things, as who acted sees them."""
        await self._session.execute(insert(AuditEntry), await named(self._session, rows, tables))

    async def fill_in(self, reference: str, changes: dict[str, Any]) -> bool:
        """Whether there is an entry of that reference; it has these changes from now on."""
        query = update(AuditEntry).where(AuditEntry.reference == reference).values(changes=changes)
        return bool(cast("CursorResult[Any]", await self._session.execute(query)).rowcount)

    async def path_of(self, user_id: int) -> str:
        """Of a user in the tree; empty for one that is gone."""
        return await self._session.scalar(select(User.path).where(User.id == user_id)) or ""

    async def count(self, wanted: AuditFilter) -> int:
        query = select(func.count()).select_from(AuditEntry).where(*self._where(wanted))
        return int((await self._session.execute(query)).scalar_one())

    async def page(self, wanted: AuditFilter, page: int, limit: int) -> list[AuditEntry]:
        """Entries, the newest first."""
        query = select(AuditEntry).where(*self._where(wanted)).order_by(AuditEntry.id.desc())
        return list(await self._session.scalars(query.offset((page - 1) * limit).limit(limit)))

    async def before(self, wanted: AuditFilter, entry_id: int | None, limit: int) -> list[AuditEntry]:
        """Entries older than this one, the newest first; from the newest on for None."""
        query = select(AuditEntry).where(*self._where(wanted)).order_by(AuditEntry.id.desc())
        if entry_id is not None:
            query = query.where(AuditEntry.id < entry_id)
        return list(await self._session.scalars(query.limit(limit)))

    async def sizes(self) -> dict[str, int]:
        """Entries by the path of who made them."""
        query = select(AuditEntry.user_path, func.count()).group_by(AuditEntry.user_path)
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def platform(self) -> frozenset[int]:
        """Users of the platform, who are no tenant's."""
        return frozenset(await self._session.scalars(select(User.id).where(User.user_type == PLATFORM)))

    async def delete_old(self, before_ms: int, limit: int) -> int:
        """Delete some entries that are older than this; how many were deleted."""
        return await self._delete(select(AuditEntry.id).where(AuditEntry.at_ms < before_ms).limit(limit))

    async def delete_oldest(self, tenant: Tenant, limit: int) -> int:
        """Delete so many of a tenant's oldest entries; how many were deleted."""
        path = AuditEntry.user_path
        his = path == tenant.path if tenant.exact_path else path.startswith(tenant.path, autoescape=True)
        return await self._delete(select(AuditEntry.id).where(his).order_by(AuditEntry.id).limit(limit))

    async def _delete(self, query: Select[int]) -> int:
        ids = list(await self._session.scalars(query))
        if ids:
            await self._session.execute(delete(AuditEntry).where(AuditEntry.id.in_(ids)))
        return len(ids)

    def _where(self, wanted: AuditFilter) -> list[ColumnElement[bool]]:
        path = AuditEntry.user_path
        conditions = [
            true() if self._scope.everything else path.startswith(self._scope.path, autoescape=True)
        ]
        texts = (
            (AuditEntry.user_name, wanted.user),
            (AuditEntry.operation, wanted.operation),
            (AuditEntry.thing, wanted.thing),
        )
        for column, text in texts:
            if text:
                conditions.append(column.icontains(text, autoescape=True))
        if wanted.start_ms is not None:
            conditions.append(AuditEntry.at_ms >= wanted.start_ms)
        if wanted.end_ms is not None:
            conditions.append(AuditEntry.at_ms < wanted.end_ms)
        if wanted.kind is not None:
            conditions.append(AuditEntry.operation.in_(OPERATIONS[wanted.kind]))
        if wanted.outcome is not None:
            conditions.append(of_outcome(wanted.outcome))
        if wanted.failed is not None:
            conditions.append(not_(succeeded()) if wanted.failed else succeeded())
        return conditions
