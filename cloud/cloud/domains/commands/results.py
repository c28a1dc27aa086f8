"""What a gateway says of a command, in the command's row."""

from __future__ import annotations

from collections.abc import Callable

from cloud.core.text import storable
from cloud.domains.commands.metrics import FINISHED
from cloud.domains.commands.models import CommandRow
from cloud.domains.commands.sending import StateChange
from cloud.domains.commands.states import RESOLVED_BY_READ, late_outcome_of, may_become
from edge_contract.payloads import CommandResult, CommandState, Outcome

MAX_TEXT_LENGTH = 200
MAX_LATENCY_MS = 2**31 - 1

LATE = "late"
"""Code of a networkError whose result came after all; detail holds the result's state."""

Become = Callable[[CommandRow, StateChange, Outcome | None], None]
"""Sets a command's state, with the outcome that its gateway reported."""


def take_result(row: CommandRow, result: CommandResult, become: Become) -> bool:
    """Write a result into the row of its command; False for a repeated one, of which nothing is stored."""
    late = row.status == CommandState.NETWORK_ERROR and row.latency_ms is None
    state, code = CommandState(result.state), storable(result.code, MAX_TEXT_LENGTH)
    knows = late_outcome_of(row.action, state, code, result.outcome)
    settled_here = late and row.outcome in RESOLVED_BY_READ
    if settled_here and row.code == LATE and knows is None:
        return False
    if late:
        # The state is final; that it was executed all the same is stored beside it.
        row.code = LATE
        row.detail = storable(f"{result.state} {result.code}".strip(), MAX_TEXT_LENGTH)
        FINISHED.labels(LATE).inc()
    elif may_become(CommandState(row.status), state):
        become(row, StateChange(state, code, sent=True), result.outcome)
        row.detail = storable(result.detail, MAX_TEXT_LENGTH)
    elif row.outcome != Outcome.UNKNOWN:
        return False
    resolved = knows if row.outcome == Outcome.UNKNOWN or settled_here else None
    if row.outcome == Outcome.UNKNOWN or settled_here:
        if resolved is None and row.latency_ms is not None:
            return False
        if resolved is not None:
            row.outcome, row.audit_due = resolved.value, bool(row.user_id)
    if not settled_here or resolved is not None:
        is_read = row.outcome in RESOLVED_BY_READ
        row.seen_ms = (result.seen_ms or result.t_ms) if is_read else None
        row.result_value, row.quality = result.value, int(result.quality)
        row.result_values = dict(result.values) or None
        row.latency_ms = min(max(result.latency_ms, 0), MAX_LATENCY_MS)
    return True
