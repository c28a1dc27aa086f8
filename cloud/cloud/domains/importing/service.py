"""Imports: uploaded, mapped, previewed, applied, forgotten after a day."""

from __future__ import annotations

import asyncio
import errno
import logging
import secrets
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from cloud.core.clock import NowMs, now_ms
from cloud.core.envelope import Page
from cloud.core.xlsx import WrongFile
from cloud.domains.devices.service import DeviceService
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.parsing import check, parsed
from cloud.domains.importing.removal import Removals
from cloud.domains.importing.schemas import (
    ApplyImportBody,
    ImportRow,
    ImportState,
    PreviewImportBody,
)
from cloud.domains.importing.sheets import errors_workbook
from cloud.domains.importing.views import KEEP_MS, import_row, import_state
from cloud.domains.importing.work_files import Known, going, known_in
from cloud.domains.importing.workfile import Workfile, disk_full
from cloud.domains.jobs.run import JobFailed
from cloud.domains.jobs.schemas import Job
from cloud.domains.jobs.service import JobService
from cloud.domains.sheets.columns import Language
from cloud.errors import Busy, CloudError, Conflict, NotFound, ParameterError

log = logging.getLogger(__name__)

PREVIEW, APPLY = "import_preview", "import_apply"
CLEAN_S = 3600.0
WAIT_S = 25.0
"""One file is read at a time, some seconds of one core; an upload may take 30 s."""

MAX_ERRORS = 20_000
"""Rows of an error file."""

PART_BYTES = 256 * 1024


class ImportService:
    """The work files lie below folder, which is one process'. jobs: does the work in its turn."""

    def __init__(
        self,
        folder: Path,
        jobs: JobService,
        devices: DeviceService,
        removals: Removals,
        *,
        clock: NowMs = now_ms,
    ) -> None:
        self._folder = folder
        self._jobs = jobs
        self._devices = devices
        self._removals = removals
        self._clock = clock
        self._reading = asyncio.Lock()
        self._writing = asyncio.Lock()
        self._asking = asyncio.Lock()
        """From the look at an import to its next job: of several at once one gets it."""

    async def single(self, user: CurrentUser, device_id: int) -> str:
        """Serial number of the only gateway that an import is to be for; the user may change it."""
        return (await self._devices.changeable(user, device_id)).gateway_id

    async def upload(
        self, user: CurrentUser, content: bytes, filename: str, gateway: str | None = None
    ) -> ImportState:
        """Read a workbook. ParameterError says what is wrong with it; the oldest of too many imports goes.

        gateway: the only one that it is for, as `single` told it. Unavailable: the disk is full.
        """
        work = self._work(secrets.token_hex(16))
        await _turn(self._reading, "another file is being read")
        is_whole = False
        try:
            await self._free_space(user)
            await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
            sheets = await asyncio.to_thread(parsed, content, filename, work, single=gateway is not None)
            meta = {
                "user_id": user.id,
                "path": user.scope.path,
                "file_name": filename[:200],
                "created_ms": self._clock(),
                "gateway_id": gateway,
            }
            await asyncio.to_thread(work.note, {**meta, "sheets": sheets})
            is_whole = True
        except WrongFile as wrong:
            raise ParameterError("file", wrong.rule, reason=wrong.reason) from None
        except OSError as error:
            raise _full_or(error) from error
        finally:
            if not is_whole:
                await asyncio.to_thread(work.remove)
            self._reading.release()
        log.info("%s uploads %d bytes to import", user.name, len(content))
        return await self.state(user, work.path.stem)

    async def state(self, user: CurrentUser, import_id: str) -> ImportState:
        """An import with its sheets, preview and job. Raises NotFound without such an import."""
        return import_state(import_id, await self._meta(user, import_id))

    async def preview(self, user: CurrentUser, import_id: str, body: PreviewImportBody) -> Job:
        """Begin to compare. What was compared before is forgotten; Conflict while another job of it runs."""
        async with self._asking:
            meta = await self._idle(user, import_id)
            check(body.sheets, meta["sheets"], single=meta.get("gateway_id") is not None)
            await self._check_removal(user, body, meta)
            sheets = [mapping.model_dump() for mapping in body.sheets]
            removal = None if body.remove_devices is None else body.remove_devices.model_dump()
            parameters = {
                "import_id": import_id, "sheets": sheets, "mode": body.mode, "remove_devices": removal,
            }  # fmt: skip
            named = [
                {**sheet, "kind": mapping.kind, "fields": _padded(mapping.fields, len(sheet["header"]))}
                for sheet, mapping in zip(meta["sheets"], body.sheets, strict=True)
            ]
            noted = {"preview": None, "sheets": named, "remove_devices": removal, "going": []}
            await asyncio.to_thread(self._work(import_id).note, noted)  # before the job notes what it found
            return await self._begin(user, import_id, PREVIEW, meta["file_name"], parameters)

    async def apply(self, user: CurrentUser, import_id: str, body: ApplyImportBody) -> Job:
        """Begin to do what a preview says. Conflict when that is not the last one, with wrong rows unless
        skipped, or when it removes another number of gateways than was confirmed.
        """
        async with self._asking:
            meta = await self._idle(user, import_id)
            _check_confirmed(body, meta)
            parameters = {"import_id": import_id}
            return await self._begin(user, import_id, APPLY, meta["file_name"], parameters)

    async def _begin(
        self, user: CurrentUser, import_id: str, kind: str, title: str, parameters: Mapping[str, Any]
    ) -> Job:
        """Ask for the next job of an import; without a note of it there is none."""
        job = await self._jobs.ask(user, kind, title, parameters)
        try:
            await asyncio.to_thread(self._work(import_id).note, {"job_id": job.id})
        except CloudError:
            await self._jobs.delete(user, job.id)
            raise
        return job

    async def rows(
        self, user: CurrentUser, import_id: str, kind: str, sheet: str, page: int, limit: int
    ) -> Page[ImportRow]:
        """Rows that change something or are wrong, gateway by gateway."""
        await self._meta(user, import_id)
        work = self._work(import_id)
        rows, total = await asyncio.to_thread(work.results, kind, sheet, (page - 1) * limit, limit)
        return Page(rows=[import_row(each) for each in rows], total=total)

    async def errors(self, user: CurrentUser, import_id: str, language: Language) -> Iterator[bytes]:
        """The wrong rows as they stand in the file, with a column that says what is wrong: an .xlsx, part by
        part.
        """
        meta = await self._meta(user, import_id)
        await _turn(self._writing, "another file is being written")
        try:
            work = self._work(import_id)
            return _parts(await asyncio.to_thread(_write_errors, self._folder, work, meta, language))
        except OSError as error:
            raise _full_or(error) from error
        finally:
            self._writing.release()

    async def discard(self, user: CurrentUser, import_id: str) -> None:
        """Forget an import; what it has done stays."""
        await self._idle(user, import_id, is_over=True)
        await asyncio.to_thread(self._work(import_id).remove)

    async def clean(self) -> None:
        """Periodic: forget imports of a day ago."""
        async with self._reading:  # one that is being filled looks as if it had never been
            known = await self._known()
            busy = await self._busy(known)
            for each in known:
                if each.created_ms < self._clock() - KEEP_MS and each.path not in busy:
                    await asyncio.to_thread(Workfile(each.path).remove)

    def work_of(self, import_id: str) -> Workfile:
        """For the jobs of this domain; JobFailed when it has expired meanwhile."""
        work = self._work(import_id)
        if not work.path.is_file():
            raise JobFailed("import.gone")
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

    async def _check_removal(
        self, user: CurrentUser, body: PreviewImportBody, meta: Mapping[str, Any]
    ) -> None:
        if body.remove_devices is None:
            return
        has_devices = any(mapping.kind == "devices" for mapping in body.sheets)
        if body.mode != "replace" or not has_devices or meta.get("gateway_id") is not None:
            raise ParameterError(
                "remove_devices",
                "only of a replacing import with a sheet of devices",
                reason="import.removal",
            )
        await self._removals.check(user, body.remove_devices)

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

    async def _free_space(self, user: CurrentUser) -> None:
        known = await self._known()
        for path in going(user, known, await self._busy(known)):
            await asyncio.to_thread(Workfile(path).remove)

    async def _known(self) -> list[Known]:
        return await asyncio.to_thread(known_in, self._folder)

    async def _busy(self, known: Sequence[Known]) -> set[Path]:
        """Work files that a job needs, or waits for its turn with."""
        running = await self._jobs.generating([each.job_id for each in known if each.job_id is not None])
        return {each.path for each in known if each.job_id in running}


