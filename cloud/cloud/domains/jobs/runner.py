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
from cloud.domains.jobs.states import AT_ONCE, Lane, State
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

MOST_ATTEMPTS = 2

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
    lane: Lane
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
        self._news: dict[Lane, asyncio.Event] = {lane: asyncio.Event() for lane in Lane}
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
        for lane in Lane:
            for _ in range(AT_ONCE[lane]):
                self._workers.append(asyncio.create_task(self._work(lane)))

    async def stop(self) -> None:
        self._stopping = True
        self._stopped.set()
        for event in self._news.values():
            event.set()
        if self._workers:
            await asyncio.wait(self._workers, timeout=STOP_S)
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)

    def wake(self, lane: Lane) -> None:
        """There may be something to do."""
        self._news[lane].set()

    def is_settled(self, job_id: int) -> bool:
        """Does it run and cannot be cancelled any more?"""
        following = self._running.get(job_id)
        return following is not None and following.is_settled

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
                    self._end(row, State.CANCELLED)
                elif row.attempts >= MOST_ATTEMPTS:
                    self._end(row, State.FAILED, "interrupted")
                else:
                    row.started_ms = None
            await session.commit()

    async def step(self, lane: Lane) -> bool:
        """Run the next job of a lane to its end; False when none waits."""
        row = await shielded(self._take)(lane)
        if row is None:
            return False
        try:
            await self._execute(row)
        except Stopping:
            log.info("job %d is put off to the next start", row.id)
        finally:
            self._running.pop(row.id, None)
        return True

    async def _work(self, lane: Lane) -> None:
        news = self._news[lane]
        while not self._stopping:
            news.clear()
            try:
                if await self.step(lane):
                    continue
            except Exception:
                # The database may be away for a moment; a worker that ends for that is missed for days.
                log.exception("the next job could not be run")
            try:
                async with asyncio.timeout(LOOK_S):
                    await news.wait()
            except TimeoutError:
                pass  # another process may have been asked

    async def _take(self, lane: Lane) -> JobRecord | None:
        kinds = [kind for kind, registered in self._kinds.items() if registered.lane is lane]
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
            await self._finish(row, State.FAILED, code=error.code, detail=error.detail)
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
            settle=following.settle_told,
        )
        changes: dict[str, Any] = {}
        try:
            summary = await self._kinds[row.kind].handler(run)
            if summary is not None:
                changes["summary"] = dict(summary)
            size = await asyncio.to_thread(lambda: run.path.stat().st_size) if run.file_name else 0
            # who was told that it ends finds it cancelled, though it was nearly done
            await following.settle(True)
        except JobCancelled:
            await self._finish(row, State.CANCELLED, **changes)
        except JobFailed as error:
            await self._finish(row, State.FAILED, code=error.code, detail=error.detail)
        except CloudError as error:
            await self._finish(row, State.FAILED, code=error.reason or "refused", detail=error.message)
        except (Stopping, asyncio.CancelledError):
            raise
        except Exception:
            # Whatever is wrong with one job, its worker goes on with the next; the log tells what it was.
            log.exception("job %d (%s) failed", row.id, row.kind)
            await self._finish(row, State.FAILED, code="failed")
        else:
            changes |= {"file_name": run.file_name, "size": size}
            await self._finish(row, State.COMPLETED, **changes)

    async def _asker(self, row: JobRecord) -> CurrentUser:
        """Whoever asked, with what he may do now; JobFailed when that is not this any more."""
        user = await self._who(row.user_id)
        if user is None:
            raise JobFailed("user_gone")
        if not user.may(self._kinds[row.kind].needs):
            raise JobFailed("no_permission")
        return user

    async def _finish(
        self, row: JobRecord, state: State, *, code: str = "", detail: str = "", **changes: Any
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

    def _end(self, row: JobRecord, state: State, code: str = "", detail: str = "") -> None:
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
        self.is_settled = False

    async def settle(self, settled: bool) -> None:
        async with self._runner.cancelling:
            if self.is_cancelled and settled:
                raise JobCancelled
            self.is_settled = settled

    async def settle_told(self, settled: bool) -> None:
        """As settle; progress is told first, because none can be while the next step is being done."""
        if settled and self._said != (self._row.done, self._row.total):
            await self._say()
        await self.settle(settled)

    async def progress(self, done: int, total: int) -> None:
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
