"""A truck: silence is reported of every type and mode, and what is not stored is live."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from stack import Ports, Stack

pytestmark = [pytest.mark.system, pytest.mark.timeout(240)]

PATIENCE_S = 60.0
OFFLINE = 5
LIVE_ONLY = {"place_scaled", "level_live", "reads", "engine_live", "model_live"}


@pytest.fixture(scope="module")
def truck(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    made = Stack(tmp_path_factory.mktemp("stack"), Ports.free(), scenario="truck")
    with made.running():
        made.api.login(*made.sign_in())
        yield made


def last(truck: Stack) -> dict[str, dict[str, Any]]:
    """Last values by the names of their points."""
    names = {row["dsid"]: row["ds_name"] for row in truck.api.get("/device/dss?device_id=1")["rows"]}
    return {names[row["dsid"]]: row for row in truck.api.get("/device/lastdps?device_id=1")["rows"]}


def until(done: Callable[[], bool], what: str) -> float:
    """Seconds until it is so."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE_S:
        if done():
            return time.monotonic() - begun
        time.sleep(0.2)
    raise AssertionError(f"not within {PATIENCE_S:.0f} s: {what}")


def are_good(truck: Stack) -> bool:
    rows = last(truck)
    return len(rows) == 15 and all(row["quality"] == 0 and not row["stale"] for row in rows.values())


@pytest.mark.clause("C-141", "C-142", "C-143")
def test_what_is_not_stored_is_live_and_nowhere_else(truck: Stack) -> None:
    until(lambda: are_good(truck), "all points are good")
    first = last(truck)["reads"]["value"]
    until(lambda: last(truck)["reads"]["value"] > first, "the counter moves")
    newest = last(truck)
    assert newest["model_live"]["value"] == "TANKER-1"
    assert newest["place_scaled"]["value"].startswith("121.47")
    now = int(time.time() * 1000)
    for name, row in newest.items():
        path = f"/device/hisdata/rows?dsid={row['dsid']}&start_ms={now - 3_600_000}&end_ms={now + 60_000}"
        rows = truck.api.get(path)["rows"]
        assert (rows == []) == (name in LIVE_ONLY), name


@pytest.mark.clause("C-063", "C-065", "C-140")
def test_a_silent_slave_and_a_frozen_agent(truck: Stack) -> None:
    until(lambda: are_good(truck), "all points are good")
    before = last(truck)
    os.kill(truck.plant.pid, signal.SIGSTOP)
    try:
        took_s = until(
            lambda: {row["quality"] for row in last(truck).values()} <= {OFFLINE, 7}, "all points turn"
        )
        print(f"\nall points of a silent slave turned after {took_s:.1f} s")
        assert took_s < 15
        shown = last(truck)
        assert all(row["value"] is not None for row in shown.values())
        assert shown["model"]["value"] == before["model"]["value"]
        assert shown["model"]["t_ms"] == before["model"]["t_ms"]
    finally:
        os.kill(truck.plant.pid, signal.SIGCONT)
    until(lambda: are_good(truck), "all points are good again")
    os.kill(truck.agent.pid, signal.SIGSTOP)
    try:
        took_s = until(lambda: all(row["stale"] for row in last(truck).values()), "all values are stale")
        print(f"all values of a frozen agent were stale after {took_s:.1f} s")
        assert took_s < 45
        assert truck.api.get("/device?page=1&limit=10")["rows"][0]["link"]["online"]
    finally:
        os.kill(truck.agent.pid, signal.SIGCONT)
    until(lambda: are_good(truck), "all points are good again")
