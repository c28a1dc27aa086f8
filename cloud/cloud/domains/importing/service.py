"""Imports: uploaded, mapped, previewed, applied, forgotten after a day."""

from __future__ import annotations

import asyncio
import io
import logging
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.columns import KEYS, SHEETS, Language, columns_of
from cloud.domains.importing.parsing import check, parsed
from cloud.domains.importing.schemas import (
    ApplyBody,
    ImportCell,
    ImportColumn,
    ImportPreview,
    ImportRow,
    ImportSheet,
    ImportState,
    PreviewBody,
)
from cloud.domains.importing.sheets import errors_workbook
from cloud.domains.importing.workfile import Result, Workfile
from cloud.domains.jobs.schemas import Job
from cloud.domains.jobs.service import JobService
from cloud.errors import Busy, Conflict, NotFound, ParameterError
from cloud.kit.clock import NowMs, now_ms
from cloud.kit.envelope import Page
from cloud.kit.xlsx import WrongFile

log = logging.getLogger(__name__)

PREVIEW, APPLY = "import_preview", "import_apply"
CLEAN_S = 3600.0
KEEP_MS = 24 * 3600 * 1000
MOST_OF_USER = 5
MOST_IN_ALL = 50
WAIT_S = 25.0
"""One file is read at a time, some seconds of one core; an upload may take 30 s."""

MOST_ERRORS = 20_000
"""Rows of an error file."""


class ImportService:
    """The work files lie below folder, which is one process'. jobs: does the work in its turn."""

    def __init__(self, folder: Path, jobs: JobService, *, clock: NowMs = now_ms) -> None:
        self._folder = folder
        self._jobs = jobs
        self._clock = clock
        self._reading = asyncio.Lock()

    async def upload(self, user: CurrentUser, content: bytes, filename: str) -> ImportState:
        """Read a workbook. ParameterError says what is wrong with it; the oldest of too many imports goes."""
        work = self._work(secrets.token_hex(16))
        try:
            async with asyncio.timeout(WAIT_S):
                await self._reading.acquire()
        except TimeoutError:
            raise Busy("another file is being read", reason="import.busy") from None
        try:
            await self._make_room(user)
            await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
            sheets = await asyncio.to_thread(parsed, content, filename, work)
            meta = {
                "user_id": user.id,
                "path": user.scope.path,
                "file_name": filename[:200],
                "created_ms": self._clock(),
            }
            await asyncio.to_thread(work.note, {**meta, "sheets": sheets})
        except WrongFile as wrong:
            await asyncio.to_thread(work.path.unlink, missing_ok=True)
            raise ParameterError("file", wrong.rule, reason=wrong.reason) from None
        finally:
            self._reading.release()
        log.info("%s uploads %d bytes to import", user.name, len(content))
        return await self.state(user, work.path.stem)

    async def state(self, user: CurrentUser, import_id: str) -> ImportState:
        return _state(import_id, await self._meta(user, import_id))

    async def preview(self, user: CurrentUser, import_id: str, body: PreviewBody) -> Job:
        """Begin to compare. What was compared before is forgotten; Conflict while another job of it runs."""
        meta = await self._idle(user, import_id)
        check(body.sheets, meta["sheets"])
        sheets = [mapping.model_dump() for mapping in body.sheets]
        parameters = {"import_id": import_id, "sheets": sheets, "mode": body.mode}
        job = await self._jobs.ask(user, PREVIEW, meta["file_name"], parameters)
        named = [
            {**sheet, "kind": mapping.kind, "fields": _padded(mapping.fields, len(sheet["header"]))}
            for sheet, mapping in zip(meta["sheets"], body.sheets, strict=True)
        ]
        await asyncio.to_thread(
            self._work(import_id).note, {"job_id": job.id, "preview": None, "sheets": named}
        )
        return job

    async def apply(self, user: CurrentUser, import_id: str, body: ApplyBody) -> Job:
        """Begin to do what the preview says. Conflict without one, or with wrong rows unless skipped."""
        meta = await self._idle(user, import_id)
        if meta.get("preview") is None:
            raise Conflict(
                "there is no preview yet", field="import_id", rule="previewed", reason="import.no_preview"
            )
        wrong = sum(counts["wrong"] for counts in meta["preview"]["counts"].values())
        if wrong and not body.skip_wrong:
            raise Conflict(
                f"{wrong} rows are wrong",
                field="skip_wrong",
                rule="true, or a file without wrong rows",
                reason="import.wrong_rows",
                arguments={"rows": wrong},
            )
        job = await self._jobs.ask(user, APPLY, meta["file_name"], {"import_id": import_id})
        await asyncio.to_thread(self._work(import_id).note, {"job_id": job.id})
        return job

    async def rows(
        self, user: CurrentUser, import_id: str, kind: str, sheet: str, page: int, limit: int
    ) -> Page[ImportRow]:
        """Rows that change something or are wrong, gateway by gateway."""
        await self._meta(user, import_id)
        work = self._work(import_id)
        rows, total = await asyncio.to_thread(work.results, kind, sheet, (page - 1) * limit, limit)
        return Page(rows=[_row(each) for each in rows], total=total)

    async def errors(self, user: CurrentUser, import_id: str, language: Language) -> bytes:
        """The wrong rows as they stand in the file, with a column that says what is wrong: an .xlsx."""
        meta = await self._meta(user, import_id)
        return await asyncio.to_thread(_errors, self._work(import_id), meta, language)

    async def discard(self, user: CurrentUser, import_id: str) -> None:
        """Forget an import; what it has done stays."""
        await self._idle(user, import_id, is_over=True)
        await asyncio.to_thread(self._work(import_id).path.unlink, missing_ok=True)

    async def clean(self) -> None:
        """Periodic: forget imports of a day ago."""
        known = await self._known()
        busy = await self._busy(known)
        for each in known:
            if each.created_ms < self._clock() - KEEP_MS and each.path not in busy:
                await asyncio.to_thread(each.path.unlink, missing_ok=True)

    def work_of(self, import_id: str) -> Workfile:
        """For the jobs of this room; NotFound when it has expired meanwhile."""
        work = self._work(import_id)
        if not work.path.is_file():
            raise NotFound("import")
        return work

    def _work(self, import_id: str) -> Workfile:
        return Workfile(self._folder / f"{import_id}.sqlite")

    async def _meta(self, user: CurrentUser, import_id: str) -> dict[str, Any]:
        """An import is its uploader's, and of those above him."""
        work = self._work(import_id)
        if not await asyncio.to_thread(work.path.is_file):
            raise NotFound("import")
        meta = await asyncio.to_thread(work.meta)
        is_above = bool(user.scope.path) and str(meta.get("path")).startswith(user.scope.path)
        if meta.get("user_id") != user.id and not (user.scope.everything or is_above):
            raise NotFound("import")
        return meta

    async def _idle(self, user: CurrentUser, import_id: str, *, is_over: bool = False) -> dict[str, Any]:
        """An import of which no job runs, and which may still be done unless is_over."""
        meta = await self._meta(user, import_id)
        if meta.get("applied") and not is_over:
            raise Conflict(
                "this import is done", field="import_id", rule="not applied yet", reason="import.applied"
            )
        if meta.get("job_id") is not None and await self._jobs.generating([meta["job_id"]]):
            raise Conflict("a job of this import runs", field="import_id", rule="idle", reason="import.runs")
        return meta

    async def _make_room(self, user: CurrentUser) -> None:
        known = sorted(await self._known(), key=lambda each: each.created_ms)
        busy = await self._busy(known)
        mine = [each.path for each in known if each.user_id == user.id]
        surplus = max(0, len(mine) - MOST_OF_USER + 1)
        oldest = [path for path in mine if path not in busy][:surplus]
        if len(oldest) < surplus:
            raise Busy("all your imports are at work", reason="import.too_many")
        if len(known) - surplus >= MOST_IN_ALL:
            raise Busy("too many imports of all users", reason="import.too_many")
        for path in oldest:
            await asyncio.to_thread(path.unlink, missing_ok=True)

    async def _known(self) -> list[_Known]:
        return await asyncio.to_thread(_known, self._folder)

    async def _busy(self, known: Sequence[_Known]) -> set[Path]:
        """Work files that a job needs, or waits for its turn with."""
        running = await self._jobs.generating([each.job_id for each in known if each.job_id is not None])
        return {each.path for each in known if each.job_id in running}


