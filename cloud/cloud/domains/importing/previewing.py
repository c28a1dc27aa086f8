"""The job that compares a file with what there is, some gateways at a time.

300 characters of a value are shown.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from cloud.db import Database
from cloud.domains.configuration.document import points_of, read
from cloud.domains.devices.forms import values_of
from cloud.domains.devices.registry import Registry
from cloud.domains.devices.setting_models import PointSetting
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.difference import difference
from cloud.domains.importing.names import Names
from cloud.domains.importing.outcome import Current, Given, ImportOutcome, Mode
from cloud.domains.importing.parsing import given_of, sorted_rows
from cloud.domains.importing.refusals import ONLY_IN_DATABASE, refusal
from cloud.domains.importing.removal import Going, Removals
from cloud.domains.importing.repository import ImportRepository, Stored
from cloud.domains.importing.schemas import ImportCounts, PreviewImportBody
from cloud.domains.importing.template_column import known_templates, with_templates
from cloud.domains.importing.workfile import Plan, Result, Workfile
from cloud.domains.jobs.run import JobFailed, Run
from cloud.domains.points.settings import NAMES
from cloud.domains.sheets.changes import CellChange, Fault, RowChange
from cloud.domains.sheets.columns import TEMPLATE
from edge_contract.deployment import document_hash
from edge_contract.document.masking import MASK, is_secret

AT_ONCE = 20
"""Gateways that are compared in one turn of a thread."""

MAX_TEMPLATE_ROWS = 200_000
"""Rows of the drafts that one import applies templates to: a line of its file may stand for thousands."""

MAX_VALUE_TEXT = 300
"""Characters of a value in a preview: a page of rows has a bounded size."""


class Previewer:
    """work_of: the work file of an import."""

    def __init__(self, database: Database, work_of: Callable[[str], Workfile], removals: Removals) -> None:
        self._database = database
        self._work_of = work_of
        self._removals = removals

    async def run(self, run: Run) -> Mapping[str, Any]:
        """A job's handler; the summary is an ImportPreview.

        Raises JobFailed when templates give more rows than one import may have.
        """
        wanted = {name: run.parameters.get(name) for name in ("sheets", "mode", "remove_devices")}
        body = PreviewImportBody.model_validate(wanted)
        work = self._work_of(run.parameters["import_id"])
        await asyncio.to_thread(work.forget_results)
        only = (await asyncio.to_thread(work.meta)).get("gateway_id")
        found = await asyncio.to_thread(sorted_rows, work, body.sheets, only)
        await asyncio.to_thread(work.put_results, found.lost, ())
        names = sorted(found.places)
        async with self._database.reading() as session:
            templates = await known_templates(session, run.user)
            names_known = await ImportRepository(session, run.user.scope).names()
            free = await Registry(session, run.user).free_places()
        names_known = names_known.also(TEMPLATE, templates.named)
        unchanged = gateways = new = template_rows = 0
        for at in range(0, len(names), AT_ONCE):
            some = names[at : at + AT_ONCE]
            places = {name: found.places[name] for name in some}
            given = await asyncio.to_thread(_given_rows, work, body, places, names_known)
            stored = await self._current(run.user, some)
            async with self._database.reading() as session:
                stored = await with_templates(session, run.user, templates, given, stored)
            template_rows += sum(
                current.templated.rows() for _, current in stored.values() if current.templated is not None
            )
            if template_rows > MAX_TEMPLATE_ROWS:
                raise JobFailed("import.too_many_laid", str(MAX_TEMPLATE_ROWS))
            compared = await asyncio.to_thread(_compared, given, stored)
            for name, one in compared.items():
                if (refused := await self._refused(run.user, name, one)) is not None:
                    compared[name] = await asyncio.to_thread(_again, one, given[name], refused)
            free = await asyncio.to_thread(_within_limit, compared, given, free)
            done = await asyncio.to_thread(_noted, work, compared, names_known)
            unchanged += done[0]
            gateways += done[1]
            new += done[2]
            await run.progress(at + len(some), len(names))
        going = await self._going(run.user, body, work, names)
        counts = await asyncio.to_thread(work.counts)
        by_template = await asyncio.to_thread(lambda: work.counts(by_template=True))
        kinds = [mapping.kind for mapping in body.sheets if mapping.kind]
        preview: dict[str, Any] = {
            "mode": body.mode,
            "counts": {kind: ImportCounts(**counts.get(kind, {})).model_dump() for kind in {*kinds, *counts}},
            "by_template": {kind: ImportCounts(**each).model_dump() for kind, each in by_template.items()},
            "unchanged": unchanged,
            "gateways": gateways,
            "new_devices": new,
            "removed_devices": len(going),
        }
        preview["id"] = preview_id(preview, body.model_dump(), run.job_id)
        await asyncio.to_thread(work.note, {"preview": preview, "going": going})
        return preview

    async def _going(
        self, user: CurrentUser, body: PreviewImportBody, work: Workfile, names: Sequence[str]
    ) -> list[Going]:
        if body.remove_devices is None:
            return []
        going = await self._removals.missing(user, body.remove_devices, set(names))
        await asyncio.to_thread(work.put_results, [each.result() for each in going], ())
        return going

    async def _refused(
        self, user: CurrentUser, name: str, one: ComparedGateway
    ) -> Mapping[str, Fault] | None:
        """What only the database says of a gateway's own fields: the same that the apply would be told."""
        if not ONLY_IN_DATABASE & one.outcome.fields.keys():
            return None
        device = None if one.stored is None else one.stored.device
        async with self._database.reading() as session:
            found = await refusal(session, user, name, device, one.outcome.fields)
        return None if found is None else dict((found,))

    async def _current(
        self, user: CurrentUser, names: Sequence[str]
    ) -> dict[str, tuple[Stored | None, Current]]:
        """Documents are still text: reading them is work for the thread."""
        async with self._database.reading() as session:
            repository = ImportRepository(session, user.scope)
            stored = await repository.stored(names)
            claimed = await repository.claimed([name for name in names if name not in stored])
            numbers = [each.device.id for each in stored.values()]
            writable = await repository.writable(numbers)
            settings = await repository.settings(numbers)
        gateways: dict[str, tuple[Stored | None, Current]] = {}
        for name in names:
            each = stored.get(name)
            if each is None:
                gateways[name] = (None, Current(claimed=name in claimed))
                continue
            current = Current(
                fields=values_of(each.device),
                writes=each.device.id in writable,
                settings={(row.slave, row.name): _given(row) for row in settings[each.device.id]},
            )
            gateways[name] = (each, current)
        return gateways


