"""Which timed tasks a gateway can run, and where they are to run. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from cloud.core.gateway_work import LIMIT, Assignment, GatewayHolding, assigned_to
from cloud.domains.tasks.models import Task
from cloud.domains.tasks.planning import actions_of
from cloud.domains.tasks.schemas import GatewayAction
from edge_contract.edge_tasks import EdgeTask
from edge_contract.limits import MAX_EDGE_TASKS, MAX_RULES_BYTES
from edge_contract.payloads import encode

GATEWAY_COMMAND, RUN_OPEN = "gateway_command", "run_open"
GATEWAY_CODES = frozenset({"no_such_slave", "no_such_point", "read_only", "write_only", "unfit"})

MAX_BYTES = MAX_RULES_BYTES - 64 * 1024
"""Of the tasks of a gateway; the rest of their message is for states."""


def home_of(task: Task, gateways: Collection[int], homes: Mapping[int, GatewayHolding]) -> Assignment:
    """Of a task whose saver may run it."""
    if not task.enabled:
        return Assignment(None)
    if any(isinstance(action, GatewayAction) for action in actions_of(task.actions)):
        return Assignment(None, GATEWAY_COMMAND)
    return assigned_to(gateways, task.id, homes)


def leave_out(assignments: dict[int, Assignment], documents: Mapping[int, EdgeTask]) -> None:
    """The cloud runs what a gateway has no room for."""
    counts: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for number, assigned in sorted(assignments.items()):
        device_id = assigned.device_id
        if device_id is None:
            continue
        count = counts.get(device_id, 0) + 1
        size = sizes.get(device_id, 0) + len(encode(documents[number]))
        if count > MAX_EDGE_TASKS or size > MAX_BYTES:
            assignments[number] = Assignment(None, LIMIT)
        else:
            counts[device_id], sizes[device_id] = count, size