class _Known(NamedTuple):
    """A work file, when it was made, whose it is, and its last job."""

    path: Path
    created_ms: int
    user_id: int
    job_id: int | None


def _known(folder: Path) -> list[_Known]:
    """Every work file; one that was never filled is very old."""
    found = []
    for path in folder.glob("*.sqlite") if folder.is_dir() else ():
        meta = Workfile(path).meta() if path.stat().st_size else {}
        created_ms, user_id = int(meta.get("created_ms", 0)), int(meta.get("user_id", 0))
        found.append(_Known(path, created_ms, user_id, meta.get("job_id")))
    return found


def _state(import_id: str, meta: dict[str, Any]) -> ImportState:
    columns = {
        kind: [
            ImportColumn(
                field=column.field,
                zh=column.zh,
                en=column.en,
                is_key=column.field in ("gateway_id", *KEYS[kind]),
            )
            for column in columns_of(kind).values()
        ]
        for kind in SHEETS
    }
    preview = meta.get("preview")
    return ImportState(
        id=import_id,
        file_name=meta["file_name"],
        created_ms=meta["created_ms"],
        expires_ms=meta["created_ms"] + KEEP_MS,
        sheets=[ImportSheet(**sheet) for sheet in meta["sheets"]],
        columns=columns,
        preview=None if preview is None else ImportPreview(**preview),
        applied=bool(meta.get("applied")),
        job_id=meta.get("job_id"),
    )


def _padded(fields: list[str | None], length: int) -> list[str | None]:
    return [*fields, *[None] * (length - len(fields))]


def _row(result: Result) -> ImportRow:
    cells = [
        ImportCell(field=field, before=before, after=after, code=code, arguments=arguments)
        for field, before, after, code, arguments in result.cells
    ]
    return ImportRow.model_validate(
        {
            "kind": result.kind,
            "sheet": result.sheet,
            "number": result.number,
            "gateway_id": result.gateway,
            "key": result.key,
            "cells": cells,
        }
    )


def _errors(work: Workfile, meta: dict[str, Any], language: Language) -> bytes:
    results, _ = work.results("wrong", "", 0, MOST_ERRORS)
    file = io.BytesIO()
    errors_workbook(file, work, meta["sheets"], results, language)
    return file.getvalue()
