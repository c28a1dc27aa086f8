"""Whatever is killed, the cloud ends with exactly the samples that the plant served: none lost, none twice.

The agent holds samples in memory for at most commit_interval_s before they are durable. kill -9 of the agent
may cost what was not committed and nothing else; kill -9 of broker or cloud costs nothing.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from evidence import drain, served
from faults.chaos_proof import SampleVerdict, committed, compare_point, note_beginnings, now_ms
from faults.chaos_site import Life
from mosquitto import Mosquitto
from stack import Stack

pytestmark = [pytest.mark.system, pytest.mark.timeout(300)]

MORE = 10
"""Values of each counter in one life of the agent."""


def reads_again(stack: Stack, served_log: Path) -> None:
    """Return when every counter has shown some new values."""
    before = {name: len(rows) for name, rows in served(served_log).items()}

    def more() -> bool:
        return all(len(rows) >= before[name] + MORE for name, rows in served(served_log).items())

    stack.wait(more, "every counter is read again", stack.plant, stack.agent)


def run_for(seconds: float) -> None:
    time.sleep(seconds)


@pytest.mark.parametrize("what", ["broker", "cloud"])
def test_kill_of_broker_or_cloud_costs_nothing(
    counting_stack: Stack, mosquitto: Mosquitto, tmp_path: Path, what: str
) -> None:
    stack = counting_stack
    stack.wait(stack.first_value, "the first value arrived", stack.cloud, stack.plant, stack.agent)
    for _ in range(3):
        run_for(1.5)
        if what == "broker":
            mosquitto.kill()
            run_for(1.0)
            mosquitto.start()
        else:
            stack.cloud.kill()
            run_for(1.0)
            stack.start_cloud()
    run_for(1.5)
    plant, cloud = drain(stack, tmp_path / "served.jsonl", [])
    assert plant, "the plant served nothing"
    for name, rows in plant.items():
        values = cloud[name]
        assert len(rows) > 20
        assert sorted(values.elements()) == [row.value for row in rows], name


def test_kill_of_the_agent_costs_at_most_its_window(counting_stack: Stack, tmp_path: Path) -> None:
    stack = counting_stack
    stack.wait(stack.first_value, "the first value arrived", stack.cloud, stack.plant, stack.agent)
    lives = [Life(started_ms=0)]
    for _ in range(4):
        run_for(1.0 + random.random())
        stack.agent.kill()
        lives[-1].killed_ms = now_ms()
        lives[-1].promised = committed(stack.data / "agent" / "outbox.sqlite")
        lives.append(Life(now_ms()))
        stack.start_agent()
        reads_again(stack, tmp_path / "served.jsonl")
    plant, cloud = drain(stack, tmp_path / "served.jsonl", [])
    note_beginnings(lives, stack.agent.log.read_text())
    verdict = SampleVerdict()
    for name, rows in plant.items():
        compare_point(verdict, name, rows, cloud[name], lives)
        assert len(cloud[name]) > 20
    assert verdict.faults == []
