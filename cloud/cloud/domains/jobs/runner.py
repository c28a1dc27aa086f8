"""Runs jobs: a few workers, each one job at a time, restart-safe. In the full process only."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from cloud.core.clock import NowMs
from cloud.core.scope import Scope
from cloud.core.shielded import shielded
from cloud.core.text import storable
from cloud.db import Database
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.jobs.models import JobRecord
from cloud.domains.jobs.repository import JobRepository
from cloud.domains.jobs.run import Handler, JobCancelled, JobFailed, Run
from cloud.domains.jobs.states import AT_ONCE, JobQueue, JobState
from cloud.domains.jobs.views import message
from cloud.errors import CloudError

log = logging.getLogger(__name__)

LOOK_S = 2.0
"""What another process was asked for is found so."""

STOP_S = 10.0
"""How long the end of the process waits for handlers to say how far they are, which ends them."""

PROGRESS_MS = 500
"""Between two rows and messages of progress."""

KEEP_MS = 14 * 24 * 3600 * 1000
"""The specification's 14 days."""

MAX_ATTEMPTS = 2

AWAY = (DBAPIError, PoolTimeout, OSError)
"""What a database that is away for a moment answers, or one that starts."""

WRONG = (DataError, IntegrityError, ProgrammingError)
"""What it will always answer, though they are DBAPIErrors too."""

RETRY_S = 5.0
"""Until the end of a job is written again when the database was away."""

Who = Callable[[int], Awaitable[CurrentUser | None]]
"""A user by number, as he is now; None when he may not sign in any more."""

PushUser = Callable[[int, dict[str, Any]], None]


@dataclass(frozen=True)
class Registered:
    """What does a kind's work. needs: permission of who asks for it, and of others who look at it.

    keep_ms: how long it is kept after its end. is_listed: does it stand in the list of jobs? is_own: its file
    is for who asked alone.
    """

    handler: Handler
    queue: JobQueue
    needs: str
    keep_ms: int = KEEP_MS
    is_listed: bool = True
    is_own: bool = False


class Stopping(Exception):
    """The process ends; the job begins anew with the next one."""


