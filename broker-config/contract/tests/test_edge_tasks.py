"""Timed tasks at the gateway: what they say, and by what they are told apart."""

from __future__ import annotations

import pytest

from edge_contract.edge_tasks import (
    EdgeTask,
    EdgeTaskRun,
    EdgeTasks,
    TaskReport,
    TaskSource,
    TaskWrite,
    TaskWriteResult,
    tasks_hash,
)
from edge_contract.errors import PayloadError
from edge_contract.limits import (
    MAX_EDGE_TASKS,
    MAX_EVENTS_BYTES,
    MAX_TASK_RUNS,
    MAX_TASK_WRITES,
    MAX_TEXT,
)
from edge_contract.payloads import decode, encode
from edge_contract.tasks.schedule import Schedule, TaskKind

DAILY = Schedule(kind=TaskKind.DAILY, zone="UTC", times=["08:00"])


def task(number: int, value: float = 1, **others: object) -> EdgeTask:
    facts = {"writes": [TaskWrite(slave="a", point="x", value=value)], **others}
    return EdgeTask(id=number, version=1, schedule=DAILY, **facts)  # type: ignore[arg-type]


@pytest.mark.clause("C-171")
def test_equal_tasks_have_an_equal_hash_in_any_order() -> None:
    assert tasks_hash([task(1), task(2)]) == tasks_hash([task(2), task(1)])
    sources = [TaskSource(slave="a", point="y", ratio=ratio) for ratio in (2, 2.0)]
    one, other = (TaskWrite(slave="a", point="x", source=source) for source in sources)
    assert tasks_hash([task(1, writes=[one])]) == tasks_hash([task(1, writes=[other])])
    assert tasks_hash([task(1)]) != tasks_hash([task(1, 2)])
    assert tasks_hash([task(1)]) != tasks_hash([task(1, title="x")])
    assert len(tasks_hash([])) == 64


@pytest.mark.clause("C-171")
def test_tasks_are_bounded_and_each_is_there_once() -> None:
    with pytest.raises(ValueError, match="tasks: each number once"):
        EdgeTasks(hash=tasks_hash([]), tasks=[task(1), task(1)])
    full = EdgeTasks(hash=tasks_hash([]), tasks=[task(number) for number in range(1, MAX_EDGE_TASKS + 1)])
    assert decode(EdgeTasks, encode(full)) == full
    with pytest.raises(PayloadError):
        decode(EdgeTasks, encode(full).replace(b'"tasks":[', b'"tasks":[' + encode(task(9999)) + b","))
    many = [TaskWrite(slave="a", point="x", source=TaskSource(slave="a", point="y"))] * (MAX_TASK_WRITES + 1)
    document = encode(EdgeTask(id=1, version=1, schedule=DAILY, writes=many))
    with pytest.raises(PayloadError, match="writes"):
        decode(EdgeTask, document)


@pytest.mark.clause("C-175")
def test_a_report_is_bounded_and_the_largest_run_fits_into_one() -> None:
    text = "\u6eab" * MAX_TEXT
    result = TaskWriteResult(
        slave="s" * 64, point="p" * 64, value=text, t_ms=1, code=text, detail=text, read=text
    )
    times = {"planned_ms": 1, "begun_ms": 1, "ended_ms": 1}
    run = EdgeTaskRun(seq=1, task=1, version=1, results=[result] * MAX_TASK_WRITES, **times)
    assert len(encode(run)) < MAX_EVENTS_BYTES
    small = EdgeTaskRun(seq=1, task=1, version=1, **times)
    largest = TaskReport(id="0" * 16, results=[small] * MAX_TASK_RUNS)
    assert decode(TaskReport, encode(largest)) == largest
    with pytest.raises(PayloadError):
        decode(TaskReport, encode(TaskReport(id="0" * 16, results=[small] * (MAX_TASK_RUNS + 1))))
