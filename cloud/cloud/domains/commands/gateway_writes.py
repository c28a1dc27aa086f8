"""Writes that gateways made by themselves, in the command log: rows that end as they begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from cloud.core.scope import Scope
from cloud.domains.commands.intake import ids_of, new_id, origin_columns
from cloud.domains.commands.models import CommandRow
from cloud.domains.commands.repository import CommandRepository
from cloud.domains.commands.schemas import CommandOrigin, CommandTarget
from edge_contract.model import Value
from edge_contract.payloads import CommandAction, CommandState, Outcome


@dataclass(frozen=True)
class GatewayWrite:
    """dsid: None when the gateway has the point no more. value: what was to be written; result_value: what
    was read back; code: why it was not done; at_ms: when it ended.
    """

    dsid: int | None
    target: CommandTarget
    value: Value
    result_value: Value
    outcome: Outcome
    code: str
    at_ms: int


@dataclass(frozen=True)
class GatewayWriter:
    """For whom a gateway wrote: its number, preset of a linkage, the trigger or rule, and who saved it."""

    device_id: int
    preset_id: int | None
    origin: CommandOrigin
    user_id: int | None
    user_name: str


def note_gateway_writes(
    session: AsyncSession, writer: GatewayWriter, writes: Sequence[GatewayWrite]
) -> str | None:
    """Add a batch to the command log in the caller's transaction; the id of its first row. A write of unknown
    outcome is settled by the next good value, as any other. Nobody waits for these rows: none is pushed.
    """
    if not writes:
        return None
    batch_id = new_id()
    rows = [
        CommandRow(
            id=command_id,
            device_id=writer.device_id,
            dsid=write.dsid,
            user_id=writer.user_id or 0,
            user_name=writer.user_name,
            address=f"{writer.origin.kind} {writer.origin.id}",
            action=CommandAction.WRITE.value,
            slave=None if write.dsid is not None else write.target.slave,
            batch_id=batch_id,
            preset_id=writer.preset_id,
            value=write.value,
            status=(CommandState.RESP if write.outcome is Outcome.DONE else CommandState.FAIL).value,
            created_ms=write.at_ms,
            expires_ms=write.at_ms,
            finished_ms=write.at_ms,
            result_value=write.result_value,
            code=write.code,
            outcome=write.outcome.value,
            target=write.target.model_dump(),
            audit_due=writer.user_id is not None,
            **origin_columns(writer.origin),
        )
        for command_id, write in zip(ids_of(batch_id, len(writes)), writes, strict=True)
    ]
    CommandRepository(session, Scope.system()).add_all(rows)
    return rows[0].id
