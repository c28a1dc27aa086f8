"""What a handler of jobs is given, and how it ends early."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from cloud.domains.identity.schemas import CurrentUser

FILE_NAME = re.compile(r"[^\x00-\x1f\x7f/\\<>:\"|?*]{1,190}")
"""What every file system and every header takes."""


class JobCancelled(Exception):
    """Somebody wants the job to end. A handler lets it pass."""


class JobFailed(Exception):
    """A handler cannot go on. code: for which the portal has words; detail: in English, 200 characters."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(detail or code)
        self.code = code
        self.detail = detail


Progress = Callable[[int, int], Awaitable[None]]
Again = Callable[[], Awaitable[CurrentUser]]
"""Looks up whoever asked; JobFailed when he is gone or may not do this any more."""

Note = Callable[[Mapping[str, Any]], Awaitable[None]]

ForbidCancelling = Callable[[bool], Awaitable[None]]
"""True: nobody can cancel from now on, JobCancelled when somebody did; False: one can again."""


class Run:
    """One run of a job. user: who asked, with what he may do now. attempt: 2 after an interruption.

    noted: what an interrupted run had noted, empty at first.
    """

    def __init__(
        self,
        user: CurrentUser,
        parameters: Mapping[str, Any],
        folder: Path,
        progress: Progress,
        note: Note,
        *,
        job_id: int = 0,
        attempt: int = 1,
        noted: Mapping[str, Any] | None = None,
        again: Again | None = None,
        forbid_cancelling: ForbidCancelling | None = None,
    ) -> None:
        self.user = user
        self.parameters = parameters
        self.job_id = job_id
        self.attempt = attempt
        self.noted = dict(noted or {})
        self.file_name = ""
        self._folder = folder
        self._progress = progress
        self._note = note
        self._again = again
        self._forbid_cancelling = forbid_cancelling

    async def progress(self, done: int, total: int) -> None:
        """Say how far it is; JobCancelled when it is to end. Cheap: most calls only compare the time."""
        await self._progress(done, total)

    async def note(self, summary: Mapping[str, Any]) -> None:
        """Keep this as the summary for now: it is seen at once, and there again after an interruption."""
        await self._note(summary)

    async def forbid_cancelling(self) -> None:
        """The next step is done or not, as a whole: who cancels later is told that it is too late.

        JobCancelled when somebody has cancelled before. Call it outside of a transaction.
        """
        if self._forbid_cancelling is not None:
            await self._forbid_cancelling(True)

    async def allow_cancelling(self) -> None:
        """That step is over: what comes now may be cancelled."""
        if self._forbid_cancelling is not None:
            await self._forbid_cancelling(False)

    async def still(self) -> None:
        """Look up again what whoever asked may do, for work that takes hours; JobFailed when not this."""
        if self._again is not None:
            self.user = await self._again()

    def file(self, name: str) -> Path:
        """Where to write the result's one file; name: as whoever downloads it sees it.

        Raises ValueError for a name that no file may have, and for a second file.
        """
        if not FILE_NAME.fullmatch(name) or name.startswith("."):
            raise ValueError(f"no name of a file: {name!r}")
        if self.file_name not in ("", name):
            raise ValueError("a job has one file")
        self._folder.mkdir(parents=True, exist_ok=True)
        self.file_name = name
        return self.path

    @property
    def path(self) -> Path:
        """Of the file that was asked for."""
        return self._folder / self.file_name


Handler = Callable[[Run], Awaitable[Mapping[str, Any] | None]]
"""Does the work; the returned summary is kept with the job."""
