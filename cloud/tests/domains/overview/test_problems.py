"""Problems of the landing page: what counts as one, since when, in which order."""

from __future__ import annotations

from typing import Any

from cloud.domains.configuration.models import Deployment
from cloud.domains.inventory.models import Device, SlaveDevice
from cloud.domains.overview import problems
from cloud.domains.overview.repository import Silent
from cloud.domains.overview.schemas import ActiveProblem, ProblemKind, Severity


def test_a_deployment_is_a_problem_since_it_ended_or_else_since_it_was_made() -> None:
    gateway = Device(id=1, gateway_id="gw-1", title="One")

    def since(kind: ProblemKind, state: str, finished_ms: int | None) -> tuple[str, int | None, str]:
        row = Deployment(state=state, created_ms=100, finished_ms=finished_ms)
        found = problems.deployment(row, gateway, kind)
        return found.severity, found.since_ms, found.code

    assert since("deployment_failed", "reverted", 250) == ("warning", 250, "reverted")
    assert since("deployment_on_trial", "switched", None) == ("info", 100, "switched")


def test_silent_slaves_are_one_problem_where_none_of_several_answers() -> None:
    gateways = [Device(id=n, gateway_id=f"gw-{n}", title="m", open_alarms=4) for n in range(1, 4)]

    def silent(device: Device, name: str, **known: Any) -> Silent:
        return Silent(SlaveDevice(name=name, title=name, reason="no_answer", since_ms=10, **known), device)

    rows = [
        silent(gateways[0], "a", last_good_ms=7), silent(gateways[0], "b"),
        silent(gateways[1], "c"), silent(gateways[1], "d"), silent(gateways[2], "e"),
    ]  # fmt: skip
    counts = {1: (3, 2, 1), 2: (2, 2, 0), 3: (1, 1, 0)}
    found = problems.silences(rows, counts, with_alarms=True)
    assert [(one.kind, one.severity, one.slave, one.count, one.since_ms, one.alarms) for one in found] == [
        ("slave_silent", "warning", "a", 1, 7, 0),
        ("slave_silent", "warning", "b", 1, 10, 0),
        ("no_slave_answers", "danger", "c", 2, 10, 4),
        ("slave_silent", "danger", "e", 1, 10, 0),
    ]
    unseen = problems.silences(rows, counts, with_alarms=False)
    assert [one.alarms for one in unseen] == [0] * 4
    nobody_counted = problems.silences(rows[:1], {}, with_alarms=True)
    assert [(one.kind, one.severity) for one in nobody_counted] == [("slave_silent", "danger")]


def test_equal_problems_come_newest_first_and_what_has_no_time_last() -> None:
    def one(severity: Severity, since_ms: int | None, device_id: int = 1) -> ActiveProblem:
        return ActiveProblem(
            kind="draft_waiting", severity=severity, since_ms=since_ms,
            device_id=device_id, device_title="", gateway_id="",
        )  # fmt: skip

    wanted = [
        one("danger", 5), one("danger", None), one("warning", 9), one("warning", 5, 1), one("warning", 5, 2),
        one("info", 99), one("info", None),
    ]  # fmt: skip
    assert problems.ranked(reversed(wanted)) == wanted


def test_reads_that_nobody_brought_are_a_notice_of_their_gateway() -> None:
    gateway = Device(id=3, gateway_id="gw-3", title="Three")
    found = problems.missing(gateway, 12, 98.5)
    assert (found.kind, found.severity, found.since_ms) == ("reads_missing", "info", None)
    assert (found.count, found.percent, found.device_id, found.gateway_id) == (12, 98.5, 3, "gw-3")
    assert (found.device_title, found.alarms, found.hours_left) == (gateway.display_title, 0, None)
