"""Every query of the audit. Who asks sees what he and the users below him did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, or_, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.audit.models import AuditEntry
from cloud.domains.audit.schemas import AuditFilter
from cloud.domains.identity.scope import Scope


class AuditRepository:
    """Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add(self, rows: Sequence[dict[str, Any]]) -> None:
        await self._session.execute(insert(AuditEntry), list(rows))

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

    async def last_beyond(self, most: int) -> int:
        """Number of the newest entry that is one too many when so many are kept; 0 for none."""
        query = select(AuditEntry.id).order_by(AuditEntry.id.desc()).offset(most).limit(1)
        return int((await self._session.scalars(query)).one_or_none() or 0)

    async def delete_some(self, before_ms: int, upto_id: int, most: int) -> int:
        """Delete some entries that are older than this or up to this number; how many were deleted."""
        old = or_(AuditEntry.at_ms < before_ms, AuditEntry.id <= upto_id)
        ids = list(await self._session.scalars(select(AuditEntry.id).where(old).limit(most)))
        if ids:
            await self._session.execute(delete(AuditEntry).where(AuditEntry.id.in_(ids)))
        return len(ids)

    def _where(self, wanted: AuditFilter) -> list[ColumnElement[bool]]:
        path = AuditEntry.user_path
        found = [true() if self._scope.everything else path.startswith(self._scope.path, autoescape=True)]
        for column, text in ((AuditEntry.user_name, wanted.user), (AuditEntry.operation, wanted.operation)):
            if text:
                found.append(column.icontains(text, autoescape=True))
        if wanted.start_ms is not None:
            found.append(AuditEntry.at_ms >= wanted.start_ms)
        if wanted.end_ms is not None:
            found.append(AuditEntry.at_ms < wanted.end_ms)
        if wanted.failed is not None:
            found.append(AuditEntry.status >= 400 if wanted.failed else AuditEntry.status < 400)
        return found
