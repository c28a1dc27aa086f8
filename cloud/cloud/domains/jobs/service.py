"""Jobs: asked for, looked at, cancelled, deleted, forgotten after 14 days.

DELETE ends a job that is not done and forgets one that is; it is the full process's, as cancelling and
forbidding it live in the memory of the process that runs the job. Seen by who asked and those above him;
somebody else's job, its file and its end need FileDownload and the permission of its work. A kind that is
gone is its user's alone. Folders that no job has go with the next cleaning.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from cloud.core.changes import record_change
from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.scope import Scope
from cloud.core.text import storable
from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.jobs.models import JobRecord
from cloud.domains.jobs.repository import Found, JobRepository
from cloud.domains.jobs.run import Handler
from cloud.domains.jobs.runner import KEEP_MS, PushUser, Registered, Runner, Who
from cloud.domains.jobs.schemas import Job, JobDetail, JobFile
from cloud.domains.jobs.states import JobQueue, JobState
from cloud.domains.jobs.views import detail, job_of, message
from cloud.errors import Busy, Conflict, NotFound, ParameterError

log = logging.getLogger(__name__)

CLEAN_S = 3600.0

MAX_UNFINISHED = 200
MAX_UNFINISHED_OF_USER = 20

MIB = 1024 * 1024
MAX_BYTES = 8 * 1024 * MIB
MAX_BYTES_OF_USER = 1024 * MIB
"""Of kept files; with more nothing new is begun until some are deleted or have expired."""

MAX_PARAMETERS_BYTES = MIB
AT_ONCE = 200

MEDIA_TYPES = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".csv": "text/csv; charset=utf-8",
    ".json": "application/json",
    ".zip": "application/zip",
    ".pdf": "application/pdf",
}


class JobService:
    """The files lie below folder. who, push: see Runner, which only the full process starts."""

    def __init__(
        self, database: Database, folder: Path, who: Who, push: PushUser, *, clock: NowMs = now_ms
    ) -> None:
        self._database = database
        self._folder = folder
        self._push = push
        self._clock = clock
        self._kinds: dict[str, Registered] = {}
        self.runner = Runner(database, folder, self._kinds, who, push, clock)

    def register(
        self,
        kind: str,
        handler: Handler,
        queue: JobQueue = JobQueue.WORK,
        *,
        needs: str,
        keep_ms: int = KEEP_MS,
        is_listed: bool = True,
        is_own: bool = False,
    ) -> None:
        """Before the start. handler: does the work of this kind; queue: with what it shares its turn.

        needs: the permission without which it is not run, and is nobody else's to see. The others: see
        Registered. Raises ValueError when the kind has a handler already.
        """
        if kind in self._kinds:
            raise ValueError(f"two handlers for {kind}")
        self._kinds[kind] = Registered(handler, queue, needs, keep_ms, is_listed, is_own)

    async def ask(self, user: CurrentUser, kind: str, title: str, parameters: Mapping[str, Any]) -> Job:
        """Put a job into the queue. title: what it is about; parameters: JSON, at most 1 MiB.

        Busy with a full queue or too much of one user; Conflict when his files take all the space. Raises
        ParameterError for larger parameters.
        """
        registered = self._kinds[kind]
        if len(json.dumps(parameters)) > MAX_PARAMETERS_BYTES:
            raise ParameterError("parameters", f"at most {MAX_PARAMETERS_BYTES} bytes")
        row = JobRecord(
            user_id=user.id,
            kind=kind,
            title=storable(title, 200),
            parameters=dict(parameters),
            state=JobState.GENERATING.value,
            created_ms=self._clock(),
            folder=secrets.token_hex(8),
            attempts=0,
            cancelling=False,
            done=0,
            total=0,
            code="",
            detail="",
            file_name="",
            size=0,
        )
        async with self._database.session() as session:
            repository = JobRepository(session, Scope.system())
            await self._check_quota(repository, user)
            repository.add(row)
            await session.commit()
        log.info("job %d: %s asks for %s", row.id, user.name, kind)
        self.runner.wake(registered.queue)
        self._push(user.id, message(row))
        return job_of(row, user.name)

    async def page(
        self,
        user: CurrentUser,
        page: int,
        limit: int,
        *,
        everybody: bool = False,
        state: JobState | None = None,
        kinds: Collection[str] = (),
    ) -> Page[Job]:
        """The user's jobs, the newest first. everybody: also those of users below him."""
        mine = None if everybody else user.id
        unlisted = self.unlisted()
        async with self._database.reading() as session:
            repository = JobRepository(session, user.scope)
            rows, total = await repository.page(
                page, limit, user_id=mine, state=state, kinds=kinds, without=unlisted
            )
        return Page(rows=[job_of(*row) for row in rows], total=total)

    def unlisted(self) -> list[str]:
        """Kinds that the list leaves out."""
        return [kind for kind, registered in self._kinds.items() if not registered.is_listed]

    async def detail(self, user: CurrentUser, job_id: int) -> JobDetail:
        """A job with its parameters and summary. Raises NotFound for one that the user may not see."""
        async with self._database.reading() as session:
            row = self._seen(user, await JobRepository(session, user.scope).job(job_id))
        return detail(*row)

    async def generating(self, job_ids: Collection[int]) -> set[int]:
        """Those of these that wait or run, for domains that must leave alone what a job of theirs uses."""
        async with self._database.reading() as session:
            return await JobRepository(session, Scope.system()).generating(job_ids)

    async def file(self, user: CurrentUser, job_id: int) -> JobFile:
        """What a completed job made; NotFound when it made nothing, or its file is gone."""
        async with self._database.reading() as session:
            row, _ = self._seen(user, await JobRepository(session, user.scope).job(job_id))
        registered = self._kinds.get(row.kind)
        if registered is not None and registered.is_own and row.user_id != user.id:
            raise NotFound("file")
        path = self._folder / row.folder / row.file_name
        if row.state != JobState.COMPLETED or not row.file_name or not await asyncio.to_thread(path.is_file):
            raise NotFound("file")
        return JobFile(path, row.file_name, MEDIA_TYPES.get(path.suffix.lower(), "application/octet-stream"))

    async def delete(self, user: CurrentUser, job_id: int) -> None:
        """End one that waits or runs; forget one that has ended, with its file.

        Conflict when it does by now what cannot be left half done.
        """
        async with self.runner.cancelling, self._database.session() as session:
            repository = JobRepository(session, user.scope)
            row, _ = self._seen(user, await repository.job(job_id, locked=True))
            before = {"state": row.state, "cancelling": row.cancelling, "title": row.title}
            ended = row.state != JobState.GENERATING
            if ended:
                await repository.delete([row.id])
            elif row.started_ms is None:
                row.state, row.finished_ms = JobState.CANCELLED.value, self._clock()
                row.expires_ms = row.finished_ms + KEEP_MS
            elif self.runner.is_uncancellable(row.id):
                raise Conflict(
                    "it is too late to cancel this job",
                    field="job_id", rule="not being completed", reason="job.too_late",
                )  # fmt: skip
            else:
                row.cancelling = True
            after = {} if ended else {"state": row.state, "cancelling": row.cancelling, "title": row.title}
            await session.commit()
            if not ended:
                self.runner.cancel(row.id)
        record_change(before, after)
        if ended:
            await asyncio.to_thread(shutil.rmtree, self._folder / row.folder, ignore_errors=True)
        else:
            self._push(row.user_id, message(row))

    async def clean(self) -> None:
        """Periodic: forget what has expired, and folders that no job has any more."""
        async with self._database.session() as session:
            repository = JobRepository(session, Scope.system())
            await repository.delete(await repository.expired(self._clock(), AT_ONCE))
            await session.commit()
        # listed before the jobs are: a job is stored before its folder is made
        there = await asyncio.to_thread(_names, self._folder)
        async with self._database.reading() as session:
            known = await JobRepository(session, Scope.system()).folders()
        for name in there - known:
            await asyncio.to_thread(shutil.rmtree, self._folder / name, ignore_errors=True)

    def _seen(self, user: CurrentUser, record: Found | None) -> Found:
        """A job of one's own, or one whose work one might have asked for and whose file one may have."""
        if record is None:
            raise NotFound("job")
        row, _ = record
        if row.user_id != user.id:
            registered = self._kinds.get(row.kind)
            if registered is None or not (user.may("FileDownload") and user.may(registered.needs)):
                raise NotFound("job")
        return record

    async def _check_quota(self, repository: JobRepository, user: CurrentUser) -> None:
        if await repository.unfinished(user.id) >= MAX_UNFINISHED_OF_USER:
            raise Busy(f"{MAX_UNFINISHED_OF_USER} jobs of yours are not done yet", reason="job.too_many")
        if await repository.unfinished() >= MAX_UNFINISHED:
            raise Busy("the queue of jobs is full", reason="job.queue_full")
        if await repository.bytes_stored(user.id) >= MAX_BYTES_OF_USER:
            raise Conflict(f"at most {MAX_BYTES_OF_USER} bytes of files of one user", reason="job.no_room")
        if await repository.bytes_stored() >= MAX_BYTES:
            raise Conflict(f"at most {MAX_BYTES} bytes of files of all users", reason="job.no_room_of_all")


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()