async def _turn(lock: asyncio.Lock, message: str) -> None:
    try:
        async with asyncio.timeout(WAIT_S):
            await lock.acquire()
    except TimeoutError:
        raise Busy(message, reason="import.busy") from None


def _full_or(error: OSError) -> Exception:
    return disk_full() if error.errno in (errno.ENOSPC, errno.EDQUOT) else error


def _check_confirmed(body: ApplyImportBody, meta: Mapping[str, Any]) -> None:
    """A wrong row may be that of a gateway that would go."""
    preview = meta.get("preview")
    if preview is None:
        raise Conflict(
            "there is no preview yet", field="import_id", rule="previewed", reason="import.no_preview"
        )
    if body.preview != preview["id"]:
        raise Conflict(
            "there is a newer preview", field="preview", rule="the last one", reason="import.other_preview"
        )
    wrong = sum(counts["wrong"] for counts in preview["counts"].values())
    removed = int(preview.get("removed_devices", 0))
    if wrong and not body.skip_wrong:
        raise Conflict(
            f"{wrong} rows are wrong",
            field="skip_wrong",
            rule="true, or a file without wrong rows",
            reason="import.wrong_rows",
            arguments={"rows": wrong},
        )
    if removed and wrong:
        raise Conflict(
            "nothing is removed while rows are wrong",
            field="skip_wrong",
            rule="no wrong rows when gateways are removed",
            reason="import.removal_with_wrong_rows",
        )
    if body.remove_devices != removed:
        raise Conflict(
            f"the preview removes {removed} gateways",
            field="remove_devices",
            rule="the number of gateways that the preview removes",
            reason="import.removal_unconfirmed",
            arguments={"count": removed},
        )


def _padded(fields: list[str | None], length: int) -> list[str | None]:
    return [*fields, *[None] * (length - len(fields))]


def _write_errors(folder: Path, work: Workfile, meta: Mapping[str, Any], language: Language) -> IO[bytes]:
    """A file without a name, so that nothing of it stays. It may be larger than memory should hold."""
    results, _ = work.results("wrong", "", 0, MAX_ERRORS)
    file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 -- the answer closes it
    try:
        errors_workbook(file, work, meta["sheets"], results, language)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


def _parts(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while part := file.read(PART_BYTES):
            yield part
