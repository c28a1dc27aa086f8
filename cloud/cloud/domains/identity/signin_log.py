"""The log of attempts to sign in.

A row for each attempt within the rate. Attempts with unknown names are the platform's to see.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, delete, func, or_, select, true
from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.identity.models import LoginLog
from cloud.domains.identity.scope import within
from cloud.domains.identity.user_schemas import MAX_MS, SignInRow

KEEP_MS = 180 * 24 * 3600 * 1000
MAX_ROWS = 200_000
ROUND = 5000
"""Rows deleted in one transaction, so that nobody waits long for it."""


@dataclass(frozen=True)
class LogQuery:
    """search looks into name and address. user_id: of one user only."""

    search: str = ""
    result: str = ""
    start_ms: int = 0
    end_ms: int = MAX_MS
    user_id: int | None = None


class SignInLogRepository:
    """Works on the caller's session; commits nothing. Attempts with an unknown name are the platform's."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def page(self, wanted: LogQuery, page: int, limit: int) -> tuple[list[LoginLog], int]:
        """The newest first, and how many match."""
        matching = self._matching(wanted)
        total = (await self._session.execute(select(func.count(LoginLog.id)).where(*matching))).scalar_one()
        query = select(LoginLog).where(*matching).order_by(LoginLog.at_ms.desc(), LoginLog.id.desc())
        rows = await self._session.scalars(query.offset((page - 1) * limit).limit(limit))
        return list(rows), int(total)

    async def delete_before(self, at_ms: int, limit: int) -> int:
        return await self._delete(LoginLog.at_ms < at_ms, limit)

    async def delete_excess(self, keep_rows: int, limit: int) -> int:
        """Beyond so many rows the oldest go, failures before what succeeded: they may be a flood."""
        total = (await self._session.execute(select(func.count(LoginLog.id)))).scalar_one()
        return await self._delete(true(), min(limit, int(total) - keep_rows))

    async def _delete(self, which: ColumnElement[bool], limit: int) -> int:
        if limit <= 0:
            return 0
        order = (LoginLog.result == "ok", LoginLog.id)
        ids = list(
            await self._session.scalars(select(LoginLog.id).where(which).order_by(*order).limit(limit))
        )
        for at in range(0, len(ids), 500):  # a statement takes a bounded number of parameters
            await self._session.execute(delete(LoginLog).where(LoginLog.id.in_(ids[at : at + 500])))
        return len(ids)

    def _matching(self, wanted: LogQuery) -> list[ColumnElement[bool]]:
        matching = [
            within(self._scope, LoginLog.user_id),
            LoginLog.at_ms >= wanted.start_ms,
            LoginLog.at_ms <= wanted.end_ms,
        ]
        if wanted.search:
            columns = (LoginLog.user_name, LoginLog.address)
            matching.append(or_(*(column.icontains(wanted.search, autoescape=True) for column in columns)))
        if wanted.result:
            matching.append(LoginLog.result == wanted.result)
        if wanted.user_id is not None:
            matching.append(LoginLog.user_id == wanted.user_id)
        return matching


class SignInLog:
    """Kept for 180 days and 200,000 rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, scope: Scope, wanted: LogQuery, page: int, limit: int) -> Page[SignInRow]:
        """Sign-ins of the users that the scope sees, the newest first."""
        async with self._database.reading() as session:
            rows, total = await SignInLogRepository(session, scope).page(wanted, page, limit)
        return Page(rows=[_row(row) for row in rows], total=total)

    async def forget_old(self, now_ms: int) -> None:
        """Periodic: delete what is too old or too much, a round at a time."""
        deleted = ROUND
        while deleted >= ROUND:
            async with self._database.session() as session:
                rows = SignInLogRepository(session, Scope.system())
                old = await rows.delete_before(now_ms - KEEP_MS, ROUND)
                deleted = old + await rows.delete_excess(MAX_ROWS, ROUND - old)
                await session.commit()


def _row(row: LoginLog) -> SignInRow:
    return SignInRow(
        id=row.id,
        at_ms=row.at_ms,
        user_id=row.user_id,
        user_name=row.user_name,
        address=row.address,
        agent=row.agent,
        result=row.result,
    )
