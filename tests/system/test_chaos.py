"""kill -9 of everything at moments of chance, under load and with commands; the long run is scripts/chaos."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from evidence import Served
from faults.chaos_kills import COMMAND_EACH, run
from faults.chaos_proof import SampleVerdict, compare_life
from faults.chaos_site import BrokerKind, Life

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]


@pytest.mark.clause("C-021", "C-023", "C-036", "C-070", "C-071", "C-076")
@pytest.mark.parametrize(("kind", "kills"), [("mosquitto", 12), ("embedded", 5)])
def test_kills(kind: BrokerKind, kills: int, tmp_path: Path) -> None:
    outcome = run(tmp_path, kind, kills, seed=4)
    print(outcome)
    assert outcome.faults == []
    verdict, commands = outcome.verdict, outcome.commands
    assert sum(outcome.kills.values()) >= kills
    assert (verdict.lost, verdict.twice, verdict.unknown, verdict.missing_batches) == (0, 0, 0, 0)
    assert verdict.arrived + verdict.uncommitted == verdict.served
    assert verdict.arrived > 120 * kills, "it went on under load between the kills"
    assert commands.executed >= kills // COMMAND_EACH
    assert kind == "embedded" or commands.copies > 5


READ = [Served(1000 * at, at) for at in range(1, 6)]
KILLED = Life(started_ms=0, killed_ms=5500, promised={"p": 3})


@pytest.mark.parametrize(
    ("life", "there", "lost", "uncommitted"),
    [
        (KILLED, {1, 2, 3, 4, 5}, 0, 0),
        (KILLED, {1, 2, 3}, 0, 2),
        (KILLED, {1, 2}, 1, 2),  # its outbox held 3
        (KILLED, {1, 2, 3, 5}, 1, 0),  # a hole
        (Life(0, 4500, {"p": 3}), {1, 2, 3, 4}, 0, 1),  # asked before the kill, answered after it
        (Life(0, 9000, {}), {1, 2, 3, 4}, 1, 0),  # long before the kill
        (Life(0), {1, 2, 3, 4}, 1, 0),  # nothing was killed
    ],
)
def test_the_rule_itself(life: Life, there: set[int], lost: int, uncommitted: int) -> None:
    verdict = SampleVerdict()
    compare_life(verdict, "p", "p", READ, Counter(there), life)
    assert (verdict.lost, verdict.uncommitted) == (lost, uncommitted)
    assert len(verdict.faults) == lost
