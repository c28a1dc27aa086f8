"""Which timed tasks a configuration can run. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from edge_agent.config.model import Point
from edge_agent.model import PointKey
from edge_contract.edge_tasks import EdgeTask, TaskProblem, TaskWrite
from edge_contract.model import Sort, sort_of

NO_SUCH_SLAVE, NO_SUCH_POINT, UNFIT = "no_such_slave", "no_such_point", "unfit"
READ_ONLY, WRITE_ONLY = "read_only", "write_only"


def task_set(
    tasks: Sequence[EdgeTask], points: Mapping[PointKey, Point]
) -> tuple[list[EdgeTask], list[TaskProblem]]:
    """Tasks that run, and why the others do not: one whose writes cannot all be made does not run."""
    slaves = frozenset(key.slave for key in points)
    running: list[EdgeTask] = []
    problems: list[TaskProblem] = []
    for task in tasks:
        reasons = (_problem(write, points, slaves) for write in task.writes)
        reason = next((each for each in reasons if each is not None), None)
        if reason is None:
            running.append(task)
        else:
            code, subject = reason
            problems.append(TaskProblem(task=task.id, code=code, detail=subject))
    return running, problems


def target_of(write: TaskWrite) -> PointKey:
    """The point that is written."""
    return PointKey(write.slave, write.point)


def sort_of_point(point: Point) -> Sort:
    """Of the values that a point takes."""
    return sort_of(point.type.value, point.data_type)


def _problem(
    write: TaskWrite, points: Mapping[PointKey, Point], slaves: frozenset[str]
) -> tuple[str, str] | None:
    target = target_of(write)
    source = None if write.source is None else PointKey(write.source.slave, write.source.point)
    for key in (target, source):
        if key is not None and key.slave not in slaves:
            return NO_SUCH_SLAVE, key.slave
        if key is not None and key not in points:
            return NO_SUCH_POINT, str(key)
    if points[target].rw == "readonly":
        return READ_ONLY, str(target)
    if write.source is None or source is None:
        return None
    if points[source].rw == "writeonly":
        return WRITE_ONLY, str(source)
    is_plain = (write.source.ratio, write.source.bias) == (1, 0)
    return None if is_plain or sort_of_point(points[target]) == "number" else (UNFIT, str(target))
