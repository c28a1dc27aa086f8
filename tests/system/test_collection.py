"""A silent plant, a frozen and a killed agent, and a lost link: each is reported as what it was."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest
from mosquitto import Mosquitto
from stack import Stack

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]

SILENT_S, FROZEN_S, KILLED_S, UNLINKED_S = 40, 30, 20, 30
BETWEEN_S = 12
PERIOD_S = 0.2  # of every point of the scenario
KILL_LOSES_S = 7
"""The growing record is written every 5 s, and a busy machine takes its time."""
PROBE_S = 35
"""A slave that was silent for 40 s is asked at growing intervals: so late it may be seen again."""
STARTS_S = 10
REPORTED_S = 120.0


def during(seconds: float, begin: Callable[[], object], end: Callable[[], object]) -> tuple[float, float]:
    """When it began and ended."""
    begin()
    begun = time.time()
    time.sleep(seconds)
    ended = time.time()
    end()
    time.sleep(BETWEEN_S)
    return begun, ended


def collected(stack: Stack, start: float, end: float) -> dict[str, Any]:
    query = f"from_ms={int(start * 1000)}&to_ms={int(end * 1000)}"
    report: dict[str, Any] = stack.api.get(f"/device/1/collection?{query}")
    return report


def reported(stack: Stack, start: float, upto: float) -> dict[str, Any]:
    """The collection once the records cover the time up to a moment, so that nothing of it is unknown."""
    deadline = time.monotonic() + REPORTED_S
    while True:
        report = collected(stack, start, time.time())
        gaps = [gap for gap in report["gaps"] if gap["reason"] == "not_reported"]
        newest = max((gap["to_ms"] for gap in report["gaps"]), default=0)
        expected = report["collection"]["expected"]
        if not gaps and newest and expected >= 0.9 * reads_of(report, upto - start):
            return report
        assert time.monotonic() < deadline, report
        time.sleep(2)


def recovered(stack: Stack, query: str) -> dict[str, Any]:
    """Transport, once nothing is missing or the time is over: back-fill is paced."""
    deadline = time.monotonic() + REPORTED_S
    while True:
        report: dict[str, Any] = stack.api.get(f"/device/1/completeness?{query}")
        if report["missing"] == 0 or time.monotonic() > deadline:
            return report
        time.sleep(2)


def reads_of(report: dict[str, Any], seconds: float) -> float:
    """Four points, five times a second."""
    return 4 * seconds / PERIOD_S


@pytest.mark.clause("C-130", "C-131", "C-132", "C-133")
def test_figures_and_reasons_are_right(counting_stack: Stack, mosquitto: Mosquitto) -> None:
    stack = counting_stack
    time.sleep(BETWEEN_S)
    start = time.time()
    plant, agent = stack.plant.pid, stack.agent.pid
    silent = during(SILENT_S, lambda: os.kill(plant, signal.SIGSTOP), lambda: os.kill(plant, signal.SIGCONT))
    time.sleep(PROBE_S)
    frozen = during(FROZEN_S, lambda: os.kill(agent, signal.SIGSTOP), lambda: os.kill(agent, signal.SIGCONT))
    killed = during(KILLED_S, stack.agent.kill, stack.start_agent)
    time.sleep(STARTS_S)
    unlinked = during(UNLINKED_S, mosquitto.kill, mosquitto.start)
    report = reported(stack, start, unlinked[1])

    def gap_of(reason: str) -> tuple[float, float]:
        """The longest of a reason, with its pieces that touch."""
        rows = sorted(
            (g["from_ms"] / 1000, g["to_ms"] / 1000) for g in report["gaps"] if g["reason"] == reason
        )
        assert rows, report["gaps"]
        joined = [rows[0]]
        for low, high in rows[1:]:
            if low <= joined[-1][1] + PERIOD_S:
                joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
            else:
                joined.append((low, high))
        return max(joined, key=lambda gap: gap[1] - gap[0])

    low, high = gap_of("no_answer")
    assert silent[0] - 2 <= low <= silent[0] + 3
    assert silent[1] - 2 <= high <= silent[1] + PROBE_S
    low, high = gap_of("frozen")
    assert frozen[0] - 2 <= low <= frozen[0] + 1
    assert frozen[1] - 1 <= high <= frozen[1] + 2
    low, high = gap_of("not_running")
    assert killed[0] - KILL_LOSES_S <= low <= killed[0] + 1
    assert killed[1] <= high <= killed[1] + STARTS_S
    during_outage = [
        gap for gap in report["gaps"]
        if gap["to_ms"] > unlinked[0] * 1000 and gap["from_ms"] < unlinked[1] * 1000
    ]  # fmt: skip
    assert [gap for gap in during_outage if gap["reason"] not in ("late", "no_answer")] == []
    assert sum(gap["missed"] for gap in during_outage) <= 0.05 * reads_of(report, UNLINKED_S)

    total = report["collection"]
    assert 0 < total["percent"] < 100
    assert total["expected"] == total["good"] + sum(total["reasons"].values())
    lost = reads_of(report, FROZEN_S)
    assert total["reasons"]["frozen"] == pytest.approx(lost, rel=0.1)
    query = f"from_ms={int(start * 1000)}&to_ms={int(time.time() * 1000)}"
    transport = recovered(stack, query)
    assert (transport["percent"], transport["missing"]) == (100.0, 0)
    assert transport["collection"]["percent"] < 100
