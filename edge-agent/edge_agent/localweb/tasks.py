"""Timed tasks that run here, with the cloud or without it; only to look at.

GET /api/tasks: {tasks: [{title, next_ms, t_ms, status, code, missed, problem}]}, in the cloud's order.
next_ms: null for none, or while the clock is not set; t_ms, status (done, failed, unknown), code, missed: of
the newest run, null before the first; problem: why the task does not run, empty when it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from aiohttp import web
from aiohttp.typedefs import Handler

from edge_agent.localweb.guard import answer
from edge_agent.localweb.refusals import guarded
from edge_agent.tasks.runner import TaskRow
from edge_contract.edge_tasks import EdgeTaskRun


class TaskRows(Protocol):
    """tasks.runner.TaskRunner, as far as the page needs it."""

    def rows(self) -> Sequence[TaskRow]: ...


class TaskPages:
    """Routes of the page's server."""

    def __init__(self, tasks: TaskRows) -> None:
        self._tasks = tasks

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/api/tasks", self._handler())]

    def _handler(self) -> Handler:
        async def handler(_body: bytes, _who: str) -> web.Response:
            return answer(200, {"tasks": [_row(each) for each in self._tasks.rows()]})

        return guarded(handler)


def _row(row: TaskRow) -> dict[str, object]:
    last = row.last
    return {
        "title": row.title,
        "next_ms": row.next_ms,
        "t_ms": None if last is None else last.planned_ms,
        "status": None if last is None else _status(last),
        "code": None if last is None else _code(last),
        "missed": None if last is None else last.missed,
        "problem": row.problem,
    }


def _status(run: EdgeTaskRun) -> str:
    """As the cloud has it: failed when one write is, else unknown when one is."""
    outcomes = {result.outcome for result in run.results}
    if "failed" in outcomes or not outcomes:
        return "failed"
    return "unknown" if "unknown" in outcomes else "done"


def _code(run: EdgeTaskRun) -> str:
    return run.code or next((result.code for result in run.results if result.code), "")