class Runner:
    """who: looks a user up; push: to every socket of one user."""

    def __init__(
        self,
        database: Database,
        folder: Path,
        kinds: Mapping[str, Registered],
        who: Who,
        push: PushUser,
        clock: NowMs,
    ) -> None:
        self._database = database
        self._folder = folder
        self._kinds = kinds
        self._who = who
        self._push = push
        self._clock = clock
        self._wakeups: dict[JobQueue, asyncio.Event] = {queue: asyncio.Event() for queue in JobQueue}
        self._looking: dict[JobQueue, asyncio.Lock] = {queue: asyncio.Lock() for queue in JobQueue}
        """One worker that is free looks for a queue's next job; four of them asked four times as often."""

        self._taking = asyncio.Lock()
        self._running: dict[int, _Following] = {}
        self.cancelling = asyncio.Lock()
        """Held from the look whether a job may still be cancelled until that is written."""

        self._stopping = False
        self._stopped = asyncio.Event()
        self._workers: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Take up what the last process left, then work until stop()."""
        await self.resume()
        for queue in JobQueue:
            for _ in range(AT_ONCE[queue]):
                self._workers.append(asyncio.create_task(self._work(queue)))

    async def stop(self) -> None:
        """Let running jobs end for STOP_S, then cancel them; they run again after the next start."""
        self._stopping = True
        self._stopped.set()
        for event in self._wakeups.values():
            event.set()
        if self._workers:
            await asyncio.wait(self._workers, timeout=STOP_S)
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)

    def wake(self, queue: JobQueue) -> None:
        """There may be something to do."""
        self._wakeups[queue].set()

    def is_uncancellable(self, job_id: int) -> bool:
        """Does it run and cannot be cancelled any more?"""
        following = self._running.get(job_id)
        return following is not None and following.is_uncancellable

    def cancel(self, job_id: int) -> None:
        """It runs, and somebody wants it to end: its next word of progress ends it."""
        if (following := self._running.get(job_id)) is not None:
            following.is_cancelled = True

    async def resume(self) -> None:
        """What ran when the last process ended runs once more; what was interrupted twice has failed."""
        async with self._database.session() as session:
            repository = JobRepository(session, Scope.system())
            for row in await repository.begun():
                log.warning("job %d (%s) was interrupted", row.id, row.kind)
                if row.cancelling:
                    self._end(row, JobState.CANCELLED)
                elif row.attempts >= MAX_ATTEMPTS:
                    self._end(row, JobState.FAILED, "interrupted")
                else:
                    row.started_ms = None
            await session.commit()

    async def step(self, queue: JobQueue) -> bool:
        """Run the next job of a queue to its end; False when none waits."""
        row = await shielded(self._take)(queue)
        if row is None:
            return False
        await self._run(row)
        return True

    async def _work(self, queue: JobQueue) -> None:
        while not self._stopping:
            async with self._looking[queue]:
                row = await self._next(queue)
            try:
                if row is not None:
                    await self._run(row)
            except Exception:
                # The database may be away for a moment; a worker that ends for that is missed for days.
                log.exception("job could not be run")
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._stopped.wait(), LOOK_S)

    async def _next(self, queue: JobQueue) -> JobRecord | None:
        """Wait for a job and take it; None when the process ends."""
        wakeup = self._wakeups[queue]
        while not self._stopping:
            wakeup.clear()
            try:
                if (row := await shielded(self._take)(queue)) is not None:
                    return row
            except Exception:
                log.exception("the next job could not be looked for")  # the database may be away, as above
            with contextlib.suppress(TimeoutError):  # another process may have been asked
                await asyncio.wait_for(wakeup.wait(), LOOK_S)
        return None

    async def _run(self, row: JobRecord) -> None:
        try:
            await self._execute(row)
        except Stopping:
            log.info("job %d is put off to the next start", row.id)
        finally:
            self._running.pop(row.id, None)

    async def _take(self, queue: JobQueue) -> JobRecord | None:
        kinds = [kind for kind, registered in self._kinds.items() if registered.queue is queue]
        async with self._taking:
            async with self._database.reading() as session:
                if await JobRepository(session, Scope.system()).next(kinds) is None:
                    return None
            async with self._database.session() as session:
                row = await JobRepository(session, Scope.system()).next(kinds, locked=True)
                if row is None:
                    return None
                row.started_ms = self._clock()
                row.attempts += 1
                row.done = row.total = 0
                self._running[row.id] = _Following(self, row)  # who sees that it has begun may cancel it
                await session.commit()
        self._push(row.user_id, message(row))
        return row

    async def _execute(self, row: JobRecord) -> None:
        following = self._running[row.id]
        try:
            user = await self._asker(row)
        except JobFailed as error:
            await self._finish(row, JobState.FAILED, code=error.code, detail=error.detail)
            return
        except Exception:
            # It has not begun: it waits for its turn again, as if it had not been taken.
            await self._persist(row, {"started_ms": None, "attempts": row.attempts - 1})
            raise
        run = Run(
            user,
            row.parameters,
            self._folder / row.folder,
            following.progress,
            following.note,
            job_id=row.id,
            attempt=row.attempts,
            noted=row.summary,
            again=lambda: self._asker(row),
            forbid_cancelling=following.report_and_forbid,
        )
        changes: dict[str, Any] = {}
        try:
            summary = await self._kinds[row.kind].handler(run)
            if summary is not None:
                changes["summary"] = dict(summary)
            size = await asyncio.to_thread(lambda: run.path.stat().st_size) if run.file_name else 0
            # who was told that it ends finds it cancelled, though it was nearly done
            await following.forbid_cancelling(True)
        except JobCancelled:
            await self._finish(row, JobState.CANCELLED, **changes)
        except JobFailed as error:
            await self._finish(row, JobState.FAILED, code=error.code, detail=error.detail)
        except CloudError as error:
            await self._finish(row, JobState.FAILED, code=error.reason or "refused", detail=error.message)
        except (Stopping, asyncio.CancelledError):
            raise
        except Exception:
            # Whatever is wrong with one job, its worker goes on with the next; the log tells what it was.
            log.exception("job %d (%s) failed", row.id, row.kind)
            await self._finish(row, JobState.FAILED, code="failed")
        else:
            changes |= {"file_name": run.file_name, "size": size}
            await self._finish(row, JobState.COMPLETED, **changes)

    async def _asker(self, row: JobRecord) -> CurrentUser:
        """Whoever asked, with what he may do now; JobFailed when that is not this any more."""
        user = await self._who(row.user_id)
        if user is None:
            raise JobFailed("user_gone")
        if not user.may(self._kinds[row.kind].needs):
            raise JobFailed("no_permission")
        return user

    async def _finish(
        self, row: JobRecord, state: JobState, *, code: str = "", detail: str = "", **changes: Any
    ) -> None:
        self._end(row, state, code, detail)
        for name, value in changes.items():
            setattr(row, name, value)
        columns = {
            name: getattr(row, name)
            for name in ("state", "finished_ms", "expires_ms", "code", "detail", "done", "total", *changes)
        }
        await self._persist(row, columns)
        log.info("job %d (%s) of user %d: %s %s", row.id, row.kind, row.user_id, state.value, code)
        self._push(row.user_id, message(row))

    async def _persist(self, row: JobRecord, columns: dict[str, Any]) -> None:
        """Write until it works; Stopping when the process ends before that."""
        while True:
            try:
                await shielded(self._write)(row.id, columns)
            except WRONG:
                raise
            except AWAY as error:
                log.warning("job %d (%s) cannot be written now: %s", row.id, row.kind, error)
            else:
                return
            if self._stopping:
                raise Stopping
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RETRY_S):
                    await self._stopped.wait()

    async def _write(self, job_id: int, columns: dict[str, Any]) -> None:
        async with self._database.session() as session:
            await JobRepository(session, Scope.system()).change(job_id, **columns)
            await session.commit()

    def _end(self, row: JobRecord, state: JobState, code: str = "", detail: str = "") -> None:
        row.state, row.code, row.detail = state.value, storable(code, 40), storable(detail, 200)
        row.finished_ms = self._clock()
        kind = self._kinds.get(row.kind)
        row.expires_ms = row.finished_ms + (KEEP_MS if kind is None else kind.keep_ms)


class _Following:
    """Progress of one run: at most two rows a second, and whether it is to end."""

    def __init__(self, runner: Runner, row: JobRecord) -> None:
        self._runner = runner
        self._row = row
        self._said_ms: int | None = None
        self._said = (row.done, row.total)
        self.is_cancelled = False
        self.is_uncancellable = False

    async def forbid_cancelling(self, forbidden: bool) -> None:
        """Set whether the job can be cancelled. Raises JobCancelled when it was already."""
        async with self._runner.cancelling:
            if self.is_cancelled and forbidden:
                raise JobCancelled
            self.is_uncancellable = forbidden

    async def report_and_forbid(self, forbidden: bool) -> None:
        """As forbid_cancelling; progress is sent first, because none can be during the next step."""
        if forbidden and self._said != (self._row.done, self._row.total):
            await self._say()
        await self.forbid_cancelling(forbidden)

    async def progress(self, done: int, total: int) -> None:
        """See Run.progress. Raises JobCancelled, and Stopping when the process ends."""
        runner, row = self._runner, self._row
        if runner._stopping:
            raise Stopping
        if self.is_cancelled:
            raise JobCancelled
        row.done, row.total = done, total  # the end has the last of them, whether it was said or not
        now = runner._clock()
        if self._said_ms is not None and 0 <= now - self._said_ms < PROGRESS_MS:
            return
        self._said_ms = now
        await self._say()

    async def _say(self) -> None:
        runner, row = self._runner, self._row
        done, total = row.done, row.total
        changed, self._said = self._said != (done, total), (done, total)
        if await shielded(self._written)({"done": done, "total": total} if changed else {}):
            raise JobCancelled
        if changed:
            runner._push(row.user_id, message(row))

    async def note(self, summary: Mapping[str, Any]) -> None:
        """See Run.note. Raises JobCancelled when somebody has cancelled meanwhile."""
        self._row.summary = dict(summary)
        if await shielded(self._written)({"summary": self._row.summary}):
            raise JobCancelled
        self._runner._push(self._row.user_id, message(self._row))

    async def _written(self, columns: dict[str, Any]) -> bool:
        """Is the job to end?"""
        if columns:
            async with self._runner._database.asynchronous_commit() as session:
                repository = JobRepository(session, Scope.system())
                await repository.change(self._row.id, **columns)
                cancelling = await repository.cancelling(self._row.id)
                await session.commit()
                return cancelling
        async with self._runner._database.reading() as session:
            return await JobRepository(session, Scope.system()).cancelling(self._row.id)
