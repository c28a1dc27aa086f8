"""Gateways with their ports, slaves and points as a workbook that an import takes back without a change."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from cloud.core.clock import NowMs, now_ms
from cloud.db import Database
from cloud.domains.configuration.document import read
from cloud.domains.configuration.general import fields_of
from cloud.domains.devices.filters import DeviceFilter
from cloud.domains.devices.forms import values_of
from cloud.domains.devices.setting_models import PointSetting
from cloud.domains.devices.states import FILTERS
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.names import Names
from cloud.domains.importing.outcome import Links
from cloud.domains.importing.repository import ImportRepository, Stored
from cloud.domains.importing.schemas import ExportBody
from cloud.domains.importing.sheets import extra_fields, gateways_workbook, rows_of_gateway, template_workbook
from cloud.domains.importing.template_column import known_templates
from cloud.domains.importing.workfile import packed, unpacked
from cloud.domains.inventory.models import Device
from cloud.domains.jobs.run import JobFailed, Run
from cloud.domains.jobs.schemas import Job
from cloud.domains.jobs.service import JobService
from cloud.domains.points.settings import NAMES
from cloud.domains.sheets.columns import SHEETS, TEMPLATE, Language, SheetKind
from cloud.domains.templates.batch import TemplateBatch
from cloud.errors import Busy, Conflict, ParameterError
from edge_contract.document.masking import masked

EXPORT = "device_export"
TITLES: Mapping[Language, str] = {"zh": "设备配置", "en": "Device configurations"}
"""Of the file, as the portal calls it."""

AT_ONCE = 50
MAX_DIRECT = 100
"""Gateways of a file that is made while the browser waits; more of them are a job."""

MAX_DIRECT_ROWS = 20_000
"""Of such a file; what is more is a job too."""

MAX_DEVICES = 10_000
MAX_ROWS = 100_000
WAIT_S = 8.0


class _Collected:
    """Rows of the sheets, packed: as objects they would take ten times as much memory."""

    def __init__(self) -> None:
        self.rows: dict[SheetKind, list[bytes]] = {kind: [] for kind in SHEETS}
        self.extra: dict[SheetKind, set[str]] = {kind: set() for kind in SHEETS}
        self.number = 0

    def take(
        self,
        some: Sequence[Stored],
        owned: set[int],
        settings: Mapping[int, list[PointSetting]],
        links: Mapping[int, Links],
        names: Names,
    ) -> None:
        for each in some:
            device: Device = each.device
            document = read(each.text) if each.text else {}
            if device.id not in owned:
                document = masked(document)
            used = links[device.id].get("")
            template = {TEMPLATE: None if used is None else used.template_id}
            fields = names.with_names(values_of(device) | fields_of(document) | template)
            given = {
                (row.slave, row.name): {name: getattr(row, name) for name in NAMES}
                for row in settings[device.id]
            }
            for kind, row in rows_of_gateway(device.gateway_id, fields, document, given):
                self.rows[kind].append(packed(row))
                self.extra[kind].update(extra_fields(kind, row))
                self.number += 1

    def write(self, file: BinaryIO, language: Language) -> None:
        rows = {kind: (unpacked(row) for row in collected) for kind, collected in self.rows.items()}
        gateways_workbook(file, rows, self.extra, language)


class ExportService:
    """jobs: for more gateways than a browser waits for."""

    def __init__(self, database: Database, jobs: JobService, *, clock: NowMs = now_ms) -> None:
        self._database = database
        self._jobs = jobs
        self._clock = clock
        self._writing = asyncio.Lock()

    async def template(self, user: CurrentUser, language: Language) -> bytes:
        """Empty sheets with their heads, and an explanation; the same for everybody."""
        return await asyncio.to_thread(_template, language)

    async def workbook(self, user: CurrentUser, body: ExportBody) -> bytes:
        """A small export; Conflict with more gateways or rows than one waits for.

        Raises Busy while another export is being written.
        """
        numbers = await self._numbers(user, body, MAX_DIRECT + 1)
        if len(numbers) > MAX_DIRECT:
            raise Conflict(
                f"more than {MAX_DIRECT} gateways are a job",
                field="limit",
                rule=f"at most {MAX_DIRECT} gateways",
                reason="export.too_many",
                arguments={"most": MAX_DIRECT},
            )
        try:
            async with asyncio.timeout(WAIT_S):
                await self._writing.acquire()
        except TimeoutError:
            raise Busy("another export is being written") from None
        try:
            collected = _Collected()
            for at in range(0, len(numbers), AT_ONCE):
                await self._collect(user, numbers[at : at + AT_ONCE], collected)
                if collected.number > MAX_DIRECT_ROWS:
                    raise Conflict(
                        f"more than {MAX_DIRECT_ROWS} rows are a job",
                        field="limit",
                        rule=f"at most {MAX_DIRECT_ROWS} rows",
                        reason="export.too_many",
                        arguments={"most": MAX_DIRECT_ROWS},
                    )
            return await asyncio.to_thread(_written, collected, body.language)
        finally:
            self._writing.release()

    async def ask(self, user: CurrentUser, body: ExportBody) -> Job:
        """The same as a job, for up to 10,000 gateways with 100,000 rows."""
        _check(body)
        return await self._jobs.ask(user, EXPORT, self._file_name(body.language), body.model_dump())

    async def run(self, run: Run) -> Mapping[str, Any]:
        """A job's handler; the summary counts rows of each sheet.

        Raises JobFailed with more gateways or rows than a file may have.
        """
        body = ExportBody.model_validate(dict(run.parameters))
        numbers = await self._numbers(run.user, body, MAX_DEVICES + 1)
        if len(numbers) > MAX_DEVICES:
            raise JobFailed("export.too_many", f"at most {MAX_DEVICES} gateways")
        collected = _Collected()
        for at in range(0, len(numbers), AT_ONCE):
            await self._collect(run.user, numbers[at : at + AT_ONCE], collected)
            await run.progress(at, len(numbers))
            if collected.number > MAX_ROWS:
                raise JobFailed("export.too_many", f"at most {MAX_ROWS} rows")
        await asyncio.to_thread(_write, collected, run.file(self._file_name(body.language)), body.language)
        await run.progress(len(numbers), len(numbers))
        return {kind: len(rows) for kind, rows in collected.rows.items()}

    def _file_name(self, language: Language) -> str:
        """With its day in UTC."""
        day = datetime.fromtimestamp(self._clock() / 1000, UTC).date()
        return f"{TITLES[language]} {day}.xlsx"

    async def _numbers(self, user: CurrentUser, body: ExportBody, max_count: int) -> list[int]:
        _check(body)
        wanted = DeviceFilter(**body.model_dump(exclude={"ids", "language"}))
        async with self._database.reading() as session:
            return await ImportRepository(session, user.scope).listed(wanted, body.ids, max_count)

    async def _collect(self, user: CurrentUser, numbers: Sequence[int], collected: _Collected) -> None:
        async with self._database.reading() as session:
            repository = ImportRepository(session, user.scope)
            some = await repository.numbered(numbers)
            owned = await repository.owned(numbers)
            settings = await repository.settings(numbers)
            names = await repository.names()
            templates = await known_templates(session, user)
            links = await TemplateBatch(session, user).links(numbers)
        names = names.also(TEMPLATE, templates.named)
        await asyncio.to_thread(collected.take, some, owned, settings, links, names)


def _check(body: ExportBody) -> None:
    if body.status and body.status not in FILTERS:
        raise ParameterError("status", f"one of {', '.join(FILTERS)}")


def _template(language: Language) -> bytes:
    file = io.BytesIO()
    template_workbook(file, language)
    return file.getvalue()


def _written(collected: _Collected, language: Language) -> bytes:
    file = io.BytesIO()
    collected.write(file, language)
    return file.getvalue()


def _write(collected: _Collected, path: Path, language: Language) -> None:
    with path.open("wb") as file:
        collected.write(file, language)
