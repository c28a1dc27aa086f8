"""What the linkages of an alarm did: its runs, their commands, and what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.alarms.life_cycle import Change
from cloud.domains.alarms.rule_alarms import RECOVERED
from cloud.domains.alarms.schemas import AlarmDetail
from cloud.domains.alarms.service import AlarmService
from cloud.domains.commands.schemas import CommandStatus, Write
from cloud.domains.commands.service import CommandService
from cloud.domains.devices.rows import value_facts
from cloud.domains.devices.schemas import ValueFacts
from cloud.domains.identity.schemas import CurrentUser
from cloud.domains.triggers.linkage_schemas import AlarmLinkage, LinkageState, LinkageWriteRow, WriteState
from cloud.domains.triggers.models import LinkageRun
from cloud.domains.triggers.repository import PointPlace, TriggerRepository
from cloud.domains.triggers.schemas import MAX_LINKAGES, LinkageBody
from edge_contract.alarms.linkage_limit import LINKAGE_LIMITED
from edge_contract.payloads import Outcome

MAX_RUNS = 2 * MAX_LINKAGES
"""Of one alarm: those of its beginning and those of its end."""

EXPIRED = "expired"
"""Code of a linkage of a gateway that was not begun in time."""

MAX_WRITES = 100
"""Named of one linkage."""

OUTCOMES: Mapping[str, WriteState] = {
    "": WriteState.WAITING,
    Outcome.DONE: WriteState.DONE,
    Outcome.FAILED: WriteState.FAILED,
    Outcome.UNKNOWN: WriteState.UNKNOWN,
    Outcome.RESOLVED_WRITTEN: WriteState.DONE,
    Outcome.RESOLVED_OTHER: WriteState.FAILED,
}


@dataclass
class _Linkage:
    """One of an alarm, with its run as far as there is one. trigger: what its trigger was called then."""

    on: str
    preset_id: int
    at_ms: int
    state: LinkageState
    trigger: str = ""
    run: LinkageRun | None = None
    planned: Sequence[Write] = field(default_factory=list)


class LinkageResults:
    """Seen by who sees the alarm; of the writes those to gateways that he sees."""

    def __init__(self, database: Database, alarms: AlarmService, commands: CommandService) -> None:
        self._database = database
        self._alarms = alarms
        self._commands = commands

    async def of_alarm(self, user: CurrentUser, event_id: int) -> list[AlarmLinkage]:
        """Those of its beginning first, in the rule's order. Raises NotFound."""
        detail = await self._alarms.detail(user, event_id)
        linkages = await self._linkages(detail)
        presets = {each.preset_id for each in linkages}
        titles = {each.id: each.title for each in await self._commands.presets.named(user.scope, presets)}
        ids = {each.run.command_id for each in linkages if each.run is not None and each.run.command_id}
        everybodys = await self._commands.batches(Scope.system(), ids)
        for each in linkages:
            if each.run is None or each.run.command_id is None:
                unchanged = await self._commands.presets.unchanged([each.preset_id], each.at_ms)
                each.planned = unchanged.get(each.preset_id, [])
        made = [row for rows in everybodys.values() for row in rows]
        points = await self._points(
            user.scope,
            {row.dsid for row in made if row.dsid is not None}
            | {write.dsid for each in linkages for write in each.planned},
        )
        return [
            _row(each, titles.get(each.preset_id, ""), _writes(each, everybodys, points)) for each in linkages
        ]

    async def _points(self, scope: Scope, dsids: Iterable[int]) -> dict[int, PointPlace]:
        async with self._database.reading() as session:
            return await TriggerRepository(session, scope).points(set(dsids))

    async def _linkages(self, detail: AlarmDetail) -> list[_Linkage]:
        """What the rule had when it raised the alarm, then runs of others; also of a rule that is gone."""
        alarm = detail.alarm
        if alarm.rule_id is None:
            return []
        reason = alarm.reason or {}
        times = {"raised": alarm.at}
        is_over = any(row.what is Change.CLEARED and row.note == RECOVERED for row in detail.changes)
        if is_over and alarm.recovered_ms is not None:
            times["cleared"] = alarm.recovered_ms
        linkages: list[_Linkage] = []
        async with self._database.reading() as session:
            repository = TriggerRepository(session, Scope.system())
            runs = await repository.runs_of_alarm(alarm.rule_id, alarm.at, MAX_RUNS)
            are_left_out = {
                on: await repository.rested(alarm.rule_id, int(reason.get("version", 0)), at_ms)
                for on, at_ms in times.items()
            }
        planned = [LinkageBody.model_validate(each) for each in reason.get("linkage", [])]
        for each in sorted(planned, key=lambda one: one.on != "raised"):
            run = next((run for run in runs if (run.kind, run.preset_id) == (each.on, each.preset_id)), None)
            if run is not None:
                runs.remove(run)
                linkages.append(_of_run(run))
            elif each.on in times:
                state = LinkageState.LEFT_OUT if are_left_out[each.on] else LinkageState.UNREPORTED
                trigger = str(reason.get("trigger", ""))
                linkages.append(_Linkage(each.on, each.preset_id, times[each.on], state, trigger))
        return linkages + [_of_run(run) for run in runs]


