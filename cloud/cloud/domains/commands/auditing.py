"""What the audit says of commands: target, value and, once they have ended, outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

from cloud.core import changes
from cloud.core.scope import Scope
from cloud.db import Database
from cloud.domains.audit.service import AuditService, Unattended
from cloud.domains.commands.models import CommandRow
from cloud.domains.commands.repository import CommandRepository
from cloud.domains.commands.states import WAITING
from edge_contract.payloads import CommandState

GIVEN_UP_MS = 60_000
"""A row of the audit that is not there by then never comes: it was one too many, or the queue was full."""

UNATTENDED = {"exchange": "exchangeWrite", "trigger": "triggerWrite", "task": "taskWrite"}
"""First word of the address of what a rule writes, and its operation: no request, so no row of one."""

MAX_RULES = 10_000


class CommandAudit(Protocol):
    """Where commands are reported to the audit."""

    def requested(self, rows: Sequence[CommandRow]) -> None:
        """These were made by the request under way."""

    async def ended(self, reference: str, rows: Sequence[CommandRow]) -> bool:
        """Report their outcomes; False when the audit has no row of that request yet."""


class NoAudit:
    """Of a process without one."""

    def requested(self, rows: Sequence[CommandRow]) -> None:
        pass

    async def ended(self, reference: str, rows: Sequence[CommandRow]) -> bool:
        return True


class AuditReporter:
    """The row of a request is filled in when its commands end. Of what a rule writes, in its thousands, there
    is a row whenever the outcome is another than before; the rest is in the command log.
    """

    def __init__(self, audit: AuditService) -> None:
        self._audit = audit
        self._outcomes: dict[str, str] = {}  # of rules, by address

    def requested(self, rows: Sequence[CommandRow]) -> None:
        changes.record_change({}, entry(rows))
        changes.refer(reference_of(rows[0]))

    async def ended(self, reference: str, rows: Sequence[CommandRow]) -> bool:
        first = rows[0]
        operation = UNATTENDED.get(first.address.partition(" ")[0])
        if operation is None:
            return await self._audit.fill_in(reference, entry(rows))
        if self._outcomes.get(first.address) != first.outcome:
            if len(self._outcomes) >= MAX_RULES:
                self._outcomes.clear()
            self._outcomes[first.address] = first.outcome
            await self._audit.add(
                Unattended(
                    at_ms=first.created_ms,
                    user_id=first.user_id,
                    user_name=first.user_name,
                    address=first.address,
                    operation=operation,
                    reference=reference,
                    changes=entry(rows),
                )
            )
        return True


def reference_of(row: CommandRow) -> str:
    """By which the audit knows a request."""
    return row.batch_id or row.id


def entry(rows: Sequence[CommandRow]) -> dict[str, Any]:
    """Audit fields of commands: one with all that is known of it; several as a line each, what failed or is
    unknown first, because a long list is cut.
    """
    if len(rows) == 1 and rows[0].batch_id is None:
        return _one(rows[0])
    tally = Counter(row.outcome or row.status for row in rows)
    order = {"unknown": 0, "settled_other": 1, "failed": 2}
    listed = sorted(rows, key=lambda row: (order.get(row.outcome, 3), row.id))
    fields: dict[str, Any] = {"batch_id": rows[0].batch_id, "total": len(rows)}
    if rows[0].preset_id is not None:
        fields["preset_id"] = rows[0].preset_id
    fields["outcomes"] = ", ".join(f"{name} {number}" for name, number in sorted(tally.items()))
    return fields | {f"write_{at}": _short(row) for at, row in enumerate(listed, start=1)}


def _one(row: CommandRow) -> dict[str, Any]:
    named = {name: value for name, value in (row.target or {}).items() if value not in (None, "")}
    fields: dict[str, Any] = {**named, "dsid": row.dsid, "action": row.action, "value": row.value}
    if row.arguments:
        fields["arguments"] = row.arguments
    fields |= {"status": row.status, "outcome": row.outcome, "code": row.code}
    if row.result_value is not None:
        fields["read_back"] = row.result_value
    if row.seen_ms is not None:
        fields["seen_ms"] = row.seen_ms
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _short(row: CommandRow) -> str:
    """Such as `gw-1 boiler.pressure (Pressure, 17) = 5.5: done, 5.5`."""
    of = row.target or {}
    where = f"{of.get('gateway_id', '')} {of.get('slave', '')}.{of.get('point', '')}"
    title = f"{of.get('ds_title') or of.get('point', '')}, {row.dsid}"
    came = " ".join(filter(None, (row.outcome or row.status, row.code)))
    read = "" if row.result_value is None else f", {row.result_value}"
    return f"{where} ({title}) = {row.value}: {came}{read}"


async def report_ended(database: Database, audit: CommandAudit, now_ms: int, limit: int) -> None:
    """Report commands that have ended to the audit; a batch once all of it has."""
    async with database.reading() as session:
        repository = CommandRepository(session, Scope.system())
        due = await repository.audit_due(limit)
        batches = await repository.of_batches({row.batch_id for row in due if row.batch_id})
    if not due:
        return
    groups: dict[str, list[CommandRow]] = {row.id: [row] for row in due if row.batch_id is None}
    for row in batches:
        groups.setdefault(row.batch_id or "", []).append(row)
    done: dict[str, str] = {}
    for reference, rows in groups.items():
        if any(CommandState(row.status) in WAITING for row in rows):
            continue
        old = all((row.finished_ms or 0) < now_ms - GIVEN_UP_MS for row in rows)
        if await audit.ended(reference, rows) or old:
            done |= {row.id: row.outcome for row in rows}
    if done:
        async with database.asynchronous_commit() as session:
            await CommandRepository(session, Scope.system()).mark_reported(done)
            await session.commit()
