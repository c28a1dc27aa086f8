"""Reading the audit, exporting it, and forgetting what is old.

Cells of an export that a spreadsheet would compute are quoted. fill_in replaces the changes of a row with a
reference. What is done in a user's absence (exchangeWrite, triggerWrite, taskWrite) has a row without a path.

Halves of surrogate pairs in rows of earlier releases, which no reply can carry, are read as ?.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from cloud.core.changes import RecordChange
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.core.text import without_surrogates
from cloud.db import Database
from cloud.domains.audit.models import AuditEntry
from cloud.domains.audit.recorder import Recorder
from cloud.domains.audit.repository import AuditRepository
from cloud.domains.audit.results import result_of
from cloud.domains.audit.schemas import AuditFilter, AuditRow
from cloud.domains.audit.tenants import Tenant, excess
from cloud.domains.identity.schemas import CurrentUser
from cloud.errors import ParameterError

KEEP_MS = 400 * 24 * 3600 * 1000
MAX_ROWS = 500_000
FORGET_S = 3600.0
DELETED_AT_ONCE = 2000
MAX_EXPORTED = 100_000
EXPORTED_AT_ONCE = 1000

COLUMNS = (
    "time", "user", "address", "operation", "method", "path", "ids", "query", "changes", "status", "code",
    "duration_ms", "request_id", "result", "thing",
)  # fmt: skip
SENT = ("ids", "query", "changes")
Some = Callable[[AuditRepository, int], Awaitable[int]]
"""Deletes at most so many entries; how many it deleted."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A cell that begins so would be computed by a spreadsheet."""


@dataclass(frozen=True)
class Unattended:
    """Something that was done for a user in his absence."""

    at_ms: int
    user_id: int
    user_name: str
    address: str
    operation: str
    reference: str
    changes: Mapping[str, Any]


class AuditService:
    """recorder: writes what waits before anything is read, so that one sees what one has just done."""

    def __init__(self, database: Database, recorder: Recorder) -> None:
        self._database = database
        self._recorder = recorder

    async def fill_in(self, reference: str, after: Mapping[str, Any]) -> bool:
        """Say in the row of a request what came of it; False when there is no such row, or not yet."""
        async with self._database.asynchronous_commit() as session:
            is_filled = await AuditRepository(session, Scope.system()).fill_in(
                reference, RecordChange({}, after).differences()
            )
            await session.commit()
        return is_filled

    async def add(self, done: Unattended) -> None:
        """A row without a request."""
        async with self._database.reading() as session:
            path = await AuditRepository(session, Scope.system()).path_of(done.user_id)
        self._recorder.put(
            {
                "at_ms": done.at_ms,
                "user_id": done.user_id,
                "user_name": done.user_name,
                "user_path": path,
                "address": done.address,
                "method": "",
                "path": "",
                "operation": done.operation,
                "ids": {},
                "query": {},
                "changes": RecordChange({}, done.changes).differences(),
                "status": 200,
                "code": 0,
                "duration_ms": 0,
                "request_id": "",
                "reference": done.reference,
            }
        )

    async def page(self, user: CurrentUser, wanted: AuditFilter, page: int, limit: int) -> Page[AuditRow]:
        """What the user and those below him changed, the newest first."""
        _check(wanted)
        await self._recorder.flush()
        async with self._database.reading() as session:
            repository = AuditRepository(session, user.scope)
            total = await repository.count(wanted)
            rows = await repository.page(wanted, page, limit)
        return Page(rows=[_row(row) for row in rows], total=total)

    async def export(self, user: CurrentUser, wanted: AuditFilter) -> AsyncIterator[str]:
        """The same as CSV, part by part; ParameterError when there is too much for one file."""
        _check(wanted)
        await self._recorder.flush()
        async with self._database.reading() as session:
            total = await AuditRepository(session, user.scope).count(wanted)
        if total > MAX_EXPORTED:
            rule = f"at most {MAX_EXPORTED} rows in one file, these are {total}"
            raise ParameterError("start_ms", rule, reason="audit.too_many")
        return self._parts(user.scope, wanted)

    async def forget_old(self, now_ms: int) -> None:
        """Periodic: forget what is older than 400 days; beyond 500,000 rows the oldest of who has most."""
        await self._delete(lambda repository, limit: repository.delete_old(now_ms - KEEP_MS, limit))
        async with self._database.reading() as session:
            repository = AuditRepository(session, Scope.system())
            too_many = excess(await repository.sizes(), await repository.platform(), MAX_ROWS)
        for tenant, number in too_many.items():
            await self._delete(partial(_delete_oldest, tenant), number)

    async def _delete(self, some: Some, number: int | None = None) -> None:
        """So many, or all that there are, a part in each transaction."""
        left = number
        while left is None or left > 0:
            limit = DELETED_AT_ONCE if left is None else min(left, DELETED_AT_ONCE)
            async with self._database.session() as session:
                deleted = await some(AuditRepository(session, Scope.system()), limit)
                await session.commit()
            if deleted < limit:
                return
            left = None if left is None else left - deleted

    async def _parts(self, scope: Scope, wanted: AuditFilter) -> AsyncIterator[str]:
        yield "\ufeff" + _csv([COLUMNS])  # the mark tells spreadsheets that it is UTF-8
        last: int | None = None
        while True:
            async with self._database.reading() as session:
                rows = await AuditRepository(session, scope).before(wanted, last, EXPORTED_AT_ONCE)
            if not rows:
                return
            yield _csv([_cells(row) for row in rows])
            last = rows[-1].id


async def _delete_oldest(tenant: Tenant, repository: AuditRepository, limit: int) -> int:
    return await repository.delete_oldest(tenant, limit)


def _check(wanted: AuditFilter) -> None:
    if wanted.start_ms is not None and wanted.end_ms is not None and wanted.end_ms <= wanted.start_ms:
        raise ParameterError("end_ms", "after start_ms")


def _row(row: AuditEntry) -> AuditRow:
    fields = {name: getattr(row, name) for name in AuditRow.model_fields if name != "result"}
    fields["result"] = result_of(row.status, row.reference, row.changes)
    return AuditRow(**fields | {name: _encodable(fields[name]) for name in SENT})


def _encodable(sent: dict[str, Any]) -> Any:
    """Rows of earlier releases may hold halves of surrogate pairs, which no reply can carry."""
    return json.loads(without_surrogates(json.dumps(sent, ensure_ascii=False))) if sent else sent


def _cells(row: AuditEntry) -> list[Any]:
    at = datetime.fromtimestamp(row.at_ms / 1000, UTC).isoformat(timespec="milliseconds")
    sent = [
        json.dumps(value, ensure_ascii=False) if value else "" for value in (row.ids, row.query, row.changes)
    ]
    cells = [at, row.user_name, row.address, row.operation, row.method, row.path, *sent]
    return [_harmless(cell) for cell in cells] + [
        row.status,
        row.code,
        row.duration_ms,
        row.request_id,
        result_of(row.status, row.reference, row.changes),
        _harmless(row.thing),
    ]


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def _csv(rows: list[Any]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return without_surrogates(text.getvalue())
