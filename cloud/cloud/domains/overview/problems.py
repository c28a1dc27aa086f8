"""Active problems out of what was found, with their cause folded in. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cloud.domains.alarms.codes import Level
from cloud.domains.alarms.schemas import AlarmRow
from cloud.domains.configuration.models import ConfigurationStateRow, Deployment
from cloud.domains.devices import states
from cloud.domains.inventory.models import Device
from cloud.domains.overview.repository import Silent
from cloud.domains.overview.schemas import ActiveProblem, ProblemKind, Severity

RANK: Mapping[Severity, int] = {"danger": 0, "warning": 1, "info": 2}

_OF_ALARM: Mapping[Level, Severity] = {Level.DANGER: "danger", Level.UNKNOWN: "danger", Level.INFO: "info"}
OF_CODE: Mapping[str, ProblemKind] = {
    "clock_not_set": "clock_not_set",
    "samples_dropped": "samples_dropped",
    "store_full": "store_full",
    "store_filling": "store_filling",
}


def ranked(problems: Iterable[ActiveProblem]) -> list[ActiveProblem]:
    """The worst first, of equal ones the newest; what has no time last."""
    return sorted(problems, key=lambda one: (RANK[one.severity], -(one.since_ms or 0), one.device_id))


def offline(device: Device, slaves: int, now_ms: int, *, with_alarms: bool) -> ActiveProblem:
    """A gateway that is away; it hides its slaves and their alarms."""
    link = states.LinkLayer(device.online, device.since_ms, device.reason, device.refused_ms)
    told = states.presence(link, states.BusLayer(), states.ValueLayer(), now_ms)
    alarms = device.open_alarms if with_alarms else 0
    return ActiveProblem(
        kind="gateway_offline", severity="danger", since_ms=device.since_ms, code=told.code, count=slaves,
        alarms=alarms, **of(device),
    )  # fmt: skip


def silences(
    silent: Sequence[Silent], counts: Mapping[int, tuple[int, int, int]], *, with_alarms: bool
) -> list[ActiveProblem]:
    """Silent slaves one by one, but one problem for a gateway of which no slave answers."""
    problems: list[ActiveProblem] = []
    mute: set[int] = set()
    for one in silent:
        slave, device = one.slave, one.device
        _, silent_slaves, answering = counts.get(device.id, (0, 0, 0))
        if device.id in mute:
            continue
        common: dict[str, Any] = {
            "since_ms": slave.last_good_ms or slave.since_ms,
            "slave": slave.name,
            "slave_title": slave.title,
            "code": slave.reason,
            **of(device),
        }
        if answering == 0 and silent_slaves > 1:
            mute.add(device.id)
            alarms = device.open_alarms if with_alarms else 0
            problems.append(
                ActiveProblem(
                    kind="no_slave_answers", severity="danger", count=silent_slaves, alarms=alarms, **common
                )
            )
        else:
            severity: Severity = "warning" if answering else "danger"
            problems.append(ActiveProblem(kind="slave_silent", severity=severity, count=1, **common))
    return problems


def alarm(row: AlarmRow) -> ActiveProblem:
    """An open alarm that no absence explains."""
    return ActiveProblem(
        kind="alarm_open", severity=_OF_ALARM.get(row.shown, "warning"), since_ms=row.since_ms or row.at,
        device_id=row.device_id, device_title=row.device_title, gateway_id=row.gateway_id,
        slave=row.slave, slave_title=row.slave_title, code=row.cause, alarm=row,
    )  # fmt: skip


def losing(device: Device, now_ms: int) -> ActiveProblem | None:
    """What keeps values of a connected gateway from arriving; None when it is well by now."""
    value = states.ValueLayer(
        device.clock_set, device.hours_left, device.backlog_batches, device.dropped_samples,
        device.dropped_ms, device.evicted_batches, device.evicted_ms,
    )  # fmt: skip
    told = states.presence(states.LinkLayer(True, None, ""), states.BusLayer(), value, now_ms)
    kind = OF_CODE.get(told.code)
    if kind is None:
        return None
    count, left = told.arguments.get("count"), told.arguments.get("hours_left")
    return ActiveProblem(
        kind=kind, severity="warning", since_ms=told.since_ms,
        count=count if isinstance(count, int) else 0,
        hours_left=left if isinstance(left, float) else None, **of(device),
    )  # fmt: skip


def deployment(row: Deployment, device: Device, kind: ProblemKind) -> ActiveProblem:
    """A deployment that failed, or that its gateway tries."""
    severity: Severity = "warning" if kind == "deployment_failed" else "info"
    since_ms = row.finished_ms or row.created_ms
    return ActiveProblem(kind=kind, severity=severity, since_ms=since_ms, code=row.state, **of(device))


def draft(row: ConfigurationStateRow, device: Device) -> ActiveProblem:
    return ActiveProblem(kind="draft_waiting", severity="info", since_ms=row.draft_ms, **of(device))


def missing(device: Device, count: int, percent: float | None) -> ActiveProblem:
    """Expected reads of the last 24 h that nobody brought."""
    return ActiveProblem(
        kind="reads_missing", severity="info", since_ms=None, count=count, percent=percent, **of(device)
    )


def of(device: Device) -> dict[str, Any]:
    return {"device_id": device.id, "device_title": device.display_title, "gateway_id": device.gateway_id}