def preview_id(preview: Mapping[str, Any], wanted: Mapping[str, Any], job_id: int) -> str:
    """What names a preview: what it found, of which columns, by which job."""
    said = json.dumps([preview, wanted, job_id], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _given(row: PointSetting) -> dict[str, Any]:
    return {name: getattr(row, name) for name in NAMES}


class ComparedGateway(NamedTuple):
    """A gateway of the file against the one that is there."""

    stored: Stored | None
    current: Current
    outcome: ImportOutcome


def _compared(
    given: Mapping[str, Given], stored: Mapping[str, tuple[Stored | None, Current]]
) -> dict[str, ComparedGateway]:
    gateways: dict[str, ComparedGateway] = {}
    for name, rows in given.items():
        each, current = stored[name]
        if each is not None and each.text is not None and current.document is None:
            current = dataclasses.replace(current, document=read(each.text))
        gateways[name] = ComparedGateway(each, current, difference(rows, current))
    return gateways


def _within_limit(
    compared: dict[str, ComparedGateway], given: Mapping[str, Given], free: int | None
) -> int | None:
    """New gateways beyond a limit are wrong, by their rows. free: places that are left; None for no limit."""
    for name, one in compared.items():
        if free is None or one.stored is not None or not one.outcome.changes:
            continue
        if free <= 0:
            compared[name] = _again(one, given[name], {"gateway_id": Fault("limit_devices")})
        free -= 1
    return free


def _again(one: ComparedGateway, given: Given, refused: Mapping[str, Fault]) -> ComparedGateway:
    both = {**one.current.refused, **refused}
    return one._replace(outcome=difference(given, dataclasses.replace(one.current, refused=both)))


def _noted(work: Workfile, compared: Mapping[str, ComparedGateway], names: Names) -> tuple[int, int, int]:
    """Unchanged rows, gateways that change, and those of them that are new."""
    results = [_result(name, row, names) for name, one in compared.items() for row in one.outcome.rows]
    plans = [
        _plan(name, one.stored, one.current, one.outcome)
        for name, one in compared.items()
        if one.outcome.changes
    ]
    work.put_results(results, plans)
    unchanged = sum(one.outcome.unchanged for one in compared.values())
    return unchanged, len(plans), sum(plan.device_id is None for plan in plans)


def _given_rows(
    work: Workfile, body: PreviewImportBody, places: Mapping[str, list[tuple[int, int]]], names: Names
) -> dict[str, Given]:
    mode: Mode = body.mode
    return {name: given_of(name, mode, body.sheets, work.rows(rows), names) for name, rows in places.items()}


def _plan(name: str, stored: Stored | None, current: Current, outcome: ImportOutcome) -> Plan:
    before = current.fields or {}
    return Plan(
        gateway=name,
        device_id=None if stored is None else stored.device.id,
        base=None if stored is None else stored.newest,
        content=outcome.content if outcome.document is not None else None,
        hash=document_hash(outcome.document) if outcome.document is not None else "",
        points=points_of(outcome.document or {}),
        fields=outcome.fields,
        was={field: before.get(field) for field in outcome.fields},
        settings=[(key[0], key[1], fields) for key, fields in outcome.settings.items()],
        links=outcome.links,
        links_were=current.links,
    )


def _result(gateway: str, row: RowChange, names: Names) -> Result:
    cells = [_cell(cell, names) for cell in row.cells]
    key = [_cut(part) for part in row.key]
    return Result(row.kind, row.sheet, row.number, gateway, key, cells, row.by_template)


def _cut(value: Any) -> Any:
    """As much of a value as a preview shows."""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
    return f"{text[:MAX_VALUE_TEXT]}…" if isinstance(text, str) and len(text) > MAX_VALUE_TEXT else value


def _cell(cell: CellChange, names: Names) -> list[Any]:
    """A secret is shown to nobody; that it changes is told."""
    before, after = cell.before, cell.after
    if is_secret(cell.field.rpartition(".")[2]):
        before, after = (None if value is None else MASK for value in (before, after))
    before, after = (names.with_names({cell.field: value})[cell.field] for value in (before, after))
    before, after = _cut(before), _cut(after)
    code, arguments = ("", {}) if cell.fault is None else (cell.fault.code, dict(cell.fault.arguments))
    return [cell.field, before, after, code, arguments]
