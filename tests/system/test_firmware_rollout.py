"""Firmware reaches a fleet wave by wave, whatever is killed on the way, and a bad version reaches few."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from faults.firmware_rollout import RolloutSite

pytestmark = [pytest.mark.system, pytest.mark.timeout(600)]

GATEWAYS = 20
RULES = {"growth": 3, "error_share": 0.2, "at_once": 10, "watch_s": 2}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RolloutSite]:
    with RolloutSite(tmp_path_factory.mktemp("rollout"), GATEWAYS).running() as made:
        yield made


@pytest.mark.clause("C-203", "C-204", "C-205")
def test_every_gateway_gets_it_once_though_broker_and_cloud_are_killed(site: RolloutSite) -> None:
    good = site.plan(site.upload(2), canary=2, **RULES)
    site.start(good)
    site.wait_for(good, "under_way", 1)
    site.kill_broker()
    site.wait_for(good, "succeeded", 2)
    site.wait_for(good, "under_way", 1)
    site.kill_cloud()
    site.wait_for(good, "succeeded", 4)
    site.kill_broker()
    site.kill_cloud()
    detail = site.wait_until(good, "finished", "paused")
    assert (detail["state"], detail["reason"]) == ("finished", ""), detail
    assert detail["counts"]["succeeded"] == GATEWAYS
    assert [wave["total"] for wave in detail["waves"]] == [2, 6, 12]


def test_a_version_that_does_not_start_stops_at_the_canary_and_nothing_is_installed_twice(
    site: RolloutSite, tmp_path: Path
) -> None:
    bad = site.plan(site.upload(3, "crash"), canary=2, **RULES)
    site.start(bad)
    detail = site.wait_until(bad, "paused", "finished")
    assert (detail["state"], detail["reason"], detail["wave"]) == ("paused", "errors", 0)
    site.stack.wait(lambda: not site.detail(bad)["counts"]["under_way"], "the canary has ended")
    upgrades = site.stack.api.get(f"/firmware/plan/{bad}/upgrade?limit=100")["rows"]
    assert {row["code"] for row in upgrades if row["state"] == "failed"} == {"crash"}
    assert {row["state"] for row in upgrades} == {"failed", "waiting"}
    assert sum(row["state"] == "failed" for row in upgrades) <= 2
    summary = site.end_fleet()
    assert summary["versions"] == {"2": GATEWAYS}
    assert summary["installed_again"] == {}
    assert summary["installs"] <= GATEWAYS + 2
