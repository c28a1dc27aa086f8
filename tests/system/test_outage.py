"""Half an hour without the cloud go up beside live values; scripts/chaos outage takes a day, and the time."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults.chaos_outage import POINTS, run
from faults.chaos_site import BrokerKind

pytestmark = [pytest.mark.system, pytest.mark.timeout(240)]

ROUNDS = 2000
"""Seconds of the outage: enough that the gateway makes live batches, four a second, while they go up."""


@pytest.mark.clause("C-030", "C-031", "C-036")
@pytest.mark.parametrize("kind", ["mosquitto", "embedded"])
def test_a_backlog_goes_up_beside_live_values(kind: BrokerKind, tmp_path: Path) -> None:
    outcome = run(tmp_path, kind, ROUNDS, drain_s=120.0)
    print(outcome)
    assert outcome.faults == []
    assert outcome.history_samples >= ROUNDS * POINTS
    assert outcome.arrived >= ROUNDS * POINTS + 3 * POINTS
    assert outcome.live_beside > 0, "live values waited for the backlog"
