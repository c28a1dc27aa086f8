"""Life of one upgrade, being worse than before, and windows: all of it pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from cloud.domains.firmware.evidence import latency_ms
from cloud.domains.firmware.gate import Evidence, worse
from cloud.domains.firmware.states import (
    ANSWER_MS,
    LATE_MS,
    TRIAL_MS,
    UpgradeChange,
    UpgradeState,
    after_report,
    overdue,
)
from cloud.domains.firmware.windows import utc_window
from edge_contract.upgrade import UpgradeStep, in_window

S, Step = UpgradeState, UpgradeStep


@pytest.mark.parametrize(
    ("now", "known", "step", "code", "fits", "watched", "change"),
    [
        (S.ORDERED, "", Step.DOWNLOADING, "", False, True, UpgradeChange(S.DOWNLOADING)),
        (S.ORDERED, "", Step.TRIAL, "", False, True, UpgradeChange(S.TRIAL)),  # what came between was lost
        (S.TRIAL, "", Step.DOWNLOADING, "", False, True, None),  # an older one came late
        (S.DOWNLOADING, "", Step.DOWNLOADING, "", False, True, None),
        (S.TRIAL, "", Step.CONFIRMED, "", True, True, UpgradeChange(S.WATCHING)),
        (S.TRIAL, "", Step.CONFIRMED, "", True, False, UpgradeChange(S.SUCCEEDED)),
        (S.ORDERED, "", Step.CONFIRMED, "unchanged", True, True, UpgradeChange(S.SUCCEEDED, "unchanged")),
        (S.TRIAL, "", Step.CONFIRMED, "", False, True, UpgradeChange(S.FAILED, "wrong_version")),
        (S.TRIAL, "", Step.ROLLED_BACK, "crash", False, True, UpgradeChange(S.FAILED, "crash")),
        (S.ORDERED, "", Step.REFUSED, "disk", False, True, UpgradeChange(S.FAILED, "disk")),
        (S.ORDERED, "", Step.REFUSED, "", False, True, UpgradeChange(S.FAILED, "refused")),
        (S.FAILED, "silent", Step.CONFIRMED, "", True, True, UpgradeChange(S.WATCHING)),
        (S.MISSED, "no_answer", Step.ROLLED_BACK, "hang", False, True, UpgradeChange(S.FAILED, "hang")),
        (S.FAILED, "silent", Step.TRIAL, "", False, True, None),
        (S.FAILED, "crash", Step.CONFIRMED, "", True, True, None),
        (S.SUCCEEDED, "", Step.ROLLED_BACK, "crash", False, True, None),
        (S.WATCHING, "", Step.CONFIRMED, "", True, True, None),
        (S.WAITING, "", Step.CONFIRMED, "", True, True, None),
        (S.MISSED, "offline", Step.CONFIRMED, "", True, True, None),
    ],
)
def test_what_a_report_changes(
    now: S, known: str, step: Step, code: str, fits: bool, watched: bool, change: UpgradeChange | None
) -> None:
    assert after_report(now, known, step, code, fits=fits, watched=watched) == change


T, END = 10_000_000, 20_000_000


@pytest.mark.parametrize(
    ("now", "at_ms", "connected_ms", "change"),
    [
        (S.ORDERED, T + ANSWER_MS, 0, None),
        (S.ORDERED, T + ANSWER_MS + 1, 0, UpgradeChange(S.FAILED, "no_answer")),
        (S.ORDERED, T + ANSWER_MS + 1, None, None),  # it is away, and may not have it
        (S.ORDERED, T + ANSWER_MS + 1, T + 1000, None),
        (S.ORDERED, END + LATE_MS + 1, None, UpgradeChange(S.MISSED, "no_answer")),
        (S.INSTALLED, END + LATE_MS, 0, None),
        (S.INSTALLED, END + LATE_MS + 1, 0, UpgradeChange(S.FAILED, "silent")),
        (S.TRIAL, T + 600_000 + TRIAL_MS, None, None),
        (S.TRIAL, T + 600_000 + TRIAL_MS + 1, None, UpgradeChange(S.FAILED, "silent")),
    ],
)
def test_what_is_assumed_of_silence(
    now: S, at_ms: int, connected_ms: int | None, change: UpgradeChange | None
) -> None:
    assert overdue(now, at_ms, T, END, 600, connected_ms) == change


MIB = 1024 * 1024
BEFORE = Evidence(
    t_ms=1, online=True, slaves=3, good=100, outages=0, backlog=5, latency_ms=100, memory_bytes=200 * MIB
)


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({}, []),
        ({"good": 90, "outages": 1, "latency_ms": 150.0, "backlog": 1005}, []),
        ({"slaves": 9, "good": 200, "latency_ms": None}, []),
        ({"online": False}, ["offline"]),
        ({"slaves": 2}, ["slaves"]),
        ({"good": 89}, ["points"]),
        ({"outages": 2}, ["outages"]),
        ({"backlog": 1006}, ["backlog"]),
        ({"latency_ms": 151.0}, ["latency"]),
        ({"memory_bytes": 300 * MIB}, []),
        ({"memory_bytes": 300 * MIB + 1}, ["memory"]),
        ({"memory_bytes": None}, []),
        ({"online": False, "good": 0}, ["offline", "points"]),
    ],
)
def test_in_what_a_gateway_is_worse(changes: dict[str, object], faults: list[str]) -> None:
    assert worse(BEFORE, replace(BEFORE, **changes)) == faults  # type: ignore[arg-type]


def test_evidence_of_another_release_is_read_as_far_as_it_is_known() -> None:
    assert Evidence.of_json(BEFORE.to_json() | {"temperature": 7}) == BEFORE
    assert Evidence.of_json({"t_ms": 1}) is None
    assert Evidence.of_json(None) is None


def test_latency_is_weighted_by_answers() -> None:
    slow, fast = {"requests": 2, "failures": 1, "mean_ms": 90}, {"requests": 9, "failures": 0, "mean_ms": 10}
    assert latency_ms([slow, None, fast]) == 18
    assert latency_ms([None, {"requests": 4, "failures": 4}]) is None


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("zone", "now", "begin", "end", "window"),
    [
        ("Asia/Shanghai", "2026-11-28T12:00", "01:00", "05:00", (17 * 60, 21 * 60)),
        ("Asia/Shanghai", "2026-11-28T12:00", "22:00", "02:00", (14 * 60, 18 * 60)),
        ("America/St_Johns", "2026-01-10T12:00", "23:30", "01:30", (3 * 60, 5 * 60)),
        ("Europe/Berlin", "2026-10-24T23:30", "02:00", "04:00", (0, 120)),  # clocks change in that night
        ("Europe/Berlin", "2026-10-25T00:30", "03:00", "05:00", (120, 240)),
        ("UTC", "2026-11-28T12:00", "23:00", "01:00", (23 * 60, 60)),
    ],
)
def test_windows_in_utc(zone: str, now: str, begin: str, end: str, window: tuple[int, int]) -> None:
    made = utc_window(begin, end, ZoneInfo(zone), at(now))
    assert made == window
    assert in_window(made, made[0] * 60_000)
    assert not in_window(made, made[1] * 60_000)
