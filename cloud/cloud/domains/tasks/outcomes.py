"""What came of the commands of a run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cloud.domains.commands.schemas import CommandStatus
from cloud.domains.commands.states import WAITING
from cloud.domains.tasks.schemas import RunStatus, TaskRunStep
from edge_contract.payloads import CommandState, Outcome

DONE = frozenset({Outcome.DONE.value, Outcome.RESOLVED_WRITTEN.value})


def status_of_command(command: CommandStatus) -> RunStatus:
    """A write of unknown outcome that was read back since is known."""
    if CommandState(command.status) in WAITING:
        return RunStatus.PENDING
    if command.outcome in DONE:
        return RunStatus.DONE
    return RunStatus.UNKNOWN if command.outcome == Outcome.UNKNOWN else RunStatus.FAILED


def status_of_all(statuses: Iterable[RunStatus]) -> RunStatus:
    """Pending while one is; else failed when one is, unknown when one is, done when all are."""
    seen = set(statuses)
    for status in (RunStatus.PENDING, RunStatus.FAILED, RunStatus.UNKNOWN):
        if status in seen:
            return status
    return RunStatus.DONE


def step_with(step: TaskRunStep, commands: Sequence[CommandStatus]) -> TaskRunStep:
    """A step with what its commands came to. Without any, the log has forgotten them: nobody knows."""
    if not commands:
        return step.model_copy(update={"status": RunStatus.UNKNOWN})
    statuses = [status_of_command(command) for command in commands]
    bad = next(
        (each for each, status in zip(commands, statuses, strict=True) if status is not RunStatus.DONE), None
    )
    changes = {
        "status": status_of_all(statuses),
        "code": "" if bad is None else bad.code,
        "detail": "" if bad is None else bad.detail,
        "count": len(commands),
        "done": statuses.count(RunStatus.DONE),
        "read": commands[0].result_value if len(commands) == 1 else None,
    }
    return step.model_copy(update=changes)