def _of_run(run: LinkageRun) -> _Linkage:
    state = LinkageState.DONE
    if run.is_due:
        state = LinkageState.WAITING
    elif run.command_id is None and run.problem and not _is_vague(run):
        state = LinkageState.REFUSED
    return _Linkage(run.kind, run.preset_id, run.at_ms, state, run.trigger_title, run)


def _is_vague(run: LinkageRun) -> bool:
    """Did an older agent say that not all was written, and not what?"""
    return run.at_gateway and run.command_id is None and run.problem not in ("", EXPIRED)


def _writes(
    linkage: _Linkage, batches: Mapping[str, Sequence[CommandStatus]], points: Mapping[int, PointPlace]
) -> list[LinkageWriteRow | None]:
    """None for one that the user does not see."""
    run = linkage.run
    if run is not None and run.command_id is not None:
        return [_made(row, points) for row in batches.get(run.command_id, ())]
    state = WriteState.UNKNOWN if run is not None and _is_vague(run) else WriteState.DONE
    if linkage.state is not LinkageState.DONE:
        state = WriteState(linkage.state.value)
    code = LINKAGE_LIMITED if linkage.state is LinkageState.LEFT_OUT else run.problem if run else ""
    return [_planned(write, state, code, points.get(write.dsid)) for write in linkage.planned]


def _made(row: CommandStatus, points: Mapping[int, PointPlace]) -> LinkageWriteRow | None:
    place = None if row.dsid is None else points.get(row.dsid)
    if place is None:
        return None
    return LinkageWriteRow(
        **_named(place),
        value=row.value,
        result_value=row.result_value,
        state=OUTCOMES[row.outcome],
        code=row.code,
        at_ms=row.finished_ms or row.created_ms,
        command_id=row.id,
    )


def _planned(write: Write, state: WriteState, code: str, place: PointPlace | None) -> LinkageWriteRow | None:
    if place is None:
        return None
    return LinkageWriteRow(
        **_named(place),
        value=write.value,
        result_value=None,
        state=state,
        code=code,
        at_ms=None,
        command_id=None,
    )


def _named(place: PointPlace) -> dict[str, Any]:
    device, slave, point = place
    return {
        "dsid": point.id,
        "device_id": device.id,
        "device_title": device.display_title,
        "slave_title": slave.title,
        "ds_title": point.title,
        "point": ValueFacts(**value_facts(point)),
    }


def _row(linkage: _Linkage, title: str, writes: Sequence[LinkageWriteRow | None]) -> AlarmLinkage:
    visible = [write for write in writes if write is not None]
    run = linkage.run
    problem = LINKAGE_LIMITED if linkage.state is LinkageState.LEFT_OUT else run.problem if run else ""
    return AlarmLinkage.model_validate(
        {
            "on": linkage.on,
            "trigger": linkage.trigger,
            "preset_id": linkage.preset_id,
            "preset_title": title,
            "at_ms": linkage.at_ms,
            "at_gateway": run is not None and run.at_gateway,
            "state": linkage.state,
            "problem": problem,
            "writes": visible[:MAX_WRITES],
            "more": len(visible[MAX_WRITES:]),
            "hidden": len(writes) - len(visible),
        }
    )
