"""The job that compares a file with what there is, some gateways at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cloud.db import Database
from cloud.domains.deploy.difference import MASK, is_secret
from cloud.domains.deploy.document import points_of, read
from cloud.domains.devices.forms import values_of
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.importing.difference import difference
from cloud.domains.importing.outcome import CellChange, Current, Given, Mode, Outcome, RowChange
from cloud.domains.importing.parsing import given_of, sorted_rows
from cloud.domains.importing.repository import ImportRepository, Stored
from cloud.domains.importing.schemas import ImportCounts, PreviewBody
from cloud.domains.importing.workfile import Plan, Result, Workfile
from cloud.domains.jobs.run import Run
from cloud.domains.points.models import PointSetting
from cloud.domains.points.settings import NAMES
from edge_contract.deployment import document_hash

AT_ONCE = 20
"""Gateways that are compared in one turn of a thread."""


class Previewer:
    """work_of: the work file of an import."""

    def __init__(self, database: Database, work_of: Callable[[str], Workfile]) -> None:
        self._database = database
        self._work_of = work_of

    async def run(self, run: Run) -> Mapping[str, Any]:
        """A job's handler; the summary is an ImportPreview."""
        body = PreviewBody.model_validate({name: run.parameters[name] for name in ("sheets", "mode")})
        work = self._work_of(run.parameters["import_id"])
        await asyncio.to_thread(work.forget_results)
        found = await asyncio.to_thread(sorted_rows, work, body.sheets)
        await asyncio.to_thread(work.put_results, found.lost, ())
        names = sorted(found.places)
        unchanged = gateways = new = 0
        for at in range(0, len(names), AT_ONCE):
            some = names[at : at + AT_ONCE]
            stored = await self._current(run.user, some)
            places = {name: found.places[name] for name in some}
            done = await asyncio.to_thread(_compared, work, body, places, stored)
            unchanged += done[0]
            gateways += done[1]
            new += done[2]
            await run.progress(at + len(some), len(names))
        counts = await asyncio.to_thread(work.counts)
        kinds = [mapping.kind for mapping in body.sheets if mapping.kind]
        preview = {
            "mode": body.mode,
            "counts": {kind: ImportCounts(**counts.get(kind, {})).model_dump() for kind in {*kinds, *counts}},
            "unchanged": unchanged,
            "gateways": gateways,
            "new_devices": new,
        }
        await asyncio.to_thread(work.note, {"preview": preview})
        return preview

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
        found: dict[str, tuple[Stored | None, Current]] = {}
        for name in names:
            each = stored.get(name)
            if each is None:
                found[name] = (None, Current(claimed=name in claimed))
                continue
            current = Current(
                fields=values_of(each.device),
                writes=each.device.id in writable,
                settings={(row.slave, row.name): _given(row) for row in settings[each.device.id]},
            )
            found[name] = (each, current)
        return found


def _given(row: PointSetting) -> dict[str, Any]:
    return {name: getattr(row, name) for name in NAMES}


def _compared(
    work: Workfile,
    body: PreviewBody,
    places: Mapping[str, list[tuple[int, int]]],
    stored: Mapping[str, tuple[Stored | None, Current]],
) -> tuple[int, int, int]:
    """Unchanged rows, gateways that change, and those of them that are new."""
    results: list[Result] = []
    plans: list[Plan] = []
    unchanged = 0
    for name, rows in places.items():
        each, current = stored[name]
        if each is not None and each.text is not None:
            current = Current(
                current.fields, current.writes, current.claimed, read(each.text), current.settings
            )
        given = _given_rows(work, name, body, rows)
        outcome = difference(given, current)
        unchanged += outcome.unchanged
        results += [_result(name, row) for row in outcome.rows]
        if outcome.changes:
            plans.append(_plan(name, each, current, outcome))
    work.put_results(results, plans)
    return unchanged, len(plans), sum(plan.device_id is None for plan in plans)


def _given_rows(work: Workfile, name: str, body: PreviewBody, rows: list[tuple[int, int]]) -> Given:
    mode: Mode = body.mode
    return given_of(name, mode, body.sheets, work.rows(rows))


def _plan(name: str, stored: Stored | None, current: Current, outcome: Outcome) -> Plan:
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
    )


def _result(gateway: str, row: RowChange) -> Result:
    cells = [_cell(cell) for cell in row.cells]
    return Result(row.kind, row.sheet, row.number, gateway, list(row.key), cells)


def _cell(cell: CellChange) -> list[Any]:
    """A secret is shown to nobody; that it changes is told."""
    before, after = cell.before, cell.after
    if is_secret(cell.field.rpartition(".")[2]):
        before, after = (None if value is None else MASK for value in (before, after))
    code, arguments = ("", {}) if cell.fault is None else (cell.fault.code, dict(cell.fault.arguments))
    return [cell.field, before, after, code, arguments]
