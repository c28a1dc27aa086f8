"""Every query of jobs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import ColumnElement, CursorResult, delete, func, select, true, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from cloud.core.scope import Scope
from cloud.domains.identity.models import User
from cloud.domains.identity.scope import users_within
from cloud.domains.jobs.models import JobRecord
from cloud.domains.jobs.states import JobState

Found = tuple[JobRecord, str]
"""A job and the name of who asked for it."""


class JobRepository:
    """Works on the caller's session; commits nothing. What the scope does not see is not there."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    def add(self, row: JobRecord) -> None:
        self._session.add(row)

    async def flush(self) -> None:
        await self._session.flush()

    async def job(self, job_id: int, *, locked: bool = False) -> Found | None:
        query = select(JobRecord, User.user_name).join(User, JobRecord.user_id == User.id)
        query = query.where(JobRecord.id == job_id, self._seen)
        found = (
            await self._session.execute(query.with_for_update(of=JobRecord) if locked else query)
        ).first()
        return None if found is None else (found[0], found[1])

    async def page(
        self,
        page: int,
        limit: int,
        *,
        user_id: int | None,
        state: JobState | None,
        kinds: Collection[str],
        without: Collection[str] = (),
    ) -> tuple[list[Found], int]:
        """The newest first; of one user unless that is None, of any kind but these unless some are named."""
        wanted = [self._seen]
        if user_id is not None:
            wanted.append(JobRecord.user_id == user_id)
        if state is not None:
            wanted.append(JobRecord.state == state.value)
        if kinds:
            wanted.append(JobRecord.kind.in_(kinds))
        elif without:
            wanted.append(JobRecord.kind.not_in(without))
        query = select(JobRecord, User.user_name).join(User, JobRecord.user_id == User.id).where(*wanted)
        query = query.order_by(JobRecord.id.desc()).limit(limit).offset((page - 1) * limit)
        rows = [(row[0], row[1]) for row in await self._session.execute(query)]
        total = select(func.count()).select_from(JobRecord).where(*wanted)
        return rows, int((await self._session.execute(total)).scalar_one())

    async def unfinished(self, user_id: int | None = None) -> int:
        """How many wait or run, of everybody or of one user."""
        query = (
            select(func.count()).select_from(JobRecord).where(JobRecord.state == JobState.GENERATING.value)
        )
        if user_id is not None:
            query = query.where(JobRecord.user_id == user_id)
        return int((await self._session.execute(query)).scalar_one())

    async def bytes_stored(self, user_id: int | None = None) -> int:
        """Of all files, or of one user's."""
        query = select(func.coalesce(func.sum(JobRecord.size), 0))
        if user_id is not None:
            query = query.where(JobRecord.user_id == user_id)
        return int((await self._session.execute(query)).scalar_one())

    async def next(self, kinds: Collection[str], *, locked: bool = False) -> JobRecord | None:
        """Of those that wait, of the user whose turn was longest ago; of one user's what he asked for first.

        locked: that nobody else has in hand.
        """
        before = aliased(JobRecord)
        turn = select(func.max(before.started_ms)).where(
            before.user_id == JobRecord.user_id, before.kind.in_(kinds)
        )
        query = select(JobRecord).where(
            JobRecord.state == JobState.GENERATING.value,
            JobRecord.started_ms.is_(None),
            JobRecord.kind.in_(kinds),
        )
        query = query.order_by(func.coalesce(turn.scalar_subquery(), -1), JobRecord.id).limit(1)
        if locked:
            query = query.with_for_update(of=JobRecord, skip_locked=True)
        return (await self._session.scalars(query)).one_or_none()

    async def generating(self, job_ids: Collection[int]) -> set[int]:
        """Those of these that wait or run."""
        query = select(JobRecord.id).where(
            JobRecord.id.in_(job_ids), JobRecord.state == JobState.GENERATING.value
        )
        return set(await self._session.scalars(query))

    async def begun(self) -> list[JobRecord]:
        """Those that run, or did when this process ended."""
        query = select(JobRecord).where(
            JobRecord.state == JobState.GENERATING.value, JobRecord.started_ms.is_not(None)
        )
        return list(await self._session.scalars(query.order_by(JobRecord.id)))

    async def change(self, job_id: int, **columns: Any) -> bool:
        """Of a job that has not ended; False when it has, or is gone."""
        open_one = (JobRecord.id == job_id, JobRecord.state == JobState.GENERATING.value)
        result = await self._session.execute(update(JobRecord).where(*open_one).values(**columns))
        return isinstance(result, CursorResult) and result.rowcount > 0

    async def cancelling(self, job_id: int) -> bool:
        """Does somebody want it to end? So also when it is gone."""
        query = select(JobRecord.cancelling).where(JobRecord.id == job_id)
        return (await self._session.execute(query)).scalar_one_or_none() is not False

    async def delete(self, job_ids: Collection[int]) -> None:
        await self._session.execute(delete(JobRecord).where(JobRecord.id.in_(job_ids), self._seen))

    async def expired(self, now_ms: int, limit: int) -> list[int]:
        query = select(JobRecord.id).where(JobRecord.expires_ms < now_ms).order_by(JobRecord.expires_ms)
        return list(await self._session.scalars(query.limit(limit)))

    async def folders(self) -> set[str]:
        """Of every job that there is."""
        return set(await self._session.scalars(select(JobRecord.folder)))

    @property
    def _seen(self) -> ColumnElement[bool]:
        if self._scope.everything:
            return true()
        return JobRecord.user_id.in_(select(User.id).where(users_within(self._scope)))
