"""Every query of uploaded files."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import CursorResult, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.domains.files.models import StoredFile
from cloud.domains.identity.models import User


class FileRepository:
    """Works on the caller's session; commits nothing."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def put(self, **columns: Any) -> None:
        """Add an upload, or make it new again when the user uploaded the same before."""
        insert = postgresql.insert if self._session.get_bind().dialect.name == "postgresql" else sqlite.insert
        statement = insert(StoredFile).values(**columns)
        keys = ["sha256", "kind", "user_id"]
        changes = {"created_ms": columns["created_ms"]}
        await self._session.execute(statement.on_conflict_do_update(index_elements=keys, set_=changes))

    async def uploads(self, sha256: str) -> list[tuple[StoredFile, str]]:
        """Every upload of these bytes, with the path of its user."""
        query = select(StoredFile, User.path).join(User, StoredFile.user_id == User.id)
        rows = await self._session.execute(query.where(StoredFile.sha256 == sha256))
        return [(row[0], row[1]) for row in rows]

    async def used_by(self, user_id: int, beside: str) -> tuple[int, int]:
        """Bytes and number of a user's uploads beside those of one content."""
        query = select(func.coalesce(func.sum(StoredFile.size), 0), func.count())
        query = query.where(StoredFile.user_id == user_id, StoredFile.sha256 != beside)
        row = (await self._session.execute(query)).one()
        return int(row[0]), int(row[1])

    async def used(self) -> int:
        """Bytes of all uploads."""
        query = select(func.coalesce(func.sum(StoredFile.size), 0))
        return int((await self._session.execute(query)).scalar_one())

    async def touch(self, sha256: str, kind: str, now_ms: int) -> bool:
        """Make uploads of this content and kind new again; False when there are none."""
        statement = update(StoredFile).where(StoredFile.sha256 == sha256, StoredFile.kind == kind)
        result = await self._session.execute(statement.values(created_ms=now_ms))
        return isinstance(result, CursorResult) and result.rowcount > 0

    async def older(self, before_ms: int) -> set[str]:
        """Contents with an upload older than this."""
        query = select(StoredFile.sha256).where(StoredFile.created_ms < before_ms).distinct()
        return set(await self._session.scalars(query))

    async def delete_older(self, sha256s: Collection[str], before_ms: int) -> None:
        """Delete uploads of these contents that are older than this."""
        old = (StoredFile.sha256.in_(sha256s), StoredFile.created_ms < before_ms)
        await self._session.execute(delete(StoredFile).where(*old))

    async def known(self, sha256s: Collection[str]) -> set[str]:
        """Those of these contents that have an upload."""
        query = select(StoredFile.sha256).where(StoredFile.sha256.in_(sha256s)).distinct()
        return set(await self._session.scalars(query))
