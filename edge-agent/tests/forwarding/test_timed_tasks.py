"""Timed tasks and their runs: only with a cloud that takes them, until it acknowledges them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from edge_contract.edge_tasks import EdgeTaskRun, EdgeTasks, TaskReport, tasks_hash
from edge_contract.limits import MAX_RULES_BYTES
from edge_contract.payloads import Ack, Hello, Pulse, encode
from edge_contract.topics import Message

if TYPE_CHECKING:
    from conftest import Edge, FakeCloud

EMPTY = EdgeTasks(hash=tasks_hash([]))


def run(seq: int) -> EdgeTaskRun:
    return EdgeTaskRun(seq=seq, task=1, version=1, planned_ms=seq, begun_ms=seq, ended_ms=seq)


def reports(cloud: FakeCloud) -> list[TaskReport]:
    return [one for one in cloud.all(Message.TASK_RUNS) if isinstance(one, TaskReport)]


def acknowledge(cloud: FakeCloud) -> None:
    """What came last."""
    cloud.say(Message.ACK, Ack(tasks=reports(cloud)[-1].id))


@pytest.mark.clause("C-170")
async def test_a_cloud_that_does_not_say_so_gets_nothing(edge: Edge, cloud: FakeCloud) -> None:
    edge.timed_tasks.runs = [run(1)]
    await edge.start()
    await cloud.until(lambda: len([one for one in cloud.all(Message.PULSE) if isinstance(one, Pulse)]) >= 2)
    (hello, *_) = cloud.all(Message.HELLO)
    assert isinstance(hello, Hello)
    assert hello.takes_tasks
    assert (reports(cloud), edge.timed_tasks.withdrawn) == ([], 1)


@pytest.mark.clause("C-175", "C-176")
async def test_what_is_held_and_each_run_until_it_is_acknowledged(edge: Edge, cloud: FakeCloud) -> None:
    cloud.takes_tasks = True
    edge.timed_tasks.runs = [run(seq) for seq in (1, 2, 3)]
    await edge.start()
    await cloud.until(lambda: len(reports(cloud)) >= 2)
    first, second = reports(cloud)[:2]
    assert [one.seq for one in first.results] == [1, 2] == [one.seq for one in second.results]
    acknowledge(cloud)
    await cloud.until(lambda: [one.seq for one in reports(cloud)[-1].results] == [3])
    cloud.say(Message.TASKS, EMPTY)
    await cloud.until(lambda: reports(cloud)[-1].hash == EMPTY.hash)
    acknowledge(cloud)
    await cloud.until(lambda: not edge.timed_tasks.runs)
    assert (first.hash, edge.timed_tasks.withdrawn, edge.exchange.withdrawn) == (None, 0, 1)


@pytest.mark.clause("C-171")
async def test_tasks_that_are_too_large_are_refused(edge: Edge, cloud: FakeCloud) -> None:
    cloud.takes_tasks = True
    await edge.start()
    await cloud.until(lambda: reports(cloud))
    cloud.say(Message.TASKS, encode(EMPTY)[:-1] + b" " * MAX_RULES_BYTES + b"}")
    await cloud.until(lambda: edge.forwarder.link.bad_messages)
    assert edge.timed_tasks.held is None
